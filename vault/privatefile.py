"""Small files that nobody else may read or put there: keys and anchors. Read with care, written in one step."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from typing import Final

from .sqlite.file import sync_directory

_MAX_BYTES: Final = 65_536


class Unsafe(Exception):
    """Why a file may not be used: the end of a sentence about it. Replaced by a typed error that names the file."""


def read_private(path: str) -> bytes:
    """The bytes of a private file, at most 65,536.

    Raises ``FileNotFoundError``, and ``Unsafe`` unless it is a regular file (no link, one name) of this user that
    nobody else may read, in a directory that nobody else may write.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError:
        raise Unsafe("is a link or cannot be read") from None
    try:
        _check_file(os.fstat(fd))
        check_directory(os.path.dirname(os.path.abspath(path)))
        return os.read(fd, _MAX_BYTES)
    finally:
        os.close(fd)


def write_private(path: str, data: bytes) -> None:
    """Puts a file of mode 0600 in place of the one before: complete and synced, or not at all.

    Raises ``Unsafe`` for a directory that others may write, or that is not there or has no room.
    """
    directory = os.path.dirname(os.path.abspath(path))
    check_directory(directory)
    draft = f"{path}.{secrets.token_hex(8)}"
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise
        sync_directory(directory)
    except OSError:
        raise Unsafe("could not be written") from None


def check_directory(directory: str) -> None:
    """Nothing, or ``Unsafe`` when others may replace files there; where each may remove his own only, they may not."""
    try:
        status = os.stat(directory)
    except OSError:
        raise Unsafe("lies in a directory that is not there") from None
    others_write = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
    if others_write or status.st_uid not in (0, os.geteuid()):
        raise Unsafe("lies in a directory that others can write to")


def _check_file(file: os.stat_result) -> None:
    if not stat.S_ISREG(file.st_mode) or file.st_nlink != 1:
        raise Unsafe("is not a regular file with one name")
    if file.st_uid != os.geteuid():
        raise Unsafe("belongs to another user")
    if file.st_mode & 0o077:
        raise Unsafe("can be read by others; its mode must be 0600 or 0400")
