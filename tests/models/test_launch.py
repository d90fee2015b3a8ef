"""The command lines of the two servers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from chattygen.errors import ServerError
from chattygen.models import llamacpp, vllm
from chattygen.models.catalog import Entry
from chattygen.models.gpu_plan import Share

GGUF = Entry.model_validate({"name": "small", "backend": "llama-cpp", "context": 2048, "files": [{"name": "s.gguf"}]})


MODEL = Entry.model_validate(
    {"name": "big", "backend": "vllm", "context": 8192, "files": [{"name": "a.safetensors"}, {"name": "config.json"}]}
)
SHARE = Share("big", "", 16_000_000_000, 1_000_000_000, 8192, 4096, 6, 0.4687, 1)


def vllm_options(words: tuple[str, ...]) -> dict[str, str]:
    """The options between what is served and the last two words, which are switches."""
    return dict(zip(words[5:-2:2], words[6:-2:2], strict=True))


def test_the_command_line_of_vllm() -> None:
    words = vllm.command(MODEL, Path("/w/big"), 8123, SHARE)
    assert words[:5] == (sys.executable, "-m", "vllm.entrypoints.cli.main", "serve", "/w/big")
    assert vllm_options(words) == {
        "--served-model-name": "big",
        "--host": "127.0.0.1",
        "--port": "8123",
        "--max-model-len": "4096",
        "--max-num-seqs": "6",
        "--max-num-batched-tokens": "2048",
        "--gpu-memory-utilization": "0.4687",
        "--generation-config": "vllm",
        "--structured-outputs-config": '{"backend":"xgrammar","disable_any_whitespace":true}',
    }
    assert words[-2:] == ("--enable-prefix-caching", "--enable-prompt-tokens-details")


def test_what_an_entry_says_of_its_weights_is_passed_on() -> None:
    entry = MODEL.model_copy(update={"quantisation": "awq", "chat_template": "{{ bos_token }}"})
    options = vllm_options(vllm.command(entry, Path("/w/big"), 8123, SHARE))
    assert (options["--quantization"], options["--chat-template"]) == ("awq", "{{ bos_token }}")


def test_without_a_card_vllm_gets_what_the_entry_asks_for_and_compiles_nothing() -> None:
    words = vllm.command(MODEL, Path("/w/big"), 8123)
    assert "--gpu-memory-utilization" not in words
    assert "--enforce-eager" in words
    assert words[words.index("--kv-cache-memory-bytes") + 1] == "2147483648"
    assert words[words.index("--block-size") + 1] == "32"
    assert words[words.index("--max-model-len") + 1] == "8192"
    assert words[words.index("--max-num-seqs") + 1] == "16"


def test_vllm_gets_its_key_its_card_and_loopback_through_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("vllm") is None:
        (tmp_path / "vllm").mkdir()
        (tmp_path / "vllm" / "__init__.py").touch()
        monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    launch = vllm.launch(MODEL, Path("/w/big"), 8123, "secret", SHARE)
    environment = launch.environment
    assert environment["VLLM_API_KEY"] == "secret"
    assert (environment["CUDA_DEVICE_ORDER"], environment["CUDA_VISIBLE_DEVICES"]) == ("PCI_BUS_ID", "1")
    assert (environment["VLLM_HOST_IP"], environment["VLLM_NO_USAGE_STATS"]) == ("127.0.0.1", "1")
    assert not any("secret" in word for word in launch.command)
    assert vllm.launch(MODEL, Path("/w/big"), 8123, "secret").environment["CUDA_VISIBLE_DEVICES"] == "0,1"


def answering(content: bytes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert (self.path, self.headers["Authorization"]) == ("/v1/models", "Bearer secret")
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler


@pytest.fixture
def serving() -> Iterator[Callable[[bytes], int]]:
    """Starts a server that answers with these bytes; gives its port."""
    servers: list[HTTPServer] = []

    def start(content: bytes) -> int:
        servers.append(HTTPServer(("127.0.0.1", 0), answering(content)))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1].server_port

    yield start
    for each in servers:
        each.shutdown()
        each.server_close()


def test_the_context_of_a_running_vllm_is_asked_of_it(serving: Callable[[bytes], int]) -> None:
    port = serving(b'{"object": "list", "data": [{"id": "big", "max_model_len": 4096}]}')
    assert vllm.served_context(port, "secret") == 4096


@pytest.mark.parametrize("content", [b"{}", b"not JSON", b'{"data": []}', b'{"data": [{"max_model_len": null}]}'])
def test_a_server_that_does_not_say_its_context_is_an_error(serving: Callable[[bytes], int], content: bytes) -> None:
    with pytest.raises(ServerError, match="does not say its context length"):
        vllm.served_context(serving(content), "secret")


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed here")
def test_vllm_that_is_not_installed_is_named() -> None:
    with pytest.raises(ServerError, match="vLLM is not installed"):
        vllm.launch(MODEL, Path("/w/big"), 8123, "key")


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
    assert options["--logits_all"] == options["--use_mlock"] == "false"
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
