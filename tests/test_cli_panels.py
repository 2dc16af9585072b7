"""Columns side by side in 100 characters, whatever is in them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.cli.panels import Panel, side_by_side


def test_columns_stand_beside_each_other() -> None:
    shown = side_by_side([Panel("LEFT", 10, ["one two three", "name:\nvalue"]), Panel("RIGHT", 6, ["x"])])
    assert shown.splitlines() == [
        "LEFT       | RIGHT",
        "---------- | ------",
        "one two    | x",
        "  three    |",
        "name:      |",
        "  value    |",
    ]


def test_a_placeholder_is_not_broken() -> None:
    token = "[ACCOUNT_NUMBER_K7Q2MXB4]"
    assert token in side_by_side([Panel("M", 29, [f"from account {token}, done"])])


def test_nothing_steers_the_terminal() -> None:
    assert "\x1b" not in side_by_side([Panel("M", 20, ["\x1b[2Jgone\x07"])])


@given(st.lists(st.lists(st.text(st.characters(max_codepoint=0x24F), max_size=80), max_size=4), min_size=4, max_size=4))
@settings(max_examples=100)
def test_no_line_is_wider_than_the_terminal(columns: list[list[str]]) -> None:
    widths = (16, 29, 17, 29)
    panels = [Panel("T", width, paragraphs) for width, paragraphs in zip(widths, columns, strict=True)]
    assert all(len(line) <= 100 for line in side_by_side(panels).split("\n"))
