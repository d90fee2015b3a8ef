"""The local-only guard."""

from __future__ import annotations

import pytest

from chattygen.errors import PrivacyError
from chattygen.privacy import check_host, child_environment


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.8.9.10/",
        "http://[::1]:8000/v1",
        "http://localhost:8000/v1",
        "http://LOCALHOST/",
    ],
)
def test_loopback_passes(url: str) -> None:
    check_host(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://10.0.0.5:8000/v1", "10.0.0.5"),
        ("http://0.0.0.0:8000/v1", "0.0.0.0"),
        ("https://models.example.org/v1", "models.example.org"),
        ("http://127.0.0.1@models.example.org/v1", "models.example.org"),
        ("http://127.0.0.1.example.org/", "127.0.0.1.example.org"),
        ("http://localhost.example.org/", "localhost.example.org"),
        ("http://2130706433/", "2130706433"),
    ],
)
def test_another_host_is_refused_by_name(url: str, host: str) -> None:
    with pytest.raises(PrivacyError) as caught:
        check_host(url)
    assert caught.value.message == f"{host} is not this machine, and nothing may leave this machine"
    assert f'allow = ["{host}"]' in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "/v1", "http://", "http://[bad/"])
def test_an_address_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(PrivacyError, match="names no host"):
        check_host(url)


def test_the_user_may_allow_a_host_and_only_that_one() -> None:
    check_host("https://GPU.example.org:8443/v1", ["gpu.example.org"])
    with pytest.raises(PrivacyError):
        check_host("https://gpu2.example.org/v1", ["gpu.example.org"])


def test_children_get_no_proxy_no_telemetry_no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    monkeypatch.setenv("all_proxy", "http://proxy.example.org:3128")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("KEPT", "yes")
    environment = child_environment(EXTRA="1")
    assert "HTTPS_PROXY" not in environment
    assert "all_proxy" not in environment
    expected = {
        "KEPT": "yes",
        "EXTRA": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1,localhost,::1",
    }
    assert {name: environment[name] for name in expected} == expected
