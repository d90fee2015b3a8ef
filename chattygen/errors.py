"""Every expected error of chattygen: one tree, two lines each (what happened, what to do).

    ChattygenError                 exit code 1
    ├── UsageError                 2  wrong option, unknown name
    │   ├── ConfigError            2  a TOML file: file, key, got, expected
    │   └── UnknownName            2  no such KG, model, run
    ├── GraphError                 1  a file or store cannot be read, or holds nothing usable
    │   ├── BadData                1  a syntax error in a dump: file, line, column
    │   └── QueryError             1  a query failed
    │       └── QueryTimeout       1  a query was stopped at its deadline
    ├── ModelError                 1
    │   ├── WeightsError           1  missing, incomplete or of a wrong hash
    │   ├── ServerError            1  a model server cannot start, or died
    │   └── CallError              1  a call to a model server failed
    │       └── PassingError       1  ... in a way that may pass: busy, broken for the moment, slow
    │           └── ConnectionLost 1  nobody is there, or the connection broke
    ├── PrivacyError               2  a host that is not loopback and not allowed
    ├── ResultsError               1  the results database cannot be used
    ├── ShortOfRequest             3  finished with fewer dialogues than asked for
    └── Interrupted              130  stopped by the user

A class has an `exit_code`; an error carries `message` (what) and `hint` (what to do). The CLI prints both, and a
traceback only under `--debug`.
"""

from __future__ import annotations


class ChattygenError(Exception):
    """An expected failure.

    Args:
        message: what happened, one line.
        hint: what the user can do about it, one line.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ChattygenError):
    """The command or its options are wrong."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration file is wrong: the message names file, key, got and expected."""


class UnknownName(UsageError):
    """A KG, model or run of that name does not exist."""


class GraphError(ChattygenError):
    """A knowledge graph cannot be read, stored or used."""


class BadData(GraphError):
    """A dump has a syntax error: the message names file, line, column and reason."""


class QueryError(GraphError):
    """A SPARQL query failed to parse or to run."""


class QueryTimeout(QueryError):
    """A SPARQL query was stopped at its deadline."""


class ModelError(ChattygenError):
    """Something on the model side failed."""


class WeightsError(ModelError):
    """Model weights are missing, incomplete or of a wrong hash."""


class ServerError(ModelError):
    """A model server cannot be started, or died."""


class CallError(ModelError):
    """A call to a model server failed: refused, or an answer that is not a completion. It would fail again."""


class PassingError(CallError):
    """A call to a model server failed in a way that may pass: the server is busy, broken for the moment, or slow.

    Args:
        after: seconds for which the server asks to be left alone, 0 if it does not.
    """

    def __init__(self, message: str, hint: str = "", after: float = 0.0) -> None:
        super().__init__(message, hint)
        self.after = after


class ConnectionLost(PassingError):
    """Nobody is there, or the connection broke before the answer was whole."""


class PrivacyError(ChattygenError):
    """A host that is neither loopback nor allowed by the user was about to be contacted."""

    exit_code = 2


class ResultsError(ChattygenError):
    """The results database cannot be opened, read or written."""


class ShortOfRequest(ChattygenError):
    """The run finished with fewer dialogues than asked for; the message says how many and why."""

    exit_code = 3


class Interrupted(ChattygenError):
    """The user stopped the command; what was finished is stored."""

    exit_code = 130
