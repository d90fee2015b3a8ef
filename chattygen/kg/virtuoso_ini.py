"""The settings of a local Virtuoso: on loopback, within known limits, with the memory that is free and of use.

Knows nothing about starting it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

from chattygen.privacy import LOOPBACK

GRAPH = "urn:chattygen:graph"
"""The one named graph that holds the data: Virtuoso keeps its own triples in others."""

MAX_ROWS = 2**20
"""ResultSetMaxRows; more rows Virtuoso never sends over HTTP."""

MAX_SECONDS = 3600
"""MaxQueryExecutionTime: the last resort. A query ends some 10 s after the client hung up at its own deadline."""

LOG = "virtuoso.log"

BUFFER_BYTES = 8192 + 700
"""A page of the database and what Virtuoso keeps about it."""

FEWEST, MOST = 20_000, 4_000_000
"""Bounds for the number of buffers: 180 MB and 36 GB."""


def buffers(memory: int, data: int) -> int:
    """How many pages Virtuoso may hold: a third of `memory` bytes, not more than `data` bytes need, within bounds."""
    return max(FEWEST, min(MOST, memory // 3 // BUFFER_BYTES, 2 * data // BUFFER_BYTES))


def spare_memory() -> int:
    """Bytes that are free here: a container may be allowed less than the machine has."""
    free = psutil.virtual_memory().available
    with suppress(OSError, ValueError):
        return min(free, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return free


def settings(http: int, sql: int, buffers: int) -> str:
    """The text of virtuoso.ini. Paths are relative: the server runs in the graph's folder, and the folder may move.

    A blank before a key would disable it.
    """
    return f"""\
[Database]
DatabaseFile = virtuoso.db
TransactionFile = virtuoso.trx
ErrorLogFile = {LOG}
LockFile = virtuoso.lck
xa_persistent_file = virtuoso.pxa
ErrorLogLevel = 7
FileExtend = 200
MaxCheckpointRemap = {buffers // 4}
Striping = 0
TempStorage = TempDatabase

[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx
MaxCheckpointRemap = 2000
Striping = 0

[Parameters]
ServerPort = {LOOPBACK}:{sql}
DisableUnixSocket = 1
ServerThreads = 20
ThreadsPerQuery = {os.cpu_count() or 1}
NumberOfBuffers = {buffers}
MaxDirtyBuffers = {buffers * 3 // 4}
MaxSortedTopRows = {MAX_ROWS * 64}
CheckpointInterval = 0
CaseMode = 2
AllowOSCalls = 0
DirsAllowed = .
SchedulerInterval = 10

[HTTPServer]
ServerPort = {LOOPBACK}:{http}
ServerRoot = www
ServerThreads = 10
EnabledDavVSP = 0
HTTPProxyEnabled = 0

[SPARQL]
DefaultGraph = {GRAPH}
ResultSetMaxRows = {MAX_ROWS}
MaxQueryExecutionTime = {MAX_SECONDS}
"""
