from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sealgate.gateway.events.plain import CYCLE, MAX_NODES, MAX_TEXT, TOO_DEEP, TRUNCATED, laid_out, plain
from sealgate.gateway.events.scrub import Known, scrub
from sealgate.models.messages import PrivateData


class Size(enum.IntEnum):
    SMALL = 1


class Point(NamedTuple):
    x: int
    y: object


class Item(BaseModel):
    name: str = "a"
    parts: list[int] = [1]


class Raising:
    def __getattr__(self, name: str) -> object:
        raise RuntimeError("secret text")


TABLE: list[tuple[object, object]] = [
    (None, None),
    (True, True),
    (1.5, 1.5),
    (float("nan"), "<float>"),
    (10**5000, "<int>"),
    (Size.SMALL, 1),
    (b"text", "text"),
    (b"\xff", "<bytes>"),
    (Point(1, {2}), {"x": 1, "y": [2]}),
    ({"b", "a"}, ["a", "b"]),
    ({1: "a", None: "b", False: "c", 1.5: "d"}, {"1": "a", "null": "b", "false": "c", "1.5": "d"}),
    ({(1, 2): "a"}, {"<tuple>": "a"}),
    ({1: "a", "1": "b"}, {"1": "a", "1#2": "b"}),
    (Item(), {"name": "a", "parts": [1]}),
    (PrivateData("4242", name="card", label="Card"), {"label": "Card", "entity_type": "CUSTOM_CARD"}),
    (datetime.datetime(2026, 11, 30, 12), "2026-11-30T12:00:00"),
    (decimal.Decimal("1.10"), "1.10"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (ValueError("secret text"), "<ValueError>"),
    (Raising(), "<Raising>"),
    (object(), "<object>"),
    (int, "<type>"),
    (range(3), "<range>"),
    (iter([1]), "<list_iterator>"),
    (len, "<builtin_function_or_method>"),
]


@pytest.mark.parametrize(("given_", "expected"), TABLE, ids=lambda value: type(value).__name__)
def test_what_each_type_becomes(given_: object, expected: object) -> None:
    assert plain(given_) == expected
    assert plain([{"k": given_}]) == [{"k": expected}]


def test_bounds() -> None:
    own: list[object] = []
    own.append(own)
    assert plain(own) == [CYCLE]
    deep: object = 1
    for _ in range(100):
        deep = [deep]
    assert TOO_DEEP in repr(plain(deep))
    assert plain(list(range(MAX_NODES + 50)))[-1] == TRUNCATED  # type: ignore[index]  # a list, as it was
    assert plain(["a" * MAX_TEXT, "b"]) == ["a" * MAX_TEXT, TRUNCATED]


def test_shared_structure_is_read_within_the_budget() -> None:
    """A few dozen objects that spell out to more values than there are atoms."""
    shared: object = ("x",)
    for _ in range(60):
        shared = (shared, shared)
    assert TRUNCATED in repr(plain({"a": shared, "b": [shared]}))


def test_a_serializer_warns_nobody() -> None:
    odd = Item()
    vars(odd).update(name=object(), parts="secret text")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plain(odd) == {"name": "<object>", "parts": "secret text"}


class _Everything(Known):
    """Knows nothing, and suspects everything."""

    def suspects(self, text: str) -> bool:
        return True

    def outside(self, text: str) -> list[Any]:
        return []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_json_is_its_own_plain_form_and_survives_a_scrub_that_finds_nothing(value: Any) -> None:
    read, layout = laid_out(value)
    assert read == value
    assert scrub(read, layout, _Everything()) == value


@settings(max_examples=100, deadline=None)
@given(JSON, st.sampled_from([Raising(), {"a", "b"}, Point(1, [2]), Item(), {3: 4}]))
def test_the_layout_numbers_texts_as_a_walk_meets_them(value: Any, odd: object) -> None:
    """Whatever is read on the way, edits by number reach the texts that they were found in."""
    read, layout = laid_out({"first": value, "odd": odd, "last": [value]})
    texts: list[str] = []

    def meet(found: Any) -> None:
        if isinstance(found, dict):
            for key, item in found.items():
                texts.append(key)
                meet(item)
        elif isinstance(found, list):
            for item in found:
                meet(item)
        elif found is not None and not isinstance(found, bool):
            texts.append(found if isinstance(found, str) else repr(found))

    meet(read)
    assert layout.texts == texts


class Once(dict[str, object]):
    """A mapping that raises after some of its items."""

    def items(self) -> Any:
        yield "a", "b"
        raise ValueError("secret text")


def test_what_raises_half_way_leaves_no_texts_behind() -> None:
    read, layout = laid_out({"x": Once(), "y": "z"})
    assert read == {"x": "<Once>", "y": "z"}
    assert layout.texts == ["x", "<Once>", "y", "z"]


def test_callables_are_never_called() -> None:
    called: list[int] = []
    hook: Callable[[], None] = lambda: called.append(1)  # noqa: E731  # an object with a body, and no more
    assert plain({"hook": hook}) == {"hook": "<function>"}
    assert called == []
