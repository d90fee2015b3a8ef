"""The numpy forward pass of all-MiniLM-L6-v2."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chattygen.config import Home
from chattygen.errors import UsageError
from chattygen.models.catalog import load_catalog
from chattygen.models.embedding import MiniLM, erf, gelu
from chattygen.models.obtain import load_embedder


@pytest.fixture(scope="module")
def minilm(weights_home: Home) -> MiniLM:
    embedder = load_embedder(load_catalog(weights_home).entry("all-minilm-l6-v2"), weights_home)
    assert isinstance(embedder, MiniLM)
    return embedder


def dot(one: list[float], other: list[float]) -> float:
    return float(np.dot(one, other))


def test_erf_is_accurate_to_a_millionth() -> None:
    points = np.linspace(-6, 6, 2001)
    worst = max(abs(float(found) - math.erf(float(x))) for x, found in zip(points, erf(points), strict=True))
    assert worst < 1e-6


def test_gelu_at_values_known_from_the_normal_distribution() -> None:
    # x P(X <= x): P(X <= 1) = 0.8413447, P(X <= -2) = 0.0227501
    found = gelu(np.array([0.0, 1.0, -2.0], dtype=np.float32))
    assert found.tolist() == pytest.approx([0.0, 0.8413447, -0.0455003], abs=1e-6)


def test_vectors_have_unit_length_and_384_dimensions(minilm: MiniLM) -> None:
    vectors = minilm.embed(["death date", "", "Wer schrieb den Faust? 誰が書いた", "word " * 500])
    assert [len(vector) for vector in vectors] == [384] * 4
    assert [math.sqrt(dot(v, v)) for v in vectors] == pytest.approx([1.0] * 4, abs=1e-5)
    assert minilm.embed([]) == []


def test_padding_and_batches_do_not_change_a_vector(minilm: MiniLM) -> None:
    texts = [f"question number {'very ' * (n % 7)}{n}" for n in range(40)]
    together = minilm.embed(texts)
    alone = [minilm.embed([text])[0] for text in texts]
    assert np.abs(np.array(together) - np.array(alone)).max() < 1e-5


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("When did the man die?", "death date", "birth place"),
        ("Where was the woman born?", "birth place", "death date"),
        ("Who wrote the song?", "composer", "number of pages"),
    ],
)
def test_a_question_is_nearer_to_its_fact(minilm: MiniLM, question: str, near: str, far: str) -> None:
    asked, fitting, other = minilm.embed([question, near, far])
    assert dot(asked, fitting) > dot(asked, other) + 0.1


def test_a_language_model_is_no_embedder(weights_home: Home) -> None:
    with pytest.raises(UsageError, match="smollm2-135m-instruct is not a sentence embedding"):
        load_embedder(load_catalog(weights_home).entry("smollm2-135m-instruct"), weights_home)
