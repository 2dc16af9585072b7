"""The gateway: everything that a user needs imports from here.

The names stand in ``exports`` and are imported when the first of them is asked for: the command line's ``--help``, and
whoever wants one module of this package, wait for none of them.
"""

from __future__ import annotations

import importlib
import typing

from sealgate.models.processlock import unforked as _unforked

_APART: typing.Final = {"OpenAIChat": ".openai_chat", "mount_events": ".http.mount"}
"""What is imported by itself only: a client for HTTP is a fifth of the whole, and a route is for who serves one."""

if typing.TYPE_CHECKING:
    from . import exports
    from .exports import *  # noqa: F403  # its __all__ says which
    from .http.mount import mount_events as mount_events
    from .openai_chat import OpenAIChat as OpenAIChat

    __all__ = ["OpenAIChat", "mount_events"]
    __all__ += exports.__all__
else:  # A type checker that saw this function would take any name for one of ours.

    def __getattr__(name: str) -> object:
        if name in _APART:
            with _unforked():
                globals()[name] = getattr(importlib.import_module(_APART[name], __name__), name)
        elif "__all__" not in globals() and (name == "__all__" or not name.startswith("__")):
            with _unforked():
                exports = importlib.import_module(".exports", __name__)
            globals().update({each: getattr(exports, each) for each in exports.__all__})
            globals()["__all__"] = sorted([*exports.__all__, *_APART])
        if name in globals():
            return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})
