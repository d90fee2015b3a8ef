"""A network of its own that has loopback and nothing else, and a count of what was asked of the rest of the world.

The kernel counts whatever finds no way out, native code's attempts too. A proxy that must never be asked listens on
loopback, and so does something that takes questions for names: a machine's resolver may have a loopback address. For
Linux only. Run as a program, this file is what holds the network open.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

WAYS = (["unshare", "--net"], ["unshare", "--net", "--map-root-user"])
"""How to get a network namespace: with the rights for it, or by a user namespace."""


@dataclass
class Network:
    """Commands run in it behind `prefix`. `proxy` is the address of a proxy that nobody should ask.

    What was asked is known at the end: `proxied` connections to the proxy and, where the network is `own`, `resolved`
    questions for names and `unroutable` packets to addresses beyond loopback.
    """

    own: bool
    prefix: list[str] = field(default_factory=list)
    proxy: str = ""
    proxied: int = 0
    resolved: int = 0
    unroutable: int = 0


def allowed() -> list[str] | None:
    """The command that makes a network namespace here, or None where there is none or the kernel refuses."""
    for way in WAYS:
        with suppress(FileNotFoundError):
            if subprocess.run([*way, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return way
    return None


@contextmanager
def alone() -> Iterator[Network]:
    """A network of its own where that is allowed; else the machine's, with the proxy only."""
    way = allowed()
    network = Network(own=way is not None)
    # Isolated, for the holder itself is not under watch: it listens where nothing else may.
    command = [*(way or []), sys.executable, "-I", "-S", __file__, str(network.own)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin
        assert holder.stdout
        network.proxy = f"http://127.0.0.1:{int(holder.stdout.readline())}"
        if way:
            user = ["--user", "--preserve-credentials"] if "--map-root-user" in way else []
            network.prefix = ["nsenter", f"--target={holder.pid}", "--net", *user]
        try:
            yield network
        finally:
            holder.stdin.close()
            network.proxied, network.resolved, network.unroutable = json.loads(holder.stdout.readline())


def hold(own: bool) -> None:
    """Open the network, say where the proxy is, wait for the end of the input, say what was asked."""
    with socket.socket() as proxy, socket.socket(type=socket.SOCK_DGRAM) as resolver:
        if own:
            up(b"lo")
            resolver.bind(("0.0.0.0", 53))
        proxy.bind(("127.0.0.1", 0))
        proxy.listen(100)
        before = unroutable()
        sys.stdout.write(f"{proxy.getsockname()[1]}\n")
        sys.stdout.flush()
        sys.stdin.read()
        proxy.setblocking(False)
        resolver.setblocking(False)
        proxied = resolved = 0
        with suppress(BlockingIOError):
            while True:
                proxy.accept()[0].close()
                proxied += 1
        with suppress(BlockingIOError):
            while True:
                resolver.recv(4096)
                resolved += 1
        sys.stdout.write(json.dumps([proxied, resolved, unroutable() - before]) + "\n")


def up(interface: bytes) -> None:
    """What `ip link set INTERFACE up` does; the program is often missing."""
    siocsifflags, iff_up = 0x8914, 1
    with socket.socket(type=socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, siocsifflags, struct.pack("16sh14x", interface, iff_up))


def unroutable() -> int:
    """Packets of this network for which there was no route."""
    names, values = [line.split() for line in Path("/proc/self/net/snmp").read_text().splitlines()[:2]]
    count = int(values[names.index("OutNoRoutes")])
    if os.path.exists("/proc/self/net/snmp6"):
        rows = dict(line.split() for line in Path("/proc/self/net/snmp6").read_text().splitlines())
        count += int(rows["Ip6OutNoRoutes"])
    return count


if __name__ == "__main__":
    hold(sys.argv[1] == "True")
