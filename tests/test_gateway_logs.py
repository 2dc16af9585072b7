"""A canary in every place that writes logs."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import subprocess
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import structlog

from sealgate.gateway import Gateway
from sealgate.gateway.logs import log_scope, protect_logs, scope, structlog_processor
from sealgate.gateway.logs.scope import MAX_RECENT, remember, sealers
from sealgate.gateway.logs.scrubber import scrub_text, scrub_value
from sealgate.models.errors import SessionShredded
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import Built, LiveValue, SealRequest
from sealgate.models.secretvalue import SecretValue

SECRET = "Blue-Kestrel-77"
TOKEN = "[CUSTOM_K7Q2MXB4]"
MAIL = "jane.roe@example.org"


class Sealed:
    """A session that knows one value, or that is gone."""

    def __init__(self, *, gone: bool = False) -> None:
        self._gone = gone

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        raise NotImplementedError

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        if self._gone:
            raise SessionShredded("gone")
        return build([LiveValue(SecretValue(SECRET), Placeholder("CUSTOM", "K7Q2MXB4"), ("CUSTOM",))])


@pytest.fixture(autouse=True)
def no_recent_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of other tests, some with a store that is gone, are not compared with."""
    monkeypatch.setattr(scope, "_RECENT", OrderedDict())


@pytest.fixture
def output() -> Iterator[io.StringIO]:
    """What a handler wrote that was there before the guard and formats everything it can."""
    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(threadName)s %(message)s"))
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield stream
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@pytest.fixture
def session() -> Iterator[Sealed]:
    """A session in scope, and the guard in place."""
    sealed = Sealed()
    with protect_logs(), log_scope(sealed):
        yield sealed


class Talkative:
    def __str__(self) -> str:
        return SECRET

    __repr__ = __str__


def fail() -> None:
    try:
        raise KeyError(SECRET)
    except KeyError as cause:
        error = ValueError(f"not {SECRET}")
        error.add_note(f"note {SECRET}")
        raise error from cause


