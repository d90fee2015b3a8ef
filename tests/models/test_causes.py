"""Ends of real logs, shortened, and what they mean."""

from __future__ import annotations

import pytest

from chattygen.models.causes import error_line, likely_cause


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


ENGINE = "RuntimeError: Worker failed with error 'No common block size for 16'"
FRONT = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"


def test_the_error_that_tells_why_is_found_far_above_the_end() -> None:
    """As vLLM 0.32 ends: the engine's error, many lines, and then the front's, which tells nothing."""
    log = ["loading", f"  {ENGINE}", *(["Traceback (most recent call last):"] + ["  File"] * 30) * 2, FRONT, ""]
    assert error_line(log) == ENGINE
    assert error_line(["an error: none", FRONT]) == ""
    assert "not enough memory" in likely_cause(["ValueError: No available memory for the cache blocks.", *log], 1)
