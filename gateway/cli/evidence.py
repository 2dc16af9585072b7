"""What the demo left behind, place by place, for the leak check."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sealgate.models.response import SessionResponse
from sealgate.vault import Vault

from ..gateway import Gateway
from ..session import Session
from .leakcheck import read_files
from .scenario import SESSION, Witnesses

APPENDED: Final = ("step", "sent")
KEYED: Final = ("emitted", "private")
"""The kinds of records that a session keeps: checkpoints and payloads in order, recognition and private data by key."""


def live_evidence(
    gateway: Gateway, session: Session, response: SessionResponse, witnesses: Witnesses
) -> dict[str, str | bytes]:
    """Everything that can be seen of the turn while the gateway is open, but what ``pay`` and the address line of
    ``send_mail`` were granted."""
    internal = session.events(audience="internal").history()
    return {
        "model": "\n".join(witnesses.model),
        "model record": json.dumps([[m.model_dump(mode="json") for m in sent] for sent in session.sent_to_model()]),
        "browser": "".join(witnesses.browser),
        "browser history": "\n".join(event.model_dump_json() for event in session.events().history()),
        "internal events": "\n".join(event.model_dump_json() for event in internal),
        "response": response.model_dump_json(),
        "history": json.dumps([message.model_dump(mode="json") for message in session.history()]),
        "hooks": json.dumps(witnesses.hooks),
        "send_mail body": json.dumps([args["body"] for tool, args in witnesses.tools if tool == "send_mail"]),
        "audit": "\n".join(repr(row) for row in gateway.audit.rows()),
    }


def stored_evidence(path: Path, key: bytes) -> dict[str, str | bytes]:
    """The vault's files as bytes, and its checkpoints and records as they read with the vault's key."""
    places: dict[str, str | bytes] = {f"file {name}": data for name, data in read_files([path]).items()}
    vault = Vault.open(path, key)
    try:
        records = vault.session(SESSION, create=False).records
        for kind in APPENDED:
            places[f"records: {kind}"] = b"\n".join(record.payload for record in records.read(kind))
        for kind in KEYED:
            places[f"records: {kind}"] = b"\n".join(records.all(kind))
    finally:
        vault.close()
    return places


class LogCapture(logging.Handler):
    """Every record of every logger, formatted with its traceback."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record as text."""
        self.lines.append(self.format(record))


@contextmanager
def debug_logs() -> Iterator[list[str]]:
    """All log lines of this block at DEBUG, whatever the levels of the loggers were; they come back afterwards."""
    capture = LogCapture()
    known = [logger for logger in logging.Logger.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    loggers = [logging.getLogger(), *known]
    before = [(logger, logger.level, logger.propagate, logger.disabled) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
        logger.propagate, logger.disabled = True, False
    logging.getLogger().addHandler(capture)
    try:
        yield capture.lines
    finally:
        logging.getLogger().removeHandler(capture)
        for logger, level, propagate, disabled in before:
            logger.setLevel(level)
            logger.propagate, logger.disabled = propagate, disabled
