"""Which recognizers stand beside the rules: the models for names, and a user's own of Presidio's type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names.model_names import ModelNames
from .presidio import PresidioRecognizers

if TYPE_CHECKING:
    from presidio_analyzer import RecognizerRegistry

    from .detector import Recognizer


def default_recognizers(names: bool, registry: RecognizerRegistry | None) -> tuple[Recognizer, ...]:
    """The recognizers of a detector, in the order in which they run."""
    found: list[Recognizer] = []
    if names:
        found.append(ModelNames())
    if registry is not None:
        found.append(PresidioRecognizers(registry))
    return tuple(found)
