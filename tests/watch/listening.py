"""What the processes under watch listen on: run with their record, in their network, which alone can tell."""

from __future__ import annotations

import json
import socket
import sys
from contextlib import suppress

import psutil

from tests.watch import RECORD


def processes(record: str) -> list[psutil.Process]:
    """The running processes that were put under watch with this record, whoever their parent is now."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(RECORD) == record:
                found.append(process)
    return found


def main(record: str) -> None:
    """Print [program, address] for each TCP socket that listens, and for each UDP socket."""
    found = [
        (process.name(), connection.laddr.ip)
        for process in processes(record)
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN or connection.type == socket.SOCK_DGRAM
    ]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
