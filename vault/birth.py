"""A session's first row, and the subject that it belongs to for ever."""

from __future__ import annotations

from typing import NamedTuple

from sealgate.models.errors import InvalidInput, UnknownSession

from .encoding import bytes_text, lp, pad, text_bytes, unpad
from .ledger import Heads, Spent
from .root import Root
from .rows import LIVE, SessionRow
from .sessionkeys import SessionKeys, new_keys, unwrap_keys
from .state import State


class Lifetime(NamedTuple):
    """How long a session lives, in seconds: in all, and without being written to. ``None`` for no limit."""

    ttl: float | None = None
    idle: float | None = None

    def milliseconds(self) -> tuple[int, int]:
        """Both in milliseconds, 0 for no limit. Raises ``InvalidInput`` unless they are above 0."""
        if any(one is not None and not 0.001 <= one < 1e9 for one in self):
            raise InvalidInput("a lifetime is a number of seconds above 0")
        ttl, idle = (0 if one is None else int(one * 1000) for one in self)
        return ttl, idle


def new_row(root: Root, sref: bytes, tref: bytes, subject: str | None, now: int, life: Lifetime) -> SessionRow:
    """The signed row of a new session, without a ``sid``."""
    ttl, idle = life.milliseconds()
    blank = SessionRow(
        sid=0, sref=sref, tref=tref, kek_id=root.active, wrapped=None, salt=b"", commitment=b"", subject=b"",
        dek_ver=1, gen=1, state=LIVE, created=now, expires=now + ttl if ttl else 0, idle=idle, touched=now,
        spent=Spent({}, {}).encode(), heads=Heads({}).encode(), mac=b"",
    )  # fmt: skip
    row = blank._replace(**new_keys(root, blank)._asdict())
    keys = unwrap_keys(root, row)
    return keys.signed(row._replace(subject=_closed(keys, subject)))


def check_subject(state: State, subject: str | None) -> str | None:
    """The session's subject. A caller that names another one is told ``UnknownSession``; one that names none may be
    the application itself.
    """
    stored = _opened(state)
    if subject is not None and subject != stored:
        raise UnknownSession("the session belongs to another subject")
    return stored


def _closed(keys: SessionKeys, subject: str | None) -> bytes:
    return b"" if subject is None else keys.records.encrypt(pad(text_bytes(subject)), _associated(keys))


def _opened(state: State) -> str | None:
    if not state.row.subject:
        return None
    return bytes_text(unpad(state.keys.records.decrypt(state.row.subject, _associated(state.keys))))


def _associated(keys: SessionKeys) -> bytes:
    return keys.record_aad + lp("subject/1")
