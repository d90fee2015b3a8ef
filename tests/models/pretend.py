"""A pretended model server, started as a real process: `pretend.py PORT [MANNER]`.

It answers /v1/models (to whoever has the key in PRETEND_KEY) and /v1/chat/completions, with its process id. Manners:

    dies        while starting, with a log
    silent      never listens
    stubborn    ignores SIGTERM
    parent      has a child
    mortal      kills itself when it is asked for a completion, after half a second in which others may ask
    once:FILE   like mortal, unless FILE is there, which it makes
    open        can be reached from other machines
    broken      answers every completion with status 500
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MANNER = sys.argv[2] if len(sys.argv) > 2 else ""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == f"Bearer {os.environ['PRETEND_KEY']}"
        self.answer(200 if allowed else 401, {})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        kind, _, file = MANNER.partition(":")
        if kind == "mortal" or (kind == "once" and not Path(file).exists()):
            time.sleep(0.5)
            if file:
                Path(file).touch()
            sys.stderr.write("the last words\n")
            os.kill(os.getpid(), signal.SIGKILL)
        choice = {"message": {"role": "assistant", "content": str(os.getpid())}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1}
        self.answer(500 if kind == "broken" else 200, {"choices": [choice], "usage": usage})

    def answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        return


def main(port: int) -> None:
    if MANNER == "dies":
        for number in range(1, 21):
            sys.stderr.write(f"line {number}\n")
        sys.stderr.write("RuntimeError: out of memory\n")
        sys.exit(3)
    if MANNER == "silent":
        time.sleep(60)
    if MANNER == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if MANNER == "parent":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    address = "0.0.0.0" if MANNER == "open" else "127.0.0.1"
    ThreadingHTTPServer((address, port), Handler).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
