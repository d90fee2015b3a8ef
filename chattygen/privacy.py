"""The local-only guard: which hosts may be contacted, and the environment that child processes get.

Nothing of a user's graph leaves the machine: a client refuses every host that is not loopback unless the user lists it
in `[privacy] allow` of models.toml. Knows nothing about models or graphs, and opens no connection itself.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from chattygen.errors import PrivacyError

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

PROXIES = {"http_proxy", "https_proxy", "ftp_proxy", "all_proxy"}


def check_host(url: str, allow: Collection[str] = ()) -> None:
    """Let `url` pass when its host is loopback or one of `allow` (host names or addresses, without port).

    Names are not resolved, so a name that happens to point to loopback must be listed; only `localhost` need not.

    Raises:
        PrivacyError: the host is neither, or the URL has no host.
    """
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        host = ""
    if not host:
        raise PrivacyError(f"{url!r} names no host", "give a whole address, such as http://127.0.0.1:8000/v1")
    if not is_loopback(host) and host not in {name.lower() for name in allow}:
        raise PrivacyError(
            f"{host} is not this machine, and nothing may leave this machine",
            f'if the host is yours and may see your data, list it in models.toml: [privacy] allow = ["{host}"]',
        )


def is_loopback(host: str) -> bool:
    """Whether `host` (a name or an address) is this machine without asking a resolver."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def child_environment(**extra: str) -> dict[str, str]:
    """The environment for a child process: ours without proxies, with telemetry and downloads off, plus `extra`."""
    inherited = {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}
    return inherited | SILENT | extra
