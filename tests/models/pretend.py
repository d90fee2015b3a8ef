"""A pretended model server, started as a real process: `pretend.py PORT [stubborn|silent|dies|parent]`.

It answers /v1/models to whoever has the key in PRETEND_KEY.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == f"Bearer {os.environ['PRETEND_KEY']}"
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        return


def main(port: int, manner: str) -> None:
    if manner == "dies":
        for number in range(1, 21):
            sys.stderr.write(f"line {number}\n")
        sys.stderr.write("RuntimeError: out of memory\n")
        sys.exit(3)
    if manner == "silent":
        time.sleep(60)
    if manner == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if manner == "parent":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    HTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
