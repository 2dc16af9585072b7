"""The greedy reading of spaCy's entity recognizer: its model's weights, and one choice a token.

spaCy (3.8) does the same in compiled code that takes the global lock of Python for each of 74 classes at every token,
which is three quarters of the time of its ``ner`` component. Here the classes of all tokens outside of an entity are
scored at once, and the few inside of one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sealgate.models.errors import DetectionFailed

from .encoder import Encoder, Floats


class Entity(NamedTuple):
    """A label, and the code points from ``start`` to before ``end``."""

    label: str
    start: int
    end: int


class Transitions:
    """Reads entities off documents that nothing was annotated in. Raises ``DetectionFailed`` for a pipeline whose
    recognizer is not of the shape of spaCy's small models."""

    def __init__(self, pipeline: Any) -> None:
        recognizer = pipeline.get_pipe("ner")
        model = recognizer.model
        lower, upper = model.get_ref("lower"), model.get_ref("upper")
        if lower.get_dim("nF") != 3 or lower.get_dim("nP") < 2 or not model.attrs["has_upper"]:
            raise DetectionFailed("spacy", "OtherShape")
        if recognizer.cfg["beam_width"] != 1 or model.attrs["unseen_classes"]:
            raise DetectionFailed("spacy", "OtherReading")
        self._encoder, self._ops = Encoder(model.get_ref("tok2vec"), model.ops), model.ops
        self._shape = lower.get_dim("nO"), lower.get_dim("nP")
        width = self._shape[0] * self._shape[1]
        # Of the token, of the first token of the open entity, of the token before.
        self._token, self._first, self._previous = lower.get_param("W").reshape(3, width, -1)
        pads = lower.get_param("pad").reshape(3, width)
        self._bias = lower.get_param("b").reshape(width)
        self._outside = self._bias + pads[1] + pads[2]
        self._weights, self._class_bias = upper.get_param("W"), upper.get_param("b")
        self._classes = [
            recognizer.moves.get_class_name(number).partition("-")[::2] for number in range(len(self._class_bias))
        ]
        self._number = {name: number for number, name in enumerate(self._classes)}
        self._barred = self._where(lambda move, label: move in "IL" or (move == "U" and not label))
        self._begins = self._where(lambda move, _: move == "B")
        self._starts = self._where(lambda move, _: move in "BU")

    def _where(self, wanted: Any) -> NDArray[np.bool_]:
        return np.array([wanted(move, label) for move, label in self._classes])

    def read(self, documents: Sequence[Any]) -> list[list[Entity]]:
        """The entities of each document (a ``Doc`` of the pipeline's tokenizer), in order."""
        vectors = self._encoder.vectors(documents)
        tokens = self._ops.gemm(vectors, self._token, trans2=True)
        classes = self._chosen(tokens, documents)
        found: list[list[Entity]] = []
        at = 0
        for document in documents:
            after = at + len(document)
            spans = self._spans(vectors[at:after], tokens[at:after], classes[at:after])
            found.append([_entity(document, *span) for span in spans])
            at = after
        return found

    def _chosen(self, tokens: Floats, documents: Sequence[Any]) -> NDArray[np.intp]:
        """The class of each token, if no entity is open before it."""
        hidden = (tokens + self._outside).reshape(-1, *self._shape).max(axis=2)
        scores = self._ops.gemm(hidden, self._weights, trans2=True) + self._class_bias
        scores[:, self._barred] = -np.inf
        at = 0
        for document in documents:
            if len(document):
                spaces = np.flatnonzero(document.to_array("IS_SPACE")) + at
                scores[np.ix_(spaces, self._starts)] = -np.inf
                at += len(document)
                scores[at - 1, self._begins] = -np.inf
        best: NDArray[np.intp] = scores.argmax(axis=1)
        return best

    def _spans(self, vectors: Floats, tokens: Floats, classes: NDArray[np.intp]) -> Iterator[tuple[str, int, int]]:
        """Labels with the first and the last token of what they label."""
        last = -1
        for start in np.flatnonzero(classes != self._number["O", ""]).tolist():
            if start > last:
                move, label = self._classes[classes[start]]
                last = start if move == "U" else self._last(vectors, tokens, start, label)
                yield label, start, last

    def _last(self, vectors: Floats, tokens: Floats, start: int, label: str) -> int:
        """The last token of an entity that begins at ``start``, which is not the document's last token."""
        both = [self._number["I", label], self._number["L", label]]
        weights, bias = self._weights[both], self._class_bias[both]
        base = self._first @ vectors[start] + self._bias
        for token in range(start + 1, len(tokens) - 1):
            summed = tokens[token] + base + self._previous @ vectors[token - 1]
            goes_on, ends = weights @ summed.reshape(self._shape).max(axis=1) + bias
            if ends > goes_on:
                return token
        return len(tokens) - 1


def _entity(document: Any, label: str, first: int, last: int) -> Entity:
    start, end = document[first], document[last]
    return Entity(label, start.idx, end.idx + len(end))
