from __future__ import annotations

from enum import Enum, IntEnum
from typing import Annotated, Any, ForwardRef, Literal, NewType, Optional, Union

import pytest

from sealgate.gateway.interrupts.annotations import choice_table, choice_text, unwrap
from sealgate.models.errors import InvalidPolicy

Code = NewType("Code", int)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Point(Enum):
    ORIGIN = (0, 0)


@pytest.mark.parametrize(
    ("annotation", "base", "optional"),
    [
        (int, int, False),
        (Optional[int], int, True),  # noqa: UP045 - the old spelling is what is tested
        (int | None, int, True),
        (Annotated[int | None, "metadata"], int, True),
        (Annotated[bool, 1] | None, bool, True),
        (Code, int, False),
        (Union[Code, None], int, True),  # noqa: UP007 - the old spelling is what is tested
        ("int | None", int, True),
        ("Optional[bool]", bool, True),
        (ForwardRef("float"), float, False),
        ("NoSuchName", object, False),
        ("1 +", object, False),
        (list[bool], list[bool], False),
        (int | str, int | str, False),
        (Literal["a", None], Literal["a", None], True),
        (Any, Any, False),
    ],
)
def test_unwrap(annotation: object, base: object, optional: bool) -> None:
    assert unwrap(annotation) == (base, optional)


@pytest.mark.parametrize(
    ("base", "table"),
    [
        (Literal["a", "b"], {"a": "a", "b": "b"}),
        (Literal[1, 2], {"1": 1, "2": 2}),
        (Literal["a", None], {"a": "a"}),
        (Colour, {"red": "red", "blue": "blue"}),
        (Level, {"LOW": 1, "HIGH": 2}),
        (Literal[Colour.RED, "green"], {"red": "red", "green": "green"}),
        (str, {}),
        (list[Literal["a"]], {}),
    ],
)
def test_choices(base: object, table: dict[str, object]) -> None:
    assert choice_table(base) == table


@pytest.mark.parametrize("base", [Literal[1, "1"], Literal[b"bytes"], Point])
def test_choices_that_cannot_be_put_to_a_person(base: object) -> None:
    with pytest.raises(InvalidPolicy):
        choice_table(base)


def test_members_read_as_their_text_or_their_name() -> None:
    assert [choice_text(member) for member in (Colour.RED, Level.LOW, "x", 3)] == ["red", "LOW", "x", "3"]
