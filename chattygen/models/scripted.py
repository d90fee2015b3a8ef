"""A model that answers from a file: for tests and for replays. A real backend of models.toml, `backend = "scripted"`.

The file is TOML with `[[rules]]` tables, or JSONL with one rule per line:

    match   a regular expression that is searched in the last user message; empty fits any
    reply   the text
    finish  "stop", "length" (as if cut off) or "error" (the call fails with `reply` as the reason)
    times   how often the rule may answer; 0 means always; 1 unless given

The first rule that matches and is not used up answers. Token counts are a quarter of the characters.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from chattygen.config import Strict, check, read_toml
from chattygen.errors import CallError, ConfigError
from chattygen.models.model import Completion, Constraint, Message

Answering = Callable[[Sequence[Message], Constraint | None], str]


@dataclass(frozen=True)
class Rule:
    """One rule; in Python, `reply` may also be a function of (messages, constraint)."""

    reply: str | Answering
    match: str = ""
    finish: Literal["stop", "length", "error"] = "stop"
    times: int = 1


class RuleTable(Strict):
    """A rule in a file."""

    reply: str
    match: str = ""
    finish: Literal["stop", "length", "error"] = "stop"
    times: int = 1


class ScriptTable(Strict):
    """The whole TOML file."""

    rules: tuple[RuleTable, ...]


class ScriptedModel:
    """Implements `model.Model`. Safe to call from several threads; `calls` counts the answers given."""

    repeatable = True
    exact = False

    def __init__(self, name: str, rules: Sequence[Rule], context: int = 8192, revision: str = "") -> None:
        self.name = name
        self.revision = revision
        self.context = context
        self.calls = 0
        self._rules = tuple(rules)
        self._left = [rule.times for rule in rules]
        self._turn = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        constraint: Constraint | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """See `model.Model`; `max_tokens`, `temperature` and `seed` change nothing."""
        asked = next((text for role, text in reversed(messages) if role == "user"), "")
        with self._turn:
            rule = self._take(asked)
            self.calls += 1
        reply = rule.reply if isinstance(rule.reply, str) else rule.reply(messages, constraint)
        if rule.finish == "error":
            raise CallError(f"the call to {self.name} failed: {reply}", "the script wants it so")
        prompt = sum(self.count_tokens(text) for _, text in messages)
        return Completion(reply, prompt, self.count_tokens(reply), rule.finish, 0.0)

    def count_tokens(self, text: str) -> int:
        """See `model.Model`."""
        return len(text) // 4

    def _take(self, asked: str) -> Rule:
        for number, rule in enumerate(self._rules):
            if (rule.times == 0 or self._left[number] > 0) and re.search(rule.match, asked):
                self._left[number] -= 1
                return rule
        raise CallError(f"the script of {self.name} has no reply left for: {asked[-80:]!r}", "add a rule to the script")


def load_script(name: str, path: Path, context: int) -> ScriptedModel:
    """Read a script.

    Raises:
        ConfigError: names file, key (or line), got and expected.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such file", "give the path of an existing script")
    if path.suffix == ".jsonl":
        tables = [
            check(_object(line, f"{path}, line {number}"), RuleTable, f"{path}, line {number}")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if line.strip()
        ]
    else:
        tables = list(read_toml(path, ScriptTable).rules)
    revision = hashlib.sha256(path.read_bytes()).hexdigest()
    return ScriptedModel(name, [Rule(**table.model_dump()) for table in tables], context, revision)


def _object(line: str, where: str) -> dict[str, object]:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where}: not JSON: {error}", "one JSON object per line") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: got {line[:60]}", "expected a JSON object")
    return data
