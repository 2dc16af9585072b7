"""The command line: ``sealgate demo | redact | restore``."""

from .command import main

__all__ = ["main"]
