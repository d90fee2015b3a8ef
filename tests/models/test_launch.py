"""The command lines of the two servers."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from chattygen.errors import ServerError
from chattygen.models import llamacpp, vllm
from chattygen.models.catalog import Entry

GGUF = Entry.model_validate({"name": "small", "backend": "llama-cpp", "context": 2048, "files": [{"name": "s.gguf"}]})


def test_the_command_line_of_vllm() -> None:
    assert vllm.command(GGUF, Path("/w/small"), 8123, 0.45) == (
        sys.executable,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        "/w/small",
        "--served-model-name",
        "small",
        "--host",
        "127.0.0.1",
        "--port",
        "8123",
        "--max-model-len",
        "2048",
        "--gpu-memory-utilization",
        "0.45",
        "--enable-prefix-caching",
    )


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed here")
def test_vllm_that_is_not_installed_is_named() -> None:
    with pytest.raises(ServerError, match="vLLM is not installed"):
        vllm.launch(GGUF, Path("/w/small"), 8123, "key")


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_the_command_line_of_llama_cpp_keeps_the_key_and_foreign_settings_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "0.0.0.0")
    monkeypatch.setenv("CACHE", "/some/folder")
    monkeypatch.setenv("seed", "not a number")
    launch = llamacpp.launch(GGUF, Path("/w/s.gguf"), 8123, "secret")
    words = launch.command
    assert words[:3] == (sys.executable, "-m", "llama_cpp.server")
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options["--model"] == "/w/s.gguf"
    assert options["--model_alias"] == "small"
    assert (options["--host"], options["--port"]) == ("127.0.0.1", "8123")
    assert options["--n_ctx"] == "2048"
    assert options["--logits_all"] == "false"
    assert "secret" not in words
    environment = launch.environment
    assert (environment["API_KEY"], environment["HOST"], environment["PORT"]) == ("secret", "127.0.0.1", "8123")
    assert "CACHE" not in environment
    assert "seed" not in environment


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_every_setting_of_the_installed_server_is_known() -> None:
    from llama_cpp.server.settings import Settings

    passed = {"api_key", "host", "port", "disable_ping_events"}
    assert set(Settings.model_fields) - passed - set(llamacpp.SETTINGS.split()) == set()
