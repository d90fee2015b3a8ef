"""What the tests' processes ask the network for: written down by an audit hook in each of them, read here.

Native code (llama.cpp, Virtuoso, Oxigraph) is not seen by a hook of Python: `alone` watches that.
"""

from __future__ import annotations

import os
import socket
from ast import literal_eval
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from ipaddress import ip_address
from pathlib import Path
from typing import Any

HOOK = Path(__file__).parent / "hook"
RECORD = "CONNECTION_RECORD"


@dataclass(frozen=True)
class Event:
    """What a process did: `name` is an audit event of Python, `what` as the hook wrote it."""

    pid: int
    name: str
    what: Any

    @property
    def leaves(self) -> bool:
        """Whether it concerns another machine, opens this one to others, or asks a resolver."""
        if not self.name.startswith("socket."):
            return False
        family, address = self.what if isinstance(self.what, tuple) and len(self.what) == 2 else (None, self.what)
        if family in (socket.AF_UNIX, socket.AF_NETLINK) or address is None:
            return False
        return not is_here(address[0] if isinstance(address, tuple) else address)


def is_here(host: str | bytes) -> bool:
    """Whether a host is a loopback address or `localhost`."""
    name = os.fsdecode(host)
    with suppress(ValueError):
        return ip_address(name).is_loopback
    return name == "localhost"


def environment(record: Path) -> dict[str, str]:
    """What puts a Python process, and all that it starts, under watch."""
    path = [str(HOOK), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {RECORD: str(record), "PYTHONPATH": os.pathsep.join(dict.fromkeys(path))}


def watch_this_process() -> None:
    """Put the running Python under watch; there is no end to that."""
    spec = spec_from_file_location("tests_watch_hook", HOOK / "sitecustomize.py")
    assert spec
    assert spec.loader
    spec.loader.exec_module(module_from_spec(spec))


def read(record: Path) -> list[Event]:
    with suppress(FileNotFoundError):
        return [Event(*literal_eval(line)) for line in record.read_text(encoding="utf-8").splitlines()]
    return []
