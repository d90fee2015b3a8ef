"""The local-only guard: which hosts may be contacted, and the environment that child processes get.

Nothing of a user's graph leaves the machine: a client refuses every host that is not loopback unless the user lists it
in `[privacy] allow` of models.toml. docs/privacy.md says what else is done and how it is tested. Knows nothing about
models or graphs, and opens no connection itself.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from chattygen.errors import PrivacyError, UsageError

LOOPBACK = "127.0.0.1"
"""Where every server of ours listens."""

SILENT = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "NO_PROXY": "127.0.0.1,localhost,::1",
    "no_proxy": "127.0.0.1,localhost,::1",
}
"""What keeps a child process from reporting or fetching anything."""


def check_host(url: str, allow: Collection[str] = ()) -> None:
    """Let `url` pass when its host is loopback or one of `allow` (host names or addresses, without port).

    Names are not resolved, so a name that happens to point to loopback must be listed; only `localhost` need not.

    Raises:
        PrivacyError: the host is neither, or the URL has no host.
        UsageError: the URL holds a user or a password, which would end in logs and error texts.
    """
    try:
        address = urlsplit(url)
        host = (address.hostname or "").lower()
    except ValueError:
        host = ""
    if not host:
        raise PrivacyError(f"{url!r} names no host", "give a whole address, such as http://127.0.0.1:8000/v1")
    if not is_loopback(host) and host not in {name.lower() for name in allow}:
        raise PrivacyError(
            f"{host} is not this machine, and nothing may leave this machine",
            f'if the host is yours and may see your data, list it in models.toml: [privacy] allow = ["{host}"]',
        )
    if address.username is not None or address.password is not None:
        raise UsageError(
            "the address holds a user or a password",
            "leave them out, and set CHATTYGEN_SPARQL_USER and _PASSWORD for a graph, or key_env for a model",
        )


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine: a loopback address as the standards spell it, or `localhost` where it means one.

    Other spellings ("127.1", "0177.0.0.1", "2130706433", "localhost.") mean this machine to some programs and another
    one, or a question to a resolver, to others. 0.0.0.0 is every address of this machine.
    """
    if host == "localhost":
        return _means_loopback(host)
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # ::ffff:127.0.0.1 is 127.0.0.1; releases of Python differ in whether they say so.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _means_loopback(name: str) -> bool:
    """Whether every address of `name` is loopback; /etc/hosts is the user's, and can say anything."""
    try:
        return all(is_loopback(str(found[4][0])) for found in socket.getaddrinfo(name, None))
    except OSError:
        return False


def child_environment(**extra: str) -> dict[str, str]:
    """The environment for a child process: ours without proxies, with telemetry and downloads off, plus `extra`."""
    inherited = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return inherited | SILENT | extra
