"""The vectors of tokens: the ``tok2vec`` of spaCy's entity recognizer as a graph for ONNX Runtime, on its own weights.

spaCy's library of products packs each matrix anew for every text, which for a short one is most of the time, and ONNX
Runtime once. The layers are those of ``spacy.MultiHashEmbed.v2`` and ``spacy.MaxoutWindowEncoder.v2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sealgate.models.errors import DetectionFailed

Floats = NDArray[np.float32]

_SHAPE: Final = ["hashembed"] * 4 + ["maxout", "layernorm"] * 5 + ["linear"]
"""The layers with weights, in order: four tables, their mixing, four convolutions, and the output."""

_AROUND: Final = 4
"""Empty tokens around each document, one for each convolution: what is further away has no influence."""

_EPSILON: Final = 1e-8
"""What thinc's layer normalisation adds to a variance."""


class Encoder:
    """Makes vectors of documents' tokens. ``model`` is a recognizer's ``tok2vec`` and ``ops`` what hashes its features.
    Raises ``DetectionFailed`` for a model of another shape than spaCy's small ones."""

    def __init__(self, model: Any, ops: Any) -> None:
        layers = list(model.walk(order="dfs_pre"))
        weighted = [layer for layer in layers if layer.param_names]
        windows = [layer.attrs["window_size"] for layer in layers if layer.name == "expand_window"]
        if [layer.name for layer in weighted] != _SHAPE or windows != [1] * _AROUND:
            raise DetectionFailed("spacy", "OtherShape")
        self._hash = ops.hash
        self._columns = next(layer.attrs["columns"] for layer in layers if layer.name == "extract_features")
        self._tables = [(layer.get_param("E").shape[0], layer.attrs["seed"]) for layer in weighted[:4]]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        graph = _Builder().build(weighted)
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def vectors(self, documents: Sequence[Any]) -> Floats:
        """A row for each token of the documents (of the pipeline's tokenizer), one document after another."""
        ids = [document.to_array(self._columns).astype(np.uint64).reshape(-1, 4) for document in documents]
        ends = np.cumsum([len(each) + _AROUND for each in ids])
        places = [np.arange(end - len(each), end) for end, each in zip(ends, ids, strict=True)]
        place = np.concatenate([*places, np.zeros(0, dtype=np.intp)]).astype(np.intp)
        size = int(ends[-1]) + _AROUND if len(ends) else _AROUND
        present = np.zeros((size, 1), dtype=np.float32)
        present[place] = 1.0
        inputs = {"present": present, **self._rows(np.concatenate([*ids, np.zeros((0, 4), np.uint64)]), place, size)}
        found: Floats = self._session.run(None, inputs)[0][place]
        return found

    def _rows(self, ids: NDArray[np.uint64], place: NDArray[np.intp], size: int) -> dict[str, NDArray[np.int64]]:
        """For each table the four rows of each token."""
        rows: dict[str, NDArray[np.int64]] = {}
        for number, (length, seed) in enumerate(self._tables):
            rows[f"rows{number}"] = np.zeros((size, 4), dtype=np.int64)
            rows[f"rows{number}"][place] = self._hash(np.ascontiguousarray(ids[:, number]), seed) % length
        return rows


class _Builder:
    """Writes the graph. Inputs: ``present`` (float, tokens by 1: 0 for an empty one) and ``rows0`` to ``rows3`` (int64,
    tokens by 4)."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._weights: list[Any] = []

    def build(self, weighted: Sequence[Any]) -> bytes:
        mixed = self._maxout(self._embedded(weighted[:4]), weighted[4], weighted[5], "mixed")
        x = self._op("Mul", [mixed, "present"], "x")
        for number in range(_AROUND):
            maxout, norm = weighted[6 + 2 * number : 8 + 2 * number]
            seen = self._maxout(self._windows(x, f"w{number}"), maxout, norm, f"c{number}")
            x = self._op("Add", [x, seen], f"x{number}")
        output = weighted[14]
        product = self._op("MatMul", [x, self._weight("out", output.get_param("W").T)], "product")
        vectors = self._op("Add", [product, self._weight("out.b", output.get_param("b"))], "vectors")
        rows = [helper.make_tensor_value_info(f"rows{n}", TensorProto.INT64, ["tokens", 4]) for n in range(4)]
        present = helper.make_tensor_value_info("present", TensorProto.FLOAT, ["tokens", 1])
        found = helper.make_tensor_value_info(vectors, TensorProto.FLOAT, ["tokens", "width"])
        graph = helper.make_graph(self._nodes, "tok2vec", [present, *rows], [found], self._weights)
        opsets = [helper.make_opsetid("", 17)]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())

    def _embedded(self, tables: Sequence[Any]) -> str:
        """The four rows of each table summed, side by side."""
        axis = self._weight("axis", np.array([1], dtype=np.int64))
        parts = []
        for number, table in enumerate(tables):
            rows = [self._weight(f"table{number}", table.get_param("E")), f"rows{number}"]
            looked_up = self._op("Gather", rows, f"looked_up{number}")
            parts.append(self._op("ReduceSum", [looked_up, axis], f"embedded{number}", keepdims=0))
        return self._op("Concat", parts, "embedded", axis=1)

    def _windows(self, x: str, name: str) -> str:
        """Each token between its neighbours."""
        pads = [self._weight(f"{name}.{side}", np.array(pad, dtype=np.int64)) for side, pad in _SHIFTS.items()]
        before, after = (self._op("Pad", [x, pad], f"{pad}.x") for pad in pads)
        return self._op("Concat", [before, x, after], f"{name}.all", axis=1)

    def _maxout(self, x: str, maxout: Any, norm: Any, name: str) -> str:
        """The largest of each output's pieces, normalised."""
        weights = maxout.get_param("W")
        outputs, pieces, width = weights.shape
        product = self._op(
            "MatMul", [x, self._weight(f"{name}.w", weights.reshape(outputs * pieces, width).T)], f"{name}.product"
        )
        summed = self._op("Add", [product, self._weight(f"{name}.b", maxout.get_param("b").ravel())], f"{name}.summed")
        shape = self._weight(f"{name}.shape", np.array([-1, outputs, pieces], dtype=np.int64))
        split = self._op("Reshape", [summed, shape], f"{name}.split")
        best = self._op("ReduceMax", [split], f"{name}.best", axes=[2], keepdims=0)
        scale, shift = (self._weight(f"{name}.norm.{part}", norm.get_param(part)) for part in ("G", "b"))
        return self._op("LayerNormalization", [best, scale, shift], f"{name}.normal", epsilon=_EPSILON)

    def _weight(self, name: str, value: NDArray[Any]) -> str:
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _op(self, kind: str, inputs: list[str], output: str, **fields: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], **fields))
        return output


_SHIFTS: Final = {"before": [1, 0, -1, 0], "after": [-1, 0, 1, 0]}
"""The padding that puts the previous or the next token in each one's place."""
