"""A value in memory that is overwritten after use, as far as Python allows.

How far that is: the buffer that the value was decrypted into is ours and is filled with zeros. What the caller makes of
it (a ``str``, a slice, the argument of a library) is a copy that nobody can wipe, and so is every value that leaves
through ``VaultSession.open``, which gives ``str``. Pages that were swapped out, core dumps and a debugger of the same
user are out of reach. The promise is a shorter life in memory, not that nothing is left.
"""

from __future__ import annotations

from types import TracebackType
from typing import NoReturn, Self

from sealgate.models.errors import ValueGone


class SecretBytes:
    """A value as UTF-8 (lone surrogates as ``surrogatepass`` gives them) in a buffer of its own. A context manager.

    ``view`` is valid until the end of the block; the buffer is wiped then, also when it is forgotten. It refuses
    ``repr``, ``str``, pickling and copies.
    """

    __slots__ = ("_buffer", "_end", "_start", "_views")

    def __init__(self, buffer: bytearray, start: int, end: int) -> None:
        self._buffer = buffer
        self._start = start
        self._end = end
        self._views: list[memoryview] = []

    def view(self) -> memoryview:
        """The bytes, without a copy; read-only. Raises ``ValueGone`` after the wipe."""
        if not self._buffer:
            raise ValueGone("the value was wiped from memory")
        whole = memoryview(self._buffer).toreadonly()
        self._views += (whole, whole[self._start : self._end])
        return self._views[-1]

    def wipe(self) -> None:
        """Overwrites the buffer and ends all views. Twice does no harm."""
        self._buffer[:] = bytes(len(self._buffer))
        while self._views:
            self._views.pop().release()
        self._buffer = bytearray()

    def __len__(self) -> int:
        return self._end - self._start if self._buffer else 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()

    def __del__(self) -> None:
        self._buffer[:] = bytes(len(self._buffer))

    def __repr__(self) -> str:
        return "SecretBytes(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a value cannot be pickled or copied")
