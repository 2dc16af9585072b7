"""A session's first row, and the subject that it belongs to for ever."""

from __future__ import annotations

from sealgate.models.errors import UnknownSession

from .encoding import bytes_text, lp, pad, text_bytes, unpad
from .ledger import Heads, Spent
from .root import Root
from .rows import LIVE, SessionRow
from .sessionkeys import SessionKeys, new_keys, unwrap_keys
from .state import State


def new_row(root: Root, sref: bytes, tref: bytes, subject: str | None, now: int) -> SessionRow:
    """The signed row of a new session, without a ``sid``."""
    blank = SessionRow(
        sid=0, sref=sref, tref=tref, kek_id=root.active, wrapped=None, salt=b"", commitment=b"", subject=b"",
        dek_ver=1, gen=1, state=LIVE, created=now, expires=0, idle=0, touched=now,
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
