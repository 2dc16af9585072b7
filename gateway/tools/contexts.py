"""Values inside a longer string: put in under the rules of the language around them, or refused.

Seen are JSON (escaped by writing it again), URLs (percent-encoded in path, query and fragment, refused before them) and
SQL (only values that no quoting could be broken with). Where it is unclear which language it is, only such values go in
too; in plain words every value does. Not seen: shells, markup, programming languages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from sealgate.models.placeholder import Placeholder, find_all

_SQL: Final = re.compile(
    r"(?is)\b(?:select\b.{1,2000}?\bfrom\b|(?:insert|merge)\s{1,40}into\b|update\s{1,40}\S{1,200}\s{1,40}set\b"
    r"|delete\s{1,40}from\b|(?:drop|alter|create|truncate)\s{1,40}(?:table|view|index|user|database)\b"
    r"|exec(?:ute)?\s{1,40}\w|call\s{1,40}\w{1,200}\s{0,40}\()"
)
_EDGE: Final = re.compile(r"[\s\"'`<>()]")
_RELATIVE: Final = re.compile(r"[/?&=\\#%]|^(?:mailto|tel|sms|data):", re.IGNORECASE)
_INERT: Final = re.compile(r"(?!.*(?:--|\.\.))[\w .@+:,-]*\Z")
_BARE: Final = re.compile(r"[0-9A-Za-z]+\Z")
_MAX_TOKEN: Final = 8_192
"""Code points around a placeholder that are read as one URL."""


class Unfit(Exception):
    """A value that may not stand where its placeholder does. ``where`` (str) names the kind of place; no value."""

    def __init__(self, placeholder: Placeholder, where: str) -> None:
        super().__init__(where)
        self.placeholder = placeholder
        self.where = where


def fill(sealed: str, forms: Mapping[Placeholder, str], own: frozenset[Placeholder] = frozenset()) -> str:
    """``sealed`` with the forms of its placeholders in it; those without a form stay. Raises ``Unfit``.

    What the model wrote itself (``own``) goes back as it was written.
    """
    foreign = next((one for _start, _end, one in find_all(sealed) if one in forms and one not in own), None)
    document = _json(sealed, foreign) if foreign is not None else None
    if document is not None:
        return json.dumps(_filled(document, forms), ensure_ascii=False)
    parts, last = [], 0
    is_sql, is_code = _SQL.search(sealed) is not None, _like_json(sealed)
    for start, end, placeholder in find_all(sealed):
        if placeholder not in forms:
            continue
        value = forms[placeholder]
        if placeholder in own:
            pass
        elif is_sql:
            _check_sql(sealed[:start], placeholder, value)
        elif is_code and not _INERT.match(value):
            raise Unfit(placeholder, "broken JSON")
        fitted = value if placeholder in own else _in_url(sealed, start, end, placeholder, value)
        parts += [sealed[last:start], fitted]
        last = end
    return "".join([*parts, sealed[last:]])


def _json(sealed: str, first: Placeholder) -> object:
    """The document that a string is, if it is a JSON object or array; ``None`` if it is none."""
    if sealed.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(sealed, object_pairs_hook=lambda pairs: _object(pairs, first))
    except (ValueError, RecursionError):
        return None  # Whether it still looks like JSON is asked next.


def _object(pairs: list[tuple[str, Any]], first: Placeholder) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unfit(first, "JSON with a key that stands twice")
    return found


def _filled(document: object, forms: Mapping[Placeholder, str]) -> object:
    if isinstance(document, str):
        whole = find_all(document)
        if len(whole) == 1 and whole[0][:2] == (0, len(document)):
            return forms.get(whole[0][2], document)
        return fill(document, forms)
    if isinstance(document, list):
        return [_filled(item, forms) for item in document]
    if isinstance(document, dict):
        found = {str(_filled(key, forms)): _filled(item, forms) for key, item in document.items()}
        if len(found) != len(document):
            raise Unfit(next(iter(forms)), "JSON in which two keys became one")
        return found
    return document


def _like_json(sealed: str) -> bool:
    """Whether a string that does not parse may still be read as JSON once the values are in it."""
    text = sealed.strip()
    return text.startswith(("{", '["', "[{", "[[")) or text.endswith("}")


def _check_sql(before: str, placeholder: Placeholder, value: str) -> None:
    quoted = before.count("'") % 2 == 1
    if not (_INERT if quoted else _BARE).match(value):
        raise Unfit(placeholder, "an SQL statement")


def _in_url(sealed: str, start: int, end: int, placeholder: Placeholder, value: str) -> str:
    """The value as its place in a URL wants it; unchanged outside of one."""
    before, after = _token(sealed, start, end)
    if "://" in after or (not before and after[:1] == ":" != after):
        raise Unfit(placeholder, "the scheme of a URL")
    _scheme, is_url, rest = before.partition("://") if "://" in before else ("", before.startswith("//"), before[2:])
    if not is_url:
        if (_RELATIVE.search(before) or _RELATIVE.match(after)) and not _INERT.match(value):
            raise Unfit(placeholder, "a path or a query")
        return value
    if not re.search(r"[/?#]", rest):
        raise Unfit(placeholder, "the host or the user information of a URL")
    if not value.strip("."):
        raise Unfit(placeholder, "the path of a URL")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        where = "a URL"
    raise Unfit(placeholder, where)


def _token(sealed: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a placeholder without a space, quote or parenthesis between."""
    before = sealed[max(0, start - _MAX_TOKEN) : start]
    edges = [found.end() for found in _EDGE.finditer(before)]
    after = sealed[end : end + _MAX_TOKEN]
    edge = _EDGE.search(after)
    return before[edges[-1] :] if edges else before, after[: edge.start()] if edge else after
