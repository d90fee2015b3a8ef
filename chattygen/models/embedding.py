"""Sentence embedding with all-MiniLM-L6-v2 on the CPU: the forward pass of its BERT in numpy.

The verifier (rule Q8) compares a question with the facts it could ask. 22 million parameters need no framework: the
weights are read from safetensors, the tokens come from `tokenizers`. After Reimers and Gurevych, Sentence-BERT (2019):
mean pooling over the tokens, then unit length. Knows nothing about questions or facts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LAYERS, HEADS, WIDTH = 6, 12, 384
MAX_TOKENS = 128
"""Longer texts are cut, as the model was trained."""

REMEMBERED = 2_000
"""Vectors kept in memory, some 25 MB at the most."""

BATCH = 32
EPSILON = 1e-12


class MiniLM:
    """Implements `model.Embedder`.

    Args:
        name: the entry in models.toml.
        folder: holds model.safetensors and tokenizer.json.
    """

    def __init__(self, name: str, folder: Path) -> None:
        # Before numpy is imported: its threads and those of a model server spin against each other.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.name = name
        self._weights: dict[str, Any] = load_file(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `model.Embedder`; dimension 384. Vectors are remembered: the facts of a seed come with each question."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            self._known.update(zip(batch, self._batch(batch).tolist(), strict=True))
        return [self._known[text] for text in texts]

    def _batch(self, texts: Sequence[str]) -> Floats:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([e.ids for e in encoded])
        mask = np.array([e.attention_mask for e in encoded], dtype=np.float32)
        hidden = self._embeddings(ids)
        # Added to the attention scores: a padding token gets none of the attention.
        unseen = (1.0 - mask)[:, None, None, :] * np.float32(-1e9)
        for layer in range(LAYERS):
            hidden = self._layer(f"encoder.layer.{layer}", hidden, unseen)
        pooled: Floats = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
        return pooled

    def _embeddings(self, ids: NDArray[np.int64]) -> Floats:
        word = self._weights["embeddings.word_embeddings.weight"][ids]
        position = self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        return self._norm("embeddings.LayerNorm", word + position + segment)

    def _layer(self, name: str, hidden: Floats, unseen: Floats) -> Floats:
        """One transformer block: attention, then two dense layers, each added to its input and normalised."""
        mixed = self._attention(f"{name}.attention.self", hidden, unseen)
        attended = self._dense(f"{name}.attention.output.dense", mixed)
        hidden = self._norm(f"{name}.attention.output.LayerNorm", hidden + attended)
        inner = gelu(self._dense(f"{name}.intermediate.dense", hidden))
        return self._norm(f"{name}.output.LayerNorm", hidden + self._dense(f"{name}.output.dense", inner))

    def _attention(self, name: str, hidden: Floats, unseen: Floats) -> Floats:
        """Self-attention over (batch, tokens, width); `unseen` is (batch, 1, 1, tokens)."""
        import numpy as np

        batch, tokens, _ = hidden.shape

        def heads(part: str) -> Floats:
            return self._dense(f"{name}.{part}", hidden).reshape(batch, tokens, HEADS, -1).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32((WIDTH / HEADS) ** 0.5) + unseen
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed: Floats = (weights @ heads("value")).transpose(0, 2, 1, 3).reshape(batch, tokens, WIDTH)
        return mixed

    def _dense(self, name: str, values: Floats) -> Floats:
        result: Floats = values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, name: str, values: Floats) -> Floats:
        import numpy as np

        centred = values - values.mean(-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(EPSILON))
        result: Floats = centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def gelu(values: Floats) -> Floats:
    """The Gaussian error linear unit, x P(X <= x)."""
    import numpy as np

    return values * np.float32(0.5) * (1 + erf(values / np.float32(2**0.5)))


def erf(values: Floats) -> Floats:
    """The error function, to 1.5e-7 (Abramowitz and Stegun, 7.1.26); numpy has none."""
    import numpy as np

    size = np.abs(values)
    t = 1 / (1 + 0.3275911 * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    result: Floats = np.sign(values) * (1 - series * np.exp(-(size**2)))
    return result
