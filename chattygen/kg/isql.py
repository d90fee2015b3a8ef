"""SQL to a new Virtuoso, whose administrator still has the known password, through its own command-line client, isql.

Knows nothing about RDF.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

from chattygen.errors import GraphError
from chattygen.privacy import LOOPBACK, child_environment

NAMES = ("isql-vt", "isql-v")
"""What the client is called: plain `isql` is more often that of unixODBC."""

OPTIONS = ("VERBOSE=OFF", "BANNER=OFF", "PROMPT=OFF", "ECHO=OFF", "ERRORS=STDOUT", "CSV=ON", "CSV_FIELD_SEPARATOR=\t")


def begin(port: int, statements: Sequence[str]) -> subprocess.Popen[str]:
    """Start running statements one after the other at the server that listens on `port` of loopback.

    They go in through standard input: all users of a machine can read a command line.

    Raises:
        GraphError: there is no isql.
    """
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise GraphError(f"Virtuoso's isql is missing: no {NAMES[0]} on the PATH", "it comes with Virtuoso")
    process = subprocess.Popen(
        [program, f"{LOOPBACK}:{port}", *OPTIONS],
        env=child_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # it must not ask a terminal for a password
    )
    assert process.stdin
    with process.stdin as pipe:
        pipe.write("".join(f"{statement};\n" for statement in statements))
    return process


def rows(process: subprocess.Popen[str]) -> list[list[str]]:
    """The rows of all statements, values as text; waits for the end.

    Raises:
        GraphError: the server refused a statement, or isql failed.
    """
    assert process.stdout
    with process.stdout as output:
        lines = [line.rstrip("\n") for line in output if line.strip()]
    failed = process.wait() != 0
    wrong = [line for line in lines if line.startswith("*** Error")]
    if wrong or failed:
        raise GraphError(f"Virtuoso refused a command: {(wrong or lines or ['no reason given'])[0]}", "see its log")
    return [line.split("\t") for line in lines]
