"""The command line of one vLLM server; vLLM itself is never imported here.

Options as vLLM 0.32 has them. `python -m vllm.entrypoints.openai.api_server` is deprecated there;
`vllm serve` is started as a module of our own Python, so that no other installation on the PATH is taken.
"""

from __future__ import annotations

import http.client
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from chattygen.errors import ServerError
from chattygen.models.catalog import Entry
from chattygen.models.gpu_plan import BATCH, CONCURRENCY, Share
from chattygen.models.server import Launch
from chattygen.privacy import LOOPBACK, child_environment

DEADLINE = 900.0
"""Seconds until a server must answer: loading, compiling and capturing graphs take minutes."""

WITHOUT_CARD = ("--enforce-eager", "--kv-cache-memory-bytes", str(2 * 2**30), "--block-size", "32")
"""For vLLM's build for the CPU. It would take nearly all memory for its cache, and keep only blocks of 128 tokens, so
that no short prompt is found again. 2 GiB hold 16 requests of 1,000 tokens each with Llama 3 8B."""

COMPACT = '{"backend":"xgrammar","disable_any_whitespace":true}'
"""Constrained JSON carries no white space, which a model could otherwise go on with until its reply is cut. vLLM heeds
this only where the server is started, not in a request (vLLM #48765)."""


def launch(entry: Entry, weights: Path, port: int, key: str, share: Share | None = None) -> Launch:
    """How to serve `weights` (a folder of safetensors) on loopback, with its `share` of a card.

    Raises:
        ServerError: vLLM is not installed.
    """
    if find_spec("vllm") is None:
        raise ServerError("vLLM is not installed", "run: pip install 'chattygen[gpu]', or use --cpu")
    return Launch(
        entry.name,
        command(entry, weights, port, share),
        child_environment(VLLM_API_KEY=key, **_addresses(), **_card(share)),
        port,
        key,
        DEADLINE,
        "vllm",
    )


def command(entry: Entry, weights: Path, port: int, share: Share | None = None) -> tuple[str, ...]:
    """The words of the command line. The key is not among them: vLLM reads VLLM_API_KEY.

    Without a share there is no card, and this is vLLM's build for the CPU: compiling would take it many minutes.
    """
    context, requests = (share.context, share.requests) if share else (entry.context, entry.concurrency or CONCURRENCY)
    return (
        *(sys.executable, "-m", "vllm.entrypoints.cli.main", "serve", str(weights)),
        *("--served-model-name", entry.name),
        *("--host", LOOPBACK),
        *("--port", str(port)),
        *("--max-model-len", str(context)),
        *("--max-num-seqs", str(requests)),
        *("--max-num-batched-tokens", str(BATCH)),
        *(("--gpu-memory-utilization", f"{share.fraction:.4f}") if share else WITHOUT_CARD),
        *(("--quantization", entry.quantisation) if entry.quantisation else ()),
        *(("--chat-template", entry.chat_template) if entry.chat_template else ()),
        *("--generation-config", "vllm"),  # else the weights' own file changes the sampling that we ask for
        *("--structured-outputs-config", COMPACT),
        "--enable-prefix-caching",
        "--enable-prompt-tokens-details",  # else it does not tell how much of a prompt was in its cache
    )


def served_context(port: int, key: str) -> int:
    """The context length, in tokens, that a running server was started with.

    Raises:
        ServerError: it does not say.
    """
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=10)
    try:
        connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {key}"})
        return int(json.loads(connection.getresponse().read())["data"][0]["max_model_len"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, IndexError, TypeError) as error:
        raise ServerError(
            f"the server at port {port} does not say its context length: {error!r}",
            "stop it with: chattygen stop-models",
        ) from None
    finally:
        connection.close()


def _addresses() -> dict[str, str]:
    """Else vLLM looks for the machine's outer address, and lets its own processes meet there."""
    return {"VLLM_HOST_IP": LOOPBACK, "VLLM_LOOPBACK_IP": LOOPBACK}


def _card(share: Share | None) -> dict[str, str]:
    """Binds a server to the card that it was planned for; by default CUDA counts otherwise than the driver."""
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(share.card)} if share else {}
