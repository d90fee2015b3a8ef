"""The command line of one llama-cpp-python server on the CPU.

The package has no wheels: installing it compiles llama.cpp. It is never imported here, so that --help stays quick and a
crash in it stays in its own process. Its settings are also read from plain environment variables (HOST, MODEL, CACHE,
...); those of the user are taken out, and the key is passed that way, for a command line is open to all users.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chattygen.models.catalog import Entry
from chattygen.models.cpu import machine
from chattygen.models.server import Launch
from chattygen.privacy import LOOPBACK, child_environment

DEADLINE = 180.0
"""Seconds until a server must answer: several GB may have to come from a slow disk."""

SETTINGS = """
cache cache_size cache_type chat_format chat_template_kwargs clip_model_path config_file draft_model
draft_model_num_pred_tokens embedding flash_attn hf_model_repo_id hf_pretrained_model_name_or_path
hf_tokenizer_config_path interrupt_requests kv_overrides last_n_tokens_size logits_all lora_base lora_path
main_gpu model model_alias mul_mat_q n_batch n_ctx n_gpu_layers n_threads n_threads_batch n_ubatch numa
offload_kqv root_path rope_freq_base rope_freq_scale rope_scaling_type rpc_servers seed split_mode ssl_certfile
ssl_keyfile tensor_split type_k type_v use_mlock use_mmap verbose vocab_only yarn_attn_factor yarn_beta_fast
yarn_beta_slow yarn_ext_factor yarn_orig_ctx
"""
"""Names of the server's settings; as environment variables (in any case) they would change them."""


def launch(entry: Entry, weights: Path, port: int, key: str) -> Launch:
    """How to serve `weights` (a GGUF file) on loopback.

    `logits_all` is off: only the last token's logits are ever used, and on it would hold context x vocabulary floats.

    `use_mlock` is off: of most weights llama.cpp makes a copy in the order that its kernels want and needs no other, so
    those in the file must be free to leave the memory.
    """
    cores = str(machine().cores)
    options = {
        "model": str(weights),
        "model_alias": entry.name,
        "host": LOOPBACK,
        "port": str(port),
        "n_ctx": str(entry.context),
        "n_threads": cores,
        "n_threads_batch": cores,
        "logits_all": "false",
        "use_mlock": "false",
        "verbose": "false",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    environment = child_environment(API_KEY=key, HOST=LOOPBACK, PORT=str(port))
    foreign = set(SETTINGS.split())
    return Launch(
        model=entry.name,
        command=(sys.executable, "-m", "llama_cpp.server", *words),
        environment={name: value for name, value in environment.items() if name.lower() not in foreign},
        port=port,
        key=key,
        deadline=DEADLINE,
        engine="llama-cpp-python",
    )
