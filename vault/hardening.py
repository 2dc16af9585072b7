"""Keeping a process's memory out of core dumps and debuggers, for services that hold values."""

from __future__ import annotations

import ctypes
import resource
import sys
from typing import Final

_PR_SET_DUMPABLE: Final = 4
"""prctl(2), ``linux/prctl.h``."""


def harden() -> bool:
    """Forbids core dumps of this process, and on Linux also that others of the same user trace it or read its memory.

    Call it once, early; children inherit the first, and lose the second when they start another program. It is not
    done by itself, because debuggers and crash reporters need what it forbids. ``False`` when the system refused a part
    of it. Root can undo all of it, and swapped pages are another matter.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        return False
    if sys.platform != "linux":
        return True
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)
