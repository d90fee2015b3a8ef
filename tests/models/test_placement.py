"""Which models answer, and what their servers get of the card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chattygen.config import Home
from chattygen.errors import ModelError, ServerError
from chattygen.models.catalog import Catalog, Entry, load_catalog
from chattygen.models.gpu import GIB, Device
from chattygen.models.gpu_plan import Demand
from chattygen.models.placement import Placement, demand, place, requests_at_once

A100_80 = Device(1, "NVIDIA A100 80GB", 84_989_181_952, 84_989_181_952)
A100_40 = Device(0, "NVIDIA A100 40GB", 42_289_070_080, 42_289_070_080)
CARD_24 = Device(0, "NVIDIA RTX 4090", 25_375_539_200, 25_375_539_200)
LLAMA, CODE, AWQ = "llama-3-8b-instruct", "codellama-13b-instruct", "codellama-13b-instruct-awq"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """The models.toml that comes with chattygen."""
    return load_catalog(Home(tmp_path))


def pulled(home: Home, name: str, config: dict[str, Any] | None, *sizes: int) -> None:
    """Weights of a model as pull-model leaves them, of these sizes in bytes."""
    folder = home.models / name
    folder.mkdir(parents=True)
    files = {f"model-{number}.safetensors": b"w" * size for number, size in enumerate(sizes)}
    files["config.json"] = json.dumps(config).encode() if config is not None else b"no JSON"
    for file, content in files.items():
        (folder / file).write_bytes(content)
    facts = {file: {"size": len(content), "sha256": "0" * 64} for file, content in files.items()}
    (folder / "verified.json").write_text(json.dumps({"files": facts}))


def test_the_paper_s_models_answer_for_themselves_where_both_fit(catalog: Catalog, tmp_path: Path) -> None:
    placement = place(catalog, [LLAMA, CODE, "all-minilm-l6-v2"], Home(tmp_path), device=A100_80)
    assert placement.answering == {LLAMA: LLAMA, CODE: CODE, "all-minilm-l6-v2": "all-minilm-l6-v2"}
    share = placement.share(CODE)
    assert share is not None
    assert (share.fraction, share.requests, share.context, share.card) == (0.6474, 16, 8192, 1)
    assert placement.share("all-minilm-l6-v2") is None


def test_the_smaller_model_takes_over_the_roles_where_they_do_not(catalog: Catalog, tmp_path: Path) -> None:
    roles = catalog.roles("gpu")
    placement = place(catalog, roles.values(), Home(tmp_path), device=A100_40)
    answering = placement.roles({str(role): name for role, name in roles.items()})
    assert answering["sparql"] == AWQ
    assert answering["questions"] == answering["judge"] == LLAMA
    assert placement.share(CODE) is None
    share = placement.share(AWQ)
    assert share is not None
    assert (share.quantisation, share.requests) == ("awq", 6)


def test_a_run_that_goes_on_keeps_its_models_or_is_refused(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=f"{LLAMA} and {CODE} do not fit on NVIDIA A100 40GB"):
        place(catalog, [LLAMA, CODE], Home(tmp_path), device=A100_40, stand_ins=False)
    placement = place(catalog, [LLAMA, AWQ], Home(tmp_path), device=A100_40, stand_ins=False)
    assert placement.answering == {LLAMA: LLAMA, AWQ: AWQ}


def test_models_that_do_not_fit_are_refused(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=f"{LLAMA} and {AWQ} do not fit on NVIDIA RTX 4090"):
        place(catalog, [LLAMA, CODE], Home(tmp_path), device=CARD_24)


def test_a_model_that_is_served_needs_no_room_and_answers_for_the_larger_one(catalog: Catalog, tmp_path: Path) -> None:
    held = Device(0, "NVIDIA A100 40GB", 42_289_070_080, 22 * GIB)
    placement = place(catalog, [LLAMA, CODE], Home(tmp_path), served={AWQ}, device=held)
    assert placement.answering == {LLAMA: LLAMA, CODE: AWQ}
    assert placement.plan is not None
    assert [share.model for share in placement.plan.shares] == [LLAMA]
    assert place(catalog, [LLAMA, CODE], Home(tmp_path), served={AWQ, LLAMA}, device=held).plan is None


def test_a_model_that_is_asked_for_itself_does_not_stand_in_for_another(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=f"{CODE} and {AWQ} do not fit"):
        place(catalog, [CODE, AWQ], Home(tmp_path), device=A100_40)


def test_models_for_the_cpu_need_no_card(catalog: Catalog, tmp_path: Path) -> None:
    names = catalog.roles("cpu").values()
    assert place(catalog, names, Home(tmp_path)) == Placement({name: name for name in names})


def test_pulled_weights_are_measured(catalog: Catalog, tmp_path: Path) -> None:
    home = Home(tmp_path)
    entry = catalog.entry(LLAMA)
    assert demand(entry, home) == Demand(LLAMA, 16_060_000_000, 131_072, 8192)
    config = {"num_hidden_layers": 3, "num_attention_heads": 8, "num_key_value_heads": 2, "hidden_size": 64}
    pulled(home, LLAMA, config, 1000, 500)
    assert demand(entry, home) == Demand(LLAMA, 1500, 2 * 3 * 2 * 8 * 2, 8192)  # 64 / 8 = 8 for each head


@pytest.mark.parametrize(
    ("config", "per_token"),
    [
        ({"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64}, 2 * 2 * 4 * 16 * 2),
        ({"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "head_dim": 32}, 2 * 2 * 4 * 32 * 2),
        ({"text_config": {"num_hidden_layers": 1, "num_attention_heads": 1, "hidden_size": 8}}, 2 * 1 * 1 * 8 * 2),
        ({"n_layer": 2}, 131_072),  # another form: models.toml is taken at its word
        (None, 131_072),
    ],
)
def test_the_shape_is_read_from_the_weights_own_config(
    catalog: Catalog, tmp_path: Path, config: dict[str, Any] | None, per_token: int
) -> None:
    pulled(Home(tmp_path), LLAMA, config, 1000, 500)
    assert demand(catalog.entry(LLAMA), Home(tmp_path)).per_token == per_token


def test_a_model_of_unknown_size_is_named(tmp_path: Path) -> None:
    entry = Entry.model_validate(
        {"name": "mine", "backend": "vllm", "huggingface": {"repository": "me/mine", "patterns": ["*.safetensors"]}}
    )
    with pytest.raises(ModelError, match="nothing tells how large mine is") as caught:
        demand(entry, Home(tmp_path))
    assert caught.value.hint == "run: chattygen pull-model mine, or give it weights_bytes and shape in models.toml"


def test_requests_in_flight_follow_the_least_of_the_servers(catalog: Catalog, tmp_path: Path) -> None:
    placement = place(catalog, [LLAMA, CODE], Home(tmp_path), device=A100_40)
    vllm = [catalog.entry(LLAMA), catalog.entry(AWQ)]
    assert requests_at_once(vllm, placement) == 6
    assert requests_at_once(vllm, Placement({})) == 16  # served already
    embedding = catalog.entry("all-minilm-l6-v2")
    assert requests_at_once([*vllm, embedding], placement) == 6
    assert requests_at_once([embedding], placement) == 1


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_llama_cpp_python_takes_one_request_at_a_time(tmp_path: Path) -> None:
    catalog = load_catalog(Home(tmp_path), engine="llama-cpp-python")
    small, large = catalog.entry("qwen2.5-coder-1.5b-instruct"), catalog.entry(LLAMA)
    assert requests_at_once([small, large], Placement({})) == 1


@pytest.mark.parametrize(("keys", "requests"), [({}, 1), ({"concurrency": 32}, 32), ({"dialect": "vllm"}, 16)])
def test_an_endpoint_takes_what_its_entry_says(keys: dict[str, object], requests: int) -> None:
    table = {"name": "mine", "backend": "endpoint", "endpoint": "http://127.0.0.1:9/v1", **keys}
    assert requests_at_once([Entry.model_validate(table)], Placement({})) == requests