CALLS: dict[str, Callable[[logging.Logger], object]] = {
    "message": lambda log: log.info(f"code {SECRET}"),
    "template": lambda log: log.info(SECRET),
    "argument": lambda log: log.warning("code %s", SECRET),
    "argument with a number": lambda log: log.warning("code %s after %d", SECRET, 3),
    "mapping argument": lambda log: log.warning("code %(code)s", {"code": SECRET}),
    "object argument": lambda log: log.warning("code %s", Talkative()),
    "repr of an argument": lambda log: log.warning("code %r", Talkative()),
    "list argument": lambda log: log.warning("codes %s", [SECRET, {"a": SECRET}]),
    "split over arguments": lambda log: log.warning("%s%s", SECRET[:5], SECRET[5:]),
    "arguments that do not fit": lambda log: log.warning("code %d", SECRET),
    "too many arguments": lambda log: log.warning("code", SECRET),  # noqa: PLE1205
    "debug": lambda log: log.debug("Received user input: %r", SECRET),
    "stack": lambda log: log.info("x", stack_info=True),
    "encoded": lambda log: log.info("Authorization: Basic Qmx1ZS1LZXN0cmVsLTc3"),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_record_shows_the_value(session: Sealed, output: io.StringIO, name: str) -> None:
    CALLS[name](logging.getLogger("app"))
    assert output.getvalue()
    assert SECRET not in output.getvalue()
    assert "Qmx1ZS1LZXN0cmVsLTc3" not in output.getvalue()


def test_a_traceback_has_no_values_and_no_locals(session: Sealed, output: io.StringIO) -> None:
    try:
        fail()
    except ValueError:
        logging.getLogger("app").exception("failed")
    shown = output.getvalue()
    assert SECRET not in shown
    assert f"ValueError: not {TOKEN}" in shown
    assert f"note {TOKEN}" in shown
    assert "direct cause" in shown


def test_harmless_records_keep_their_template_and_arguments(session: Sealed, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        logging.getLogger("app").info("%s took %d ms", "GET /", 12)
    assert (caplog.records[0].msg, caplog.records[0].args) == ("%s took %d ms", ("GET /", 12))


def test_simple_arguments_are_scrubbed_in_their_place(session: Sealed, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        logging.getLogger("access").info("%s %s %d", "GET", f"/pay?code={SECRET}", 200)
    assert caplog.records[0].args == ("GET", f"/pay?code={TOKEN}", 200)


def test_extra_fields_are_scrubbed_for_handlers_of_any_age(session: Sealed) -> None:
    stream = io.StringIO()
    late = logging.StreamHandler(stream)
    late.setFormatter(logging.Formatter("%(user)s %(data)s"))
    logger = logging.getLogger("late")
    logger.addHandler(late)
    try:
        logger.warning("x", extra={"user": SECRET, "data": {"k": [SECRET], "n": 3}})
    finally:
        logger.removeHandler(late)
    assert stream.getvalue() == f"{TOKEN} {{'k': ['{TOKEN}'], 'n': 3}}\n"


def test_outside_of_a_scope_rules_and_recent_sessions_count(output: io.StringIO) -> None:
    recent = Sealed()
    with protect_logs():
        logging.getLogger("app").info("mail %s", MAIL)
        assert "<EMAIL_ADDRESS>" in output.getvalue()
        assert MAIL not in output.getvalue()
        remember(recent)
        logging.getLogger("app").info("code %s", SECRET)
    assert SECRET not in output.getvalue()


def test_few_sessions_are_remembered_and_none_is_kept_alive() -> None:
    kept = [Sealed() for _ in range(MAX_RECENT + 5)]
    for sealed in kept:
        remember(sealed)
    assert sealers() == tuple(kept[5:])
    del kept[6:], sealed
    gc.collect()
    assert sealers() == (kept[5],)


def test_scopes_nest_and_end() -> None:
    outer, inner = Sealed(), Sealed(gone=True)
    with log_scope(outer):
        with log_scope(inner):
            assert sealers() == (outer, inner)
        assert sealers() == (outer,)


async def test_tasks_and_worker_threads_are_in_the_scope_they_were_started_in(output: io.StringIO) -> None:
    with protect_logs():
        with log_scope(Sealed()):
            task = asyncio.create_task(asyncio.to_thread(logging.getLogger("app").info, "code %s", SECRET))
        await task
    assert TOKEN in output.getvalue()
    assert SECRET not in output.getvalue()


def test_what_cannot_be_checked_is_withheld(output: io.StringIO) -> None:
    with protect_logs(), log_scope(Sealed(gone=True)):
        logging.getLogger("app").info("code %s", SECRET)
    assert SECRET not in output.getvalue()
    assert "<withheld: SessionShredded>" in output.getvalue()


def test_what_is_logged_while_scrubbing_does_not_recurse(output: io.StringIO) -> None:
    class Logging(Sealed):
        def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
            logging.getLogger("vault").info("looked up %s", SECRET)
            return super().match(build)

    with protect_logs(), log_scope(Logging()):
        logging.getLogger("app").info("code %s", SECRET)
    assert SECRET not in output.getvalue()
    assert TOKEN in output.getvalue()


async def test_what_asyncio_reports_is_scrubbed(session: Sealed, output: io.StringIO) -> None:
    async def broken() -> None:
        raise ValueError(SECRET)

    task = asyncio.create_task(broken())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    gc.collect()
    asyncio.get_running_loop().call_exception_handler({"message": f"odd {SECRET}", "exception": ValueError(SECRET)})
    assert "never retrieved" in output.getvalue()
    assert SECRET not in output.getvalue()


def test_warnings_are_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *rest: shown.append(str(message)))
    with protect_logs(), log_scope(Sealed()), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning(UserWarning(f"odd {SECRET}"), UserWarning, "x.py", 1)
    assert shown == [f"odd {TOKEN}"]


def test_an_exception_of_a_thread_is_scrubbed(session: Sealed, capsys: pytest.CaptureFixture[str]) -> None:
    hook = threading.excepthook
    try:
        fail()
    except ValueError as error:
        hook(threading.ExceptHookArgs((ValueError, error, error.__traceback__, threading.current_thread())))
        sys.excepthook(ValueError, error, error.__traceback__)
    shown = capsys.readouterr().err
    assert shown.count(f"ValueError: not {TOKEN}") == 2
    assert SECRET not in shown


def test_undo_restores_everything() -> None:
    def state() -> tuple[Any, ...]:
        hooks = (sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning)
        return (*hooks, logging.Handler.handle, logging.getLogRecordFactory())

    before = state()
    guard = protect_logs()
    assert all(new is not old for new, old in zip(state(), before, strict=True))
    guard.undo()
    guard.undo()
    assert state() == before


def test_the_structlog_processor(session: Sealed) -> None:
    stream = io.StringIO()
    log = structlog.wrap_logger(
        structlog.PrintLogger(stream), processors=[structlog_processor, structlog.processors.JSONRenderer()]
    )
    try:
        fail()
    except ValueError as error:
        log.info(f"code {SECRET}", **{"card": SECRET, SECRET: "x", "n": 3, "deep": {"a": [SECRET]}}, exc_info=error)
    written = json.loads(stream.getvalue())
    assert SECRET not in stream.getvalue()
    assert written["event"] == f"code {TOKEN}"
    assert written["n"] == 3
    assert "ValueError: not" in written["exception"]


def test_values_keep_their_types() -> None:
    assert scrub_value({"n": 1, "t": (1.5, None, True)}) == {"n": 1, "t": [1.5, None, True]}
    assert scrub_text(f"seen {TOKEN} and {MAIL}") == f"seen {TOKEN} and <EMAIL_ADDRESS>"


def test_an_unhandled_exception_of_a_process_is_scrubbed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from sealgate.gateway.logs import protect_logs\n"
        "protect_logs()\n"
        "mail = 'jane.roe' + chr(64) + 'example.org'\n"
        "raise ValueError('mail ' + mail)\n",
        "utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "ValueError: mail <EMAIL_ADDRESS>" in done.stderr
    assert MAIL not in done.stderr


def test_a_session_that_is_shredded_or_closed_withholds_nothing_from_later_records() -> None:
    with Gateway.open(":memory:") as gateway:
        kept, shredded = gateway.session("kept"), gateway.session("shredded")
        assert len(sealers()) == 2
        shredded.shred()
        assert len(sealers()) == 1
    assert sealers() == ()
    assert scrub_text("order 17 is on its way") == "order 17 is on its way"
    assert kept.name == "kept"
