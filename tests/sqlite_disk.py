"""A disk under SQLite that remembers what was written and flushed, and fails when it is told to.

``Disk()`` makes a VFS of the ``unix`` one, the default of this process from then on: run it in a process of
its own. It replaces three methods of every open file, and hands everything to the real ones. What SQLite writes and
syncs stands in ``Disk.log``; ``Disk.fault`` may answer an operation with a result code of SQLite instead.
"""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Callable, Iterator
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any, NamedTuple

FULL = 13
IOERR_READ, IOERR_WRITE, IOERR_FSYNC = (10 | detail << 8 for detail in (1, 3, 4))

_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_Delete = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_Transfer = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(ctypes.Structure):
    """``sqlite3_vfs``, as far as ``xDelete``; what follows is copied as it is."""

    _fields_ = [
        ("version", c_int), ("file_size", c_int), ("longest_path", c_int), ("next", c_void_p), ("name", c_char_p),
        ("data", c_void_p), ("open", _Open), ("delete", _Delete), ("rest", c_void_p * 14),
    ]  # fmt: skip


class _Methods(ctypes.Structure):
    """``sqlite3_io_methods``, version 3."""

    _fields_ = [
        ("version", c_int), ("close", c_void_p), ("read", _Transfer), ("write", _Transfer), ("truncate", _Truncate),
        ("sync", _Sync), ("rest", c_void_p * 13),
    ]  # fmt: skip


class Operation(NamedTuple):
    """One thing that happened to a file: ``write``, ``truncate``, ``sync`` or ``delete``; or a ``note`` of the test."""

    kind: str
    path: str
    at: int = 0
    data: bytes = b""


Fault = Callable[[str, str], int]
"""``fault(kind, path)``: the result code of the operation, 0 to let it be done."""


class Disk:
    """See above. ``log`` holds the operations in their order, until ``recording`` is set to false."""

    def __init__(self) -> None:
        self.log: list[Operation] = []
        self.recording = True
        self.fault: Fault = lambda kind, path: 0
        self._paths: dict[int, str] = {}
        self._library = ctypes.CDLL(_library())
        self._library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        self._library.sqlite3_vfs_find.argtypes = [c_char_p]
        self._unix = self._library.sqlite3_vfs_find(None).contents
        self._vfs = _Vfs.from_buffer_copy(self._unix)
        self._vfs.name = b"remembering"
        self._vfs.open, self._vfs.delete = _Open(self._open), _Delete(self._delete)
        self._methods: dict[int, tuple[_Methods, _Methods]] = {}
        self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1)

    def note(self, text: str) -> None:
        self.log.append(Operation("note", text))

    def _open(self, _vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        """``name`` is handed on as the address that it is: SQLite reads it for as long as the file is open."""
        result: int = self._unix.open(ctypes.addressof(self._unix), name, file, flags, out)
        methods = c_void_p.from_address(file)
        if result == 0 and methods.value and name:
            self._paths[file] = os.fsdecode(ctypes.string_at(name))
            methods.value = ctypes.addressof(self._replaced(methods.value))
        return result

    def _replaced(self, address: int) -> _Methods:
        """Methods of ours for those at an address; the real ones are kept beside them."""
        if address not in self._methods:
            real = _Methods.from_address(address)
            ours = _Methods.from_buffer_copy(real)
            ours.read = _Transfer(lambda file, *given: self._failed("read", file) or real.read(file, *given))
            ours.write = _Transfer(lambda *given: self._write(real, *given))
            ours.truncate = _Truncate(lambda file, size: self._cut(file, size) or real.truncate(file, size))
            ours.sync = _Sync(lambda file, flags: self._failed("sync", file) or self._sync(real, file, flags))
            self._methods[address] = real, ours
        return self._methods[address][1]

    def _write(self, real: _Methods, file: int, data: int, size: int, at: int) -> int:
        failed = self._failed("write", file)
        if failed:
            return failed
        self._add(Operation("write", self._paths[file], at, ctypes.string_at(data, size)))
        written: int = real.write(file, data, size, at)
        return written

    def _sync(self, real: _Methods, file: int, flags: int) -> int:
        result: int = real.sync(file, flags)
        self._add(Operation("sync", self._paths[file]))
        return result

    def _cut(self, file: int, size: int) -> int:
        failed = self._failed("truncate", file)
        if not failed:
            self._add(Operation("truncate", self._paths[file], size))
        return failed

    def _delete(self, _vfs: int, name: bytes, sync: int) -> int:
        self._add(Operation("delete", os.fsdecode(name)))
        result: int = self._unix.delete(ctypes.addressof(self._unix), name, sync)
        return result

    def _failed(self, kind: str, file: int) -> int:
        return self.fault(kind, self._paths[file])

    def _add(self, operation: Operation) -> None:
        if self.recording:
            self.log.append(operation)


def _library() -> str:
    """The SQLite that Python's module has loaded: another copy would have a list of VFS of its own."""
    import sqlite3  # noqa: F401, PLC0415 - loads it

    with open("/proc/self/maps") as maps:
        return next(line.split()[-1] for line in maps if "sqlite3" in line and ".so" in line.split()[-1])


class _File:
    """What a disk holds of one file: ``safe`` is flushed, ``loose`` are operations since."""

    def __init__(self, safe: bytes) -> None:
        self.safe = bytearray(safe)
        self.loose: list[Operation] = []

    def apply(self, operation: Operation, length: int | None = None) -> None:
        if operation.kind == "truncate":
            del self.safe[operation.at :]
            return
        data = operation.data[:length]
        self.safe.extend(bytes(max(0, operation.at + len(data) - len(self.safe))))
        self.safe[operation.at : operation.at + len(data)] = data


class Cut(NamedTuple):
    """What is left when the power goes: files by path, and what had been noted before."""

    files: dict[str, bytes]
    notes: list[str]


def power_cuts(start: dict[str, bytes], log: list[Operation], seed: int = 0) -> Iterator[Cut]:
    """What a disk may hold if the power goes just before and just after each flush, and at each note.

    What was flushed is there. Of what was not, nothing, everything, or any part is: the disk may have written it in any
    order, and the last of it in half.
    """
    chance = random.Random(seed)
    files = {path: _File(data) for path, data in start.items()}
    notes: list[str] = []
    for operation in log:
        if operation.kind in ("sync", "note"):
            yield from (_cut(files, notes, choose) for choose in _choices(chance))
        if operation.kind == "note":
            notes.append(operation.path)
            continue
        file = files.setdefault(operation.path, _File(b""))
        if operation.kind == "delete":
            del files[operation.path]
        elif operation.kind == "sync":
            for one in file.loose:
                file.apply(one)
            file.loose = []
        else:
            file.loose.append(operation)
    yield _cut(files, notes, lambda: 0.0)


def _choices(chance: random.Random) -> list[Callable[[], float]]:
    return [lambda: 0.0, lambda: 1.0, chance.random, chance.random]


def _cut(files: dict[str, _File], notes: list[str], choose: Callable[[], float]) -> Cut:
    """``choose`` says of each loose operation how much of it is there: above 0.5 all of it, else maybe a part."""
    left = {}
    for path, file in files.items():
        copy = _File(bytes(file.safe))
        for one in file.loose:
            luck = choose()
            if luck > 0.5:
                copy.apply(one)
            elif luck > 0.3 and one.kind == "write":
                copy.apply(one, length=int(len(one.data) * luck))
        left[path] = bytes(copy.safe)
    return Cut(left, list(notes))
