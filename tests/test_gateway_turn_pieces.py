"""Reading a model's stream one piece at a time, and closing it from wherever the turn ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from sealgate.gateway.turn.pieces import END, Pieces


def counted(closed: list[str], wait: threading.Event | None = None) -> Iterator[str]:
    try:
        yield "one"
        if wait is not None:
            wait.wait(30)
        yield "two"
    finally:
        closed.append("closed")


async def counted_later(closed: list[str]) -> AsyncIterator[str]:
    try:
        yield "one"
        await asyncio.sleep(0)
        yield "two"
    finally:
        await asyncio.sleep(0)
        closed.append("closed")


def test_pieces_of_an_iterator() -> None:
    closed: list[str] = []
    pieces = Pieces(counted(closed))
    assert [pieces.take(), pieces.take(), pieces.take(), pieces.take()] == ["one", "two", END, END]
    assert (pieces.awaited, closed) == (False, ["closed"])


def test_a_list_needs_no_closing() -> None:
    pieces = Pieces(["one"])
    pieces.close()
    assert pieces.take() is END


async def test_pieces_of_an_asynchronous_iterator() -> None:
    pieces: Any = Pieces(counted_later([]))
    assert [await pieces.take(), await pieces.take(), await pieces.take()] == ["one", "two", END]
    assert pieces.awaited


def test_closing_it_closes_the_generator_once() -> None:
    closed: list[str] = []
    pieces = Pieces(counted(closed))
    pieces.take()
    pieces.close()
    pieces.close()
    assert (closed, pieces.take()) == (["closed"], END)


def test_a_read_that_was_left_closes_it_at_its_end() -> None:
    closed: list[str] = []
    go_on = threading.Event()
    pieces = Pieces(counted(closed, go_on))
    pieces.take()
    reader = threading.Thread(target=pieces.take)
    reader.start()
    while not pieces._reading.locked():
        pass
    pieces.close()
    assert closed == []
    go_on.set()
    reader.join(30)
    assert closed == ["closed"]


async def test_an_asynchronous_one_is_closed_in_its_own_loop_from_a_thread() -> None:
    closed: list[str] = []
    pieces: Any = Pieces(counted_later(closed))
    await pieces.take()
    await asyncio.to_thread(pieces.close)
    assert closed == ["closed"]
    assert await pieces.take() is END


async def test_and_from_the_loop_itself_without_waiting() -> None:
    closed: list[str] = []
    pieces: Any = Pieces(counted_later(closed))
    await pieces.take()
    pieces.close()
    await asyncio.sleep(0.01)
    assert closed == ["closed"]


def test_and_after_its_loop_has_ended() -> None:
    closed: list[str] = []
    pieces: Any = Pieces(counted_later(closed))
    pieces.close()  # before the first piece there is nothing to close

    async def take() -> Pieces:
        begun: Any = Pieces(counted_later(closed))
        await begun.take()
        return begun  # type: ignore[no-any-return]

    asyncio.run(take()).close()
    assert closed == ["closed"]


def broken() -> Iterator[str]:
    try:
        yield "one"
    finally:
        raise OSError("at its end")


async def broken_later() -> AsyncIterator[str]:
    try:
        yield "one"
    finally:
        raise OSError("at its end")


def test_what_closing_raises_is_dropped() -> None:
    pieces = Pieces(broken())
    pieces.take()
    pieces.close()


async def test_what_closing_later_raises_is_dropped() -> None:
    pieces: Any = Pieces(broken_later())
    await pieces.take()
    await asyncio.to_thread(pieces.close)


def test_what_the_model_raises_comes_through() -> None:
    def failing() -> Iterator[str]:
        raise LookupError
        yield

    with pytest.raises(LookupError):
        Pieces(failing()).take()
