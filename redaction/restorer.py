"""The restorer: placeholders back to what they stand for, exactly (``restore``) or leniently for a person's eyes."""

from __future__ import annotations

from collections.abc import Iterable

from sealgate.models.errors import InvalidInput
from sealgate.models.findings import RestoredText
from sealgate.models.grants import Purpose, Restore
from sealgate.models.jsonvalue import JsonValue, check_json
from sealgate.models.placeholder import Placeholder, find_all
from sealgate.models.sealing import Opener
from sealgate.models.secretvalue import SecretValue

from .placeholders import find_lenient
from .reply import closed_ranges, is_closed


class Restorer:
    """Restores for one session. Thread-safe where its opener is."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener

    def restore(self, text: str, purpose: Purpose | None = None) -> RestoredText:
        """``text`` with every strict placeholder that this session issued and that lives replaced by its exact value.
        One layer is taken off; unknown and dead placeholders stay and are reported in ``unresolved``."""
        check_text(text)
        found = find_all(text)
        values = self._open((placeholder for _, _, placeholder in found), purpose or Restore())
        return _replaced(text, found, values)

    def restore_json(self, value: JsonValue, purpose: Purpose | None = None) -> JsonValue:
        """A copy of ``value`` with all placeholders of its strings and keys restored; a string that is one whole
        placeholder of a number comes back as that number. Raises ``NotJson`` and ``LimitExceeded`` like
        ``redact_json``."""
        check_json(value)
        texts = list(_strings(value))
        found = {placeholder for text in texts for _, _, placeholder in find_all(text)}
        return _restored(value, self._open(sorted(found), purpose or Restore("restore_json")))

    def restore_reply(self, text: str, purpose: Purpose | None = None) -> RestoredText:
        """Model output for a person: lenient about what models do to a placeholder's surroundings. Look-alikes come
        back as the text they stand for. Nothing opens inside URLs, link targets, HTML attributes or code."""
        check_text(text)
        closed = closed_ranges(text)
        lenient = find_lenient(text)
        wanted = [item for item in lenient if not is_closed(closed, item.start, item.end)]
        values = self._open((item.placeholder for item in wanted), purpose or Restore("restore_reply"))
        restored = _replaced(text, [(item.start, item.end, item.placeholder) for item in wanted], values)
        left = [str(item.placeholder) for item in lenient if is_closed(closed, item.start, item.end)]
        return RestoredText.of(str(restored), (*restored.unresolved, *left))

    def _open(self, placeholders: Iterable[Placeholder], purpose: Purpose) -> dict[Placeholder, SecretValue]:
        distinct = list(dict.fromkeys(placeholders))
        return self._opener.open(distinct, purpose) if distinct else {}


def check_text(text: object) -> None:
    """Nothing, or ``InvalidInput`` for what is no text."""
    if not isinstance(text, str):
        raise InvalidInput("a text is a str")


def _replaced(
    text: str, found: list[tuple[int, int, Placeholder]], values: dict[Placeholder, SecretValue]
) -> RestoredText:
    pieces: list[str] = []
    unresolved: list[str] = []
    at = 0
    for start, end, placeholder in found:
        value = values.get(placeholder)
        if value is None:
            unresolved.append(str(placeholder))
            continue
        pieces += (text[at:start], value.text())
        at = end
    return RestoredText.of("".join(pieces) + text[at:], tuple(unresolved))


def _strings(value: JsonValue) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)


def _restored(value: JsonValue, values: dict[Placeholder, SecretValue]) -> JsonValue:
    if isinstance(value, str):
        found = find_all(value)
        if len(found) == 1 and found[0][:2] == (0, len(value)) and found[0][2] in values:
            return values[found[0][2]].reveal()
        return str(_replaced(value, found, values)) if found else value
    if isinstance(value, list):
        return [_restored(item, values) for item in value]
    if isinstance(value, dict):
        return {str(_restored(key, values)): _restored(item, values) for key, item in value.items()}
    return value
