"""Columns side by side in 100 characters, whatever is in them."""

from __future__ import annotations

import os
import pty
import struct
import sys
import termios
from fcntl import ioctl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.cli.panels import NARROW, NARROWEST, WIDTH, Panel, fitted, side_by_side, terminal_width


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


def test_what_is_wider_than_its_column_breaks_between_its_parts() -> None:
    shown = side_by_side([Panel("M", 15, ["to [EMAIL_ADDRESS_7351D9GT] or ada@example-shop.org, well-known"])])
    assert shown.splitlines()[2:] == [
        "to [EMAIL_",
        "  ADDRESS_",
        "  7351D9GT] or",
        "  ada@example-",
        "  shop.org,",
        "  well-known",
    ]


def test_nothing_steers_the_terminal() -> None:
    assert "\x1b" not in side_by_side([Panel("M", 20, ["\x1b[2Jgone\x07"])])


@given(st.lists(st.lists(st.text(st.characters(max_codepoint=0x24F), max_size=80), max_size=4), min_size=4, max_size=4))
@settings(max_examples=100)
def test_no_line_is_wider_than_the_terminal(columns: list[list[str]]) -> None:
    widths = (16, 29, 17, 29)
    panels = [Panel("T", width, paragraphs) for width, paragraphs in zip(widths, columns, strict=True)]
    assert all(len(line) <= 100 for line in side_by_side(panels).split("\n"))


WIDTHS = (18, 28, 17, 28)
TOKEN = "[ACCOUNT_NUMBER_K7Q2MXB4]"


def panels_of(*paragraphs: str) -> list[Panel]:
    return [Panel(f"TITLE {number}", width, paragraphs) for number, width in enumerate(WIDTHS)]


@pytest.mark.parametrize("total", [1, 19, 20, 40, 79, 80, 93, 100, 101, 160, 250])
def test_it_is_as_wide_as_it_may_be_and_no_wider(total: int) -> None:
    shown = fitted(panels_of(f"from account {TOKEN}, " + "and so on " * 40), total).split("\n")
    assert max(map(len, shown)) == max(NARROWEST, total)
    assert len([line for line in shown if "TITLE" in line]) == (1 if total >= NARROW else 4)


def test_at_its_own_width_it_is_as_it_was_written() -> None:
    panels = panels_of("one two", "three")
    assert fitted(panels, WIDTH) == side_by_side(panels)


def test_a_narrow_terminal_breaks_no_placeholder_that_fits() -> None:
    assert fitted(panels_of(TOKEN), 40).count(TOKEN) == 4


@pytest.mark.parametrize(("columns", "width"), [(132, 132), (57, 57), (0, WIDTH)])
def test_the_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, columns: int, width: int) -> None:
    master, slave = pty.openpty()
    try:
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with os.fdopen(os.dup(slave), "w") as terminal:
            monkeypatch.setattr(sys, "stdout", terminal)
            assert terminal_width() == width
    finally:
        os.close(master)
        os.close(slave)


def test_without_a_terminal_it_is_100(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, "w") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        assert terminal_width() == WIDTH
    assert terminal_width() == WIDTH
    monkeypatch.setattr(sys, "stdout", None)
    assert terminal_width() == WIDTH
