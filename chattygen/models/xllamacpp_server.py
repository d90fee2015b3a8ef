"""`python -m chattygen.models.xllamacpp_server`: llama.cpp's own HTTP server out of the package xllamacpp, on loopback.

The key comes from the environment, since a command line is open to all users. Nothing but this process holds state:
SIGTERM ends it at once, by the default action.
"""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser

from chattygen.privacy import LOOPBACK

KEY = "LLAMA_API_KEY"
"""Name of the environment variable that holds the API key."""


def main() -> None:
    """Serve until killed."""
    parser = ArgumentParser()
    parser.add_argument("--model", required=True, help="a GGUF file")
    parser.add_argument("--alias", required=True, help="what requests call the model")
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--context", required=True, type=int, help="tokens per request")
    parser.add_argument("--slots", required=True, type=int, help="requests at once")
    parser.add_argument("--threads", required=True, type=int)
    given = parser.parse_args()

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = given.model
    params.model_alias = {given.alias}
    params.hostnames = [LOOPBACK]
    params.port = given.port
    params.api_keys = [os.environ[KEY]]
    params.cors_origins = f"http://{LOOPBACK}:{given.port}"
    params.n_parallel = given.slots
    params.n_ctx = given.context * given.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given.threads
    params.fit_params = False  # the context is as planned, or the start fails
    params.cache_ram_mib = 0  # prompts are kept in their slots and nowhere else
    params.n_gpu_layers = 0
    params.ui = params.endpoint_slots = params.endpoint_metrics = params.endpoint_props = False
    params.offline = True
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:  # llama.cpp has said why
        sys.exit(str(error))
    print(f"listening on {server.listening_address}", flush=True)  # noqa: T201
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
