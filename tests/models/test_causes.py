"""Ends of real logs, shortened, and what they mean."""

from __future__ import annotations

import pytest

from chattygen.models.causes import likely_cause


@pytest.mark.parametrize(
    ("lines", "code", "cause"),
    [
        ([], -9, "lack of memory"),
        ([], 137, "lack of memory"),
        ([], -4, "CMAKE_ARGS=-DGGML_NATIVE=OFF"),
        (["ModuleNotFoundError: No module named 'sse_starlette'"], 1, "pip install 'chattygen[cpu]'"),
        (["std::bad_alloc"], -6, "not enough memory"),
        (["[Errno 98] Address already in use"], 1, "took the port"),
        (["CUDA error: no kernel image is available"], 1, "the GPU or driver does not suit"),
        (
            ["Free memory on device (10/80 GiB) is less than desired GPU memory utilization (0.9)"],
            1,
            "nvidia-smi",
        ),
        (["ValueError: No available memory for the cache blocks."], 1, "not enough memory"),
        (["ValueError: Model path does not exist: x.gguf"], 1, "pull-model"),
        ([], 127, "check the installation"),
        (["ValueError: Failed to load model from file: x.gguf"], 1, "weights are damaged"),
        (["something else"], 1, "the log says why"),
        (["loading shards"], None, "give it more time"),
    ],
)
def test_one_likely_cause_is_given(lines: list[str], code: int | None, cause: str) -> None:
    assert cause in likely_cause(lines, code)
