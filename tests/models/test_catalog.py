"""models.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.errors import ConfigError, UnknownName
from chattygen.models.catalog import ROLES, load_catalog, names_for

REPOSITORY = Path(__file__).parents[2]

SMALL = """
[models.talker]
backend = "scripted"
script = "talk.toml"
[models.other]
backend = "endpoint"
endpoint = "http://127.0.0.1:9/v1"
[models.vectors]
backend = "embedding"
files = [{ name = "model.safetensors" }, { name = "tokenizer.json" }]
[roles.cpu]
label = "talker"
questions = "talker"
sparql = "other"
dialogue = "talker"
verify = "vectors"
judge = "talker"
"""


def home_with(tmp_path: Path, text: str) -> Home:
    (tmp_path / "models.toml").write_text(text)
    return Home(tmp_path)


def test_the_models_that_come_with_chattygen(tmp_path: Path) -> None:
    catalog = load_catalog(Home(tmp_path))
    assert catalog.source == REPOSITORY / "models.toml"
    assert catalog.allow == ()
    cpu, gpu = catalog.roles("cpu"), catalog.roles("gpu")
    assert cpu == dict.fromkeys(ROLES, "qwen2.5-coder-1.5b-instruct") | {"verify": "all-minilm-l6-v2"}
    assert gpu["questions"] == gpu["label"] == gpu["dialogue"] == "llama-3-8b-instruct"
    assert gpu["sparql"] == "codellama-13b-instruct"
    assert catalog.entry("qwen2.5-coder-1.5b-instruct").size == 1_117_320_768
    assert catalog.entry("all-minilm-l6-v2").size == 90_868_376 + 466_247
    assert catalog.entry("llama-3-8b-instruct").size is None


def test_the_file_in_the_home_stands_alone_and_an_explicit_one_goes_first(tmp_path: Path) -> None:
    home = home_with(tmp_path, SMALL)
    assert load_catalog(home).names == ["talker", "other", "vectors"]
    assert load_catalog(home).entry("talker").script == tmp_path / "talk.toml"
    assert "talker" not in load_catalog(home, REPOSITORY / "models.toml").names


def test_overrides_change_single_roles(tmp_path: Path) -> None:
    catalog = load_catalog(home_with(tmp_path, SMALL))
    roles = catalog.roles("cpu", {"dialogue": "other"})
    assert roles["dialogue"] == "other"
    assert roles["questions"] == "talker"


@pytest.mark.parametrize(
    ("overrides", "error", "message"),
    [
        ({"poetry": "talker"}, UnknownName, "no role is called 'poetry'"),
        ({"dialogue": "nobody"}, UnknownName, "no model is called 'nobody'; there are: other, talker, vectors"),
        ({"verify": "talker"}, ConfigError, "override of verify: got 'talker'"),
        ({"questions": "vectors"}, ConfigError, "override of questions: got 'vectors'"),
    ],
)
def test_a_wrong_override_is_named(
    tmp_path: Path, overrides: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load_catalog(home_with(tmp_path, SMALL)).roles("cpu", overrides)


def test_a_profile_that_the_file_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"models\.toml: key roles\.gpu: got nothing"):
        load_catalog(home_with(tmp_path, SMALL)).roles("gpu")


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('backend = "scripted"', 'backend = "ollama"', "key models.talker.backend: got 'ollama'", "'llama-cpp'"),
        ('script = "talk.toml"', 'skript = "talk.toml"', "unknown key models.talker.skript", "script"),
        ('script = "talk.toml"', "", "key models.talker: got", "backend 'scripted' needs the key 'script'"),
        (
            'script = "talk.toml"',
            'script = "t"\ndialect = "vllm"',
            "key models.talker: got",
            "belongs to backend 'endpoint'",
        ),
        ('/v1"', '/v1"\ndialect = "ollama"', "key models.other.dialect: got 'ollama'", "'vllm'"),
        ('verify = "vectors"', 'verify = "talker"', "key roles.cpu.verify: got 'talker'", "one of: vectors"),
        ('judge = "talker"', 'judge = "nobody"', "key roles.cpu.judge: got 'nobody'", "one of: talker, other"),
        ('judge = "talker"', "", "key roles.cpu.judge: got", "Field required"),
        ("[models.talker]", '[models."../talker"]', "key models.../talker", "match pattern"),
        ('name = "tokenizer.json"', 'name = "../x"', "key models.vectors.files.1.name: got '../x'", "match pattern"),
    ],
)
def test_a_wrong_key_is_named_with_what_was_expected(
    tmp_path: Path, old: str, new: str, message: str, hint: str
) -> None:
    assert old in SMALL
    with pytest.raises(ConfigError) as caught:
        load_catalog(home_with(tmp_path, SMALL.replace(old, new)))
    assert caught.value.message.startswith(str(tmp_path / "models.toml"))
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_words_become_distinct_models(tmp_path: Path) -> None:
    catalog = load_catalog(home_with(tmp_path, SMALL))
    assert names_for(catalog, [], "cpu") == ["talker", "other", "vectors"]
    assert names_for(catalog, ["sparql", "label", "talker"], "cpu") == ["other", "talker"]
    with pytest.raises(UnknownName, match="'nobody' is neither a role nor a model"):
        names_for(catalog, ["nobody"], "cpu")


VLLM = """
[models.{name}]
backend = "vllm"
huggingface = {{ repository = "me/{name}", patterns = ["*.safetensors"] }}
{keys}
"""


def test_smaller_models_stand_in_one_after_the_other(tmp_path: Path) -> None:
    text = "".join(
        VLLM.format(name=name, keys=keys)
        for name, keys in [
            ("large", 'smaller = "medium"\nshape = { layers = 2, kv_heads = 3, head_dim = 4 }\nweights_bytes = 9'),
            ("medium", 'smaller = "small"\nquantisation = "fp8"\nconcurrency = 4'),
            ("small", 'chat_template = "{{ messages }}"'),
        ]
    )
    catalog = load_catalog(home_with(tmp_path, text))
    assert [entry.name for entry in catalog.stand_ins("large")] == ["large", "medium", "small"]
    assert [entry.name for entry in catalog.stand_ins("small")] == ["small"]
    large, medium = catalog.entry("large"), catalog.entry("medium")
    assert large.shape is not None
    assert (large.shape.layers, large.shape.kv_heads, large.shape.head_dim, large.weights_bytes) == (2, 3, 4, 9)
    assert (medium.quantisation, medium.concurrency) == ("fp8", 4)


def test_code_llama_has_a_stand_in_of_the_same_shape() -> None:
    catalog = load_catalog(Home(Path("/nowhere")), REPOSITORY / "models.toml")
    full, quantised = catalog.stand_ins("codellama-13b-instruct")
    assert quantised.quantisation == "awq"
    assert quantised.shape == full.shape
    assert catalog.stand_ins("llama-3-8b-instruct") == [catalog.entry("llama-3-8b-instruct")]


@pytest.mark.parametrize(
    ("keys", "message", "hint"),
    [
        ('smaller = "talker"', "key models.large.smaller: got 'talker'", "backend 'vllm': tiny"),
        ('smaller = "nobody"', "key models.large.smaller: got 'nobody'", "backend 'vllm': tiny"),
        ('smaller = "large"', "key models.large.smaller: got 'large'", "backend 'vllm': tiny"),
        ("concurrency = 0", "key models.large.concurrency: got 0", "greater than or equal to 1"),
        ("weights_bytes = 0", "key models.large.weights_bytes: got 0", "greater than 0"),
        ("shape = { layers = 2, kv_heads = 3 }", "key models.large.shape.head_dim: got", "Field required"),
        ("shape = { heads = 2 }", "key models.large.shape.layers: got", "Field required"),
        ('quantization = "awq"', "unknown key models.large.quantization (got 'awq')", "quantisation"),
    ],
)
def test_a_wrong_key_of_a_vllm_model_is_named(tmp_path: Path, keys: str, message: str, hint: str) -> None:
    text = SMALL + VLLM.format(name="large", keys=keys) + VLLM.format(name="tiny", keys="")
    with pytest.raises(ConfigError) as caught:
        load_catalog(home_with(tmp_path, text))
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_models_that_stand_in_for_each_other_are_named(tmp_path: Path) -> None:
    one, other = VLLM.format(name="one", keys='smaller = "other"'), VLLM.format(name="other", keys='smaller = "one"')
    with pytest.raises(ConfigError, match=r"key models\.other\.smaller: got 'one'") as caught:
        load_catalog(home_with(tmp_path, one + other))
    assert caught.value.hint == "expected another model of backend 'vllm': there is none"


def test_a_key_of_vllm_elsewhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_catalog(home_with(tmp_path, SMALL.replace("[models.vectors]", "[models.vectors]\nweights_bytes = 5")))
    assert "key models.vectors: got" in caught.value.message
    assert caught.value.hint == "expected: no key 'weights_bytes', which belongs to backend 'vllm'"
