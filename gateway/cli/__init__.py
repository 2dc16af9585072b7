"""The command line: ``sealgate demo | redact | restore``."""

from .main import main

__all__ = ["main"]
