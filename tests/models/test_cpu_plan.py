"""Whether servers fit into memory: arithmetic on hand-made demands, and what is said when they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.errors import ServerError
from chattygen.models import cpu, engines
from chattygen.models.catalog import load_catalog
from chattygen.models.cpu_plan import Demand, cpu_plan, demand, describe, fit

GIB = 1024**3
SMALL = Demand("small", 1 * GIB, 32_768, 8192, 1, "xllamacpp")  # cache: 32,768 x 8,192 = 0.25 GiB; in all 2.25
LARGE = Demand("large", 8 * GIB, 262_144, 8192, 1, "xllamacpp")  # cache 2 GiB; in all 11


def machine(free: float, total: float = 64) -> cpu.Machine:
    return cpu.Machine(2, int(total * GIB), int(free * GIB))


def test_what_a_server_needs() -> None:
    assert SMALL.cache == GIB // 4
    assert SMALL.needed == int(2.25 * GIB)
    four = Demand("small", 1 * GIB, 32_768, 8192, 4, "xllamacpp")
    assert four.needed == 3 * GIB
    assert describe(four) == (
        "small on xllamacpp: weights 1.0 GiB + KV cache 1.0 GiB (4 slots, context 8,192) + overhead 1.0 GiB = 3.0 GiB"
    )


def test_servers_that_fit_together() -> None:
    plan = fit(machine(13.25), [SMALL, LARGE])
    assert plan.demands == (SMALL, LARGE)


def test_two_models_that_do_not_fit_together_are_refused_with_what_would() -> None:
    with pytest.raises(ServerError) as caught:
        fit(machine(13), [SMALL, LARGE])
    error = caught.value
    needed = "13.2 GiB are needed, and 13.0 GiB of 64.0 GiB are free"
    assert error.message == f"the memory does not hold small and large: {needed}"
    assert error.hint == (
        "what fits: small or large for every role (--role ROLE=MODEL); context = 4096 in models.toml;"
        " small and large, once other programs give back 0.2 GiB"
    )
    assert error.__notes__ == [describe(SMALL), describe(LARGE)]


def test_a_context_is_shortened_no_further_than_needed() -> None:
    # 2,048 tokens: 0.0625 + 0.5 GiB of cache beside 9 GiB of weights and 2 of overhead
    with pytest.raises(ServerError, match="the memory does not hold") as caught:
        fit(machine(11.6, total=12), [SMALL, LARGE])
    assert caught.value.hint == (
        "what fits: small or large for every role (--role ROLE=MODEL); context = 2048 in models.toml"
    )


def test_a_model_that_fits_in_no_way() -> None:
    with pytest.raises(ServerError) as caught:
        fit(machine(4, total=8), [LARGE])
    assert caught.value.hint == "choose a smaller model: chattygen list-models"


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_real_model_is_measured_on_its_file(weights_home: Home) -> None:
    entry = load_catalog(weights_home, engine="llama-cpp-python").entry("smollm2-135m-instruct")
    # 30 layers, 3 heads of 64, a key and a value each, 16 bit
    assert demand(entry, weights_home) == Demand(entry.name, 98_362_432, 23_040, 2048, 1, "llama-cpp-python")
    assert [each.model for each in cpu_plan([entry], weights_home).demands] == [entry.name]


def test_before_it_is_pulled_only_the_size_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engines.MODULES, "llama-cpp-python", ("json",))
    entry = load_catalog(Home(tmp_path)).entry("qwen2.5-coder-1.5b-instruct")
    assert demand(entry, Home(tmp_path)) == Demand(entry.name, 1_117_320_768, 0, 8192, 1, "llama-cpp-python")
    unpinned = load_catalog(Home(tmp_path)).entry("llama-3-8b-instruct-gguf")
    assert describe(demand(unpinned, Home(tmp_path))).endswith("its size is not known before it is pulled")
