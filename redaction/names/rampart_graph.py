"""The rampart model's weights in a faster graph: 8-bit products with fused attention, rebuilt in memory at load.

The shipped file keeps 4-bit blocks (``MatMulNBits``), which ONNX Runtime multiplies slowly on CPUs. Each matrix is
unpacked once and quantised to 7 bits a column (the eighth would saturate on AVX2); the result labels tokens like the
shipped graph. Changed from the original by that, which its licence (CC BY 4.0) asks us to say.

Large weights are handed to ONNX Runtime as they are, beside the graph: written into it they would be copied thrice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

LAYERS: Final = 6
HEADS: Final = 12
_EPSILON: Final = 1e-12
_LARGEST: Final = 63
"""Of a 7-bit signed weight."""

_INLINE: Final = 4_096
"""Bytes of the largest weight that is written into the graph, where shapes are read before a run."""

_MS: Final = "com.microsoft"

Floats = NDArray[np.float32]


class Graph(NamedTuple):
    """A serialised graph, and the weights that it only names."""

    model: bytes
    weights: dict[str, NDArray[Any]]


def faster_graph(path: Path) -> Graph:
    """The graph with the inputs ``input_ids`` (int64, batch by tokens) and ``seen`` (int32, the same shape: 1 for a
    token, 0 for padding) and the output ``logits``, from the shipped file."""
    return _Builder(onnx.load(str(path))).build()


class _Builder:
    def __init__(self, model: Any) -> None:
        self._tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self._products = {node.output[0]: node for node in model.graph.node if node.op_type == "MatMulNBits"}
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._beside: dict[str, NDArray[Any]] = {}

    def build(self) -> Graph:
        x = self._embeddings()
        for layer in range(LAYERS):
            x = self._layer(x, f"bert.encoder.layer.{layer}")
        logits = self._product(x, ["/classifier/MatMul_output_0"], ["classifier.bias"], "logits")
        graph = helper.make_graph(
            self._nodes,
            "rampart",
            [
                helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"]),
                helper.make_tensor_value_info("seen", TensorProto.INT32, ["batch", "tokens"]),
            ],
            [helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["batch", "tokens", "labels"])],
            self._weights,
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_MS, 1)]
        return Graph(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString(), self._beside)

    def _embeddings(self) -> str:
        self._weight("positions", self._table("position") + self._table("token_type")[:1])
        self._weight("zero", np.array([0], dtype=np.int64))
        self._weight("one", np.array([1], dtype=np.int64))
        self._weight("two", np.array([2], dtype=np.int64))
        self._op("Shape", ["input_ids"], "shape")
        self._op("Slice", ["shape", "one", "two"], "length")
        self._op("Slice", ["positions", "zero", "length", "zero"], "placed")
        words, *steps = self._words()
        small = self._op("Gather", [words, "input_ids"], "small")
        self._op("DequantizeLinear", [small, *steps], "looked_up")
        self._op("Add", ["looked_up", "placed"], "embedded")
        scale, bias = self._norm("bert.embeddings.LayerNorm")
        return self._op("LayerNormalization", ["embedded", scale, bias], "x", epsilon=_EPSILON)

    def _words(self) -> tuple[str, str, str]:
        """The embeddings of words in the 8 bits that they are stored in, their scale and their zero. As floats they
        would be three quarters of the model."""
        prefix = "bert.embeddings.word_embeddings.weight"
        table, scale, zero = (self._tensors[f"{prefix}_{part}"] for part in ("quantized", "scale", "zero_point"))
        return self._weight("words", table), self._weight("words.s", scale), self._weight("words.z", zero)

    def _table(self, name: str) -> Floats:
        """An embedding table, which is stored in 8 bits."""
        prefix = f"bert.embeddings.{name}_embeddings.weight"
        table = self._tensors[f"{prefix}_quantized"].astype(np.float32)
        zero = self._tensors[f"{prefix}_zero_point"].astype(np.float32)
        return np.asarray((table - zero) * self._tensors[f"{prefix}_scale"], dtype=np.float32)

    def _layer(self, x: str, name: str) -> str:
        path = "/" + name.removeprefix("bert.").replace(".", "/").replace("encoder/layer/", "bert/encoder/layer.")
        attention = f"{name}.attention"
        packed = self._product(
            x,
            [f"{path}/attention/self/{part}/MatMul_output_0" for part in ("query", "key", "value")],
            [f"{attention}.self.{part}.bias" for part in ("query", "key", "value")],
            f"{name}.packed",
        )
        self._split(packed, name)
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        attended = self._op("MultiHeadAttention", [*parts, "", "seen"], f"{name}.attended", _MS, num_heads=HEADS)
        out = self._product(
            attended,
            [f"{path}/attention/output/dense/MatMul_output_0"],
            [f"{attention}.output.dense.bias"],
            f"{name}.out",
        )
        first = self._skip_norm(out, x, f"{attention}.output.LayerNorm", f"{name}.first")
        up = self._product(first, [f"{path}/intermediate/dense/MatMul_output_0"], [], f"{name}.up")
        bias = self._weight(f"{name}.up.bias", self._tensors[f"{name}.intermediate.dense.bias"])
        wide = self._op("BiasGelu", [up, bias], f"{name}.wide", _MS)
        down = self._product(
            wide, [f"{path}/output/dense/MatMul_output_0"], [f"{name}.output.dense.bias"], f"{name}.down"
        )
        return self._skip_norm(down, first, f"{name}.output.LayerNorm", f"{name}.x")

    def _split(self, packed: str, name: str) -> None:
        outputs = [f"{name}.{part}" for part in ("query", "key", "value")]
        sizes = self._weight(f"{name}.sizes", np.array([384, 384, 384], dtype=np.int64))
        self._nodes.append(helper.make_node("Split", [packed, sizes], outputs, axis=2))

    def _skip_norm(self, value: str, skip: str, norm: str, output: str) -> str:
        scale, bias = self._norm(norm)
        return self._op("SkipLayerNormalization", [value, skip, scale, bias], output, _MS, epsilon=_EPSILON)

    def _norm(self, name: str) -> tuple[str, str]:
        scale = self._weight(f"{name}.weight", self._tensors[f"{name}.weight"])
        return scale, self._weight(f"{name}.bias", self._tensors[f"{name}.bias"])

    def _product(self, value: str, products: list[str], biases: list[str], output: str) -> str:
        """``value`` times the named matrices side by side, plus their biases."""
        matrix = np.concatenate([self._unpacked(self._products[name]) for name in products], axis=1)
        scale = np.abs(matrix).max(axis=0) / _LARGEST
        scale[scale == 0] = 1.0
        small = np.rint(matrix / scale).astype(np.int8)
        inputs = [
            value,
            self._weight(f"{output}.w", small),
            self._weight(f"{output}.s", scale.astype(np.float32)),
            self._weight(f"{output}.z", np.zeros(len(scale), dtype=np.int8)),
        ]
        if biases:
            bias = np.concatenate([self._tensors[name] for name in biases])
            inputs.append(self._weight(f"{output}.b", bias))
        return self._op("DynamicQuantizeMatMul", inputs, output, _MS)

    def _unpacked(self, node: Any) -> Floats:
        """The matrix of a ``MatMulNBits`` node: 4-bit blocks with a scale each and 8 as zero."""
        fields = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        columns, rows = fields["N"], fields["K"]
        blocks = self._tensors[node.input[1]]
        halves = np.stack([blocks & 0xF, blocks >> 4], axis=-1).reshape(columns, -1, fields["block_size"])
        scales = self._tensors[node.input[2]].reshape(columns, -1, 1)
        full: Floats = ((halves.astype(np.float32) - 8.0) * scales).reshape(columns, -1)[:, :rows].T
        return full

    def _weight(self, name: str, value: NDArray[Any]) -> str:
        value = np.ascontiguousarray(value)
        if value.nbytes > _INLINE:
            self._beside[name] = value
            self._weights.append(_named(name, value))
        else:
            self._weights.append(numpy_helper.from_array(value, name))
        return name

    def _op(self, kind: str, inputs: list[str], output: str, domain: str = "", **fields: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **fields))
        return output


def _named(name: str, value: NDArray[Any]) -> Any:
    """A weight of which the graph holds the name, the type and the shape. ONNX asks for a file of the rest, and none is
    read: the session is given the weight itself."""
    tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(value.dtype), dims=value.shape)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="none")
    return tensor
