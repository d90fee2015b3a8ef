"""Writes down what this Python asks the network for, and which programs it starts, in the file CONNECTION_RECORD.

Python runs a module of this name when it starts, from any folder on PYTHONPATH. A line is the repr of (process id,
event, what); `tests.watch` reads it. Every process of the tests pays for this module, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

ADDRESSED = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
RESOLVED = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}

TELEMETRY = {
    "amplitude",
    "analytics",
    "bugsnag",
    "datadog",
    "ddtrace",
    "honeybadger",
    "mixpanel",
    "newrelic",
    "posthog",
    "rollbar",
    "scarf",
    "segment",
    "sentry_sdk",
    "snowplow_tracker",
    "statsig",
    "wandb",
}
"""Modules of libraries that report to somebody."""

record = os.environ.get("CONNECTION_RECORD")


def seen(event: str, args: tuple) -> None:
    if event == "import":
        if args[0].partition(".")[0] not in TELEMETRY:
            return
        what = args[0]
    elif event in ADDRESSED:
        what = (int(args[0].family), args[1])
    elif event in RESOLVED:
        what = args[0]
    elif event == "subprocess.Popen":
        environment = os.environ if args[3] is None else args[3]
        what = ([os.fsdecode(word) for word in args[1]], told(environment))
    else:
        return
    target = os.open(str(record), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(target, f"{(os.getpid(), event, what)!r}\n".encode())
    os.close(target)


def told(environment: dict) -> dict[str, str]:
    """What an environment says about going out."""
    return {n: v for n, v in environment.items() if n == "HF_HUB_OFFLINE" or n.lower().endswith("_proxy")}


if record:
    sys.addaudithook(seen)
