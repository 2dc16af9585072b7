"""Standard input and output as bytes, within a bound."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.gateway.cli import streams
from sealgate.models.errors import InvalidInput, LimitExceeded


class Standard(io.TextIOWrapper):
    """A standard stream over bytes in memory."""


@given(st.binary(max_size=200))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_byte_comes_back(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        output = io.BytesIO()
        patch.setattr("sys.stdin", Standard(io.BytesIO(data)))
        patch.setattr("sys.stdout", Standard(output))
        streams.write_text(streams.read_text())
        assert output.getvalue() == data


def test_a_longer_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_INPUT", 10)
    monkeypatch.setattr("sys.stdin", Standard(io.BytesIO(b"x" * 10)))
    assert streams.read_text() == "x" * 10
    monkeypatch.setattr("sys.stdin", Standard(io.BytesIO(b"x" * 11)))
    with pytest.raises(LimitExceeded) as caught:
        streams.read_text()
    assert caught.value.limit == 10


@pytest.mark.parametrize("closed", [None, "closed"])
def test_a_closed_input_is_refused(closed: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = None if closed is None else Standard(io.BytesIO())
    if stream is not None:
        stream.close()
    monkeypatch.setattr("sys.stdin", stream)
    with pytest.raises(InvalidInput, match="closed"):
        streams.read_text()


def test_json_is_one_line_of_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr("sys.stdout", Standard(output))
    streams.write_json({"text": "é\n\udcff\u2028"})
    assert output.getvalue().isascii()
    assert output.getvalue().count(b"\n") == 1
    assert json.loads(output.getvalue()) == {"text": "é\n\udcff\u2028"}
