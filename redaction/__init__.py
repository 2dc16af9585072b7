"""Finds values in texts, JSON and messages, puts placeholders in their place, and puts the values back."""

from __future__ import annotations

from .batch import key_cue
from .bounds import MAX_TEXT
from .coverage import Coverage
from .detector import Detector, Recognizer
from .expectation import AnswerHit
from .explain import Explanation
from .known.known import KnownHit, KnownValues, build_known_values
from .known.strength import bits, is_searchable
from .message_redactor import canonical_json, origin_of
from .operators import Operator
from .placeholders import LenientPlaceholder, find_lenient
from .planner import Keep
from .redactor import Redactor
from .rescrub import scrub_json
from .restorer import Restorer
from .stream import StreamRedactor, StreamRestorer
from .validators import is_valid, machine_form

__all__ = [
    "MAX_TEXT",
    "AnswerHit",
    "Coverage",
    "Detector",
    "Explanation",
    "Keep",
    "KnownHit",
    "KnownValues",
    "LenientPlaceholder",
    "Operator",
    "Recognizer",
    "Redactor",
    "Restorer",
    "StreamRedactor",
    "StreamRestorer",
    "bits",
    "build_known_values",
    "canonical_json",
    "find_lenient",
    "is_searchable",
    "is_valid",
    "key_cue",
    "machine_form",
    "origin_of",
    "scrub_json",
]
