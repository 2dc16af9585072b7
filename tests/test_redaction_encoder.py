"""The vectors of our graph are those of spaCy's own layers, but for the order of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sealgate.models.errors import DetectionFailed
from sealgate.redaction.names.encoder import Encoder
from sealgate.redaction.names.ner import load_ner

TEXTS = ("I am Ada Lovelace", "", "London\n is  here", "😀", " ", "My card is 4929-1182-3345-9921, isn't it? " * 20)


@pytest.fixture(scope="module")
def recognizer() -> Any:
    return load_ner().pipeline.get_pipe("ner")


@pytest.fixture(scope="module")
def encoder(recognizer: Any) -> Encoder:
    return Encoder(recognizer.model.get_ref("tok2vec"), recognizer.model.ops)


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:1], TEXTS[1:2], TEXTS[::-1], ()])
def test_vectors_are_spacys(encoder: Encoder, recognizer: Any, texts: tuple[str, ...]) -> None:
    pipeline = load_ner().pipeline
    with pipeline.memory_zone():
        documents = [pipeline.tokenizer(text) for text in texts]
        ours = encoder.vectors(documents)
        theirs = recognizer.model.get_ref("tok2vec").predict(documents) if any(texts) else np.zeros((0, 64))
    assert ours.shape == theirs.shape
    assert np.allclose(ours, theirs, rtol=0, atol=1e-4)


def test_neighbours_in_a_batch_have_no_influence(encoder: Encoder) -> None:
    pipeline = load_ner().pipeline
    with pipeline.memory_zone():
        documents = [pipeline.tokenizer(text) for text in ("I am Ada", "met Charles Babbage", "in London")]
        together = encoder.vectors(documents)
        alone = np.concatenate([encoder.vectors([document]) for document in documents])
    assert np.allclose(together, alone, rtol=0, atol=1e-4)


def test_a_model_of_another_shape_is_refused(recognizer: Any) -> None:
    with pytest.raises(DetectionFailed):
        Encoder(recognizer.model.get_ref("upper"), recognizer.model.ops)
