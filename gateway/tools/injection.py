"""The one place where placeholders become values: the arguments of one tool call, at the moment it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sealgate.models.errors import MalformedPlaceholder, ToolFailed
from sealgate.models.grants import Accepts, Inject
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.placeholder import Placeholder, find_all
from sealgate.models.sealing import Opener
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import is_valid, machine_form


@dataclass(frozen=True, slots=True)
class Injection:
    """What one call may receive.

    ``arguments`` are the sealed arguments by name; ``given`` holds, for each, the placeholders that an answer, private
    data or another tool's result put there; ``written`` the placeholders of plain values that the model wrote into
    this very call.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, JsonValue]
    accepts: Mapping[str, Accepts]
    given: Mapping[str, frozenset[Placeholder]] = field(default_factory=dict)
    written: frozenset[Placeholder] = frozenset()
    keep: bool = False


def inject(opener: Opener, injection: Injection) -> dict[str, object]:
    """New arguments with the real values in them; the sealed ones are not touched, and no part of them is shared.

    With ``keep``, placeholders without a grant stay closed instead of being refused. Raises ``MalformedPlaceholder``
    for what the model meant as a placeholder and did not spell as one, and what ``Opener.open`` raises for ``Inject``.
    """
    # What was given for its argument is never refused for a grant, and may be used only once. It comes last, so that a
    # call that is refused burns nothing.
    order = sorted(injection.arguments, key=lambda name: bool(injection.given.get(name)))
    opened = {name: _argument(opener, injection, name, injection.arguments[name]) for name in order}
    return {name: opened[name] for name in injection.arguments}


def placeholders_in(value: JsonValue) -> frozenset[Placeholder]:
    """Every placeholder in a JSON value, keys included."""
    if isinstance(value, str):
        return frozenset(placeholder for _start, _end, placeholder in find_all(value))
    if isinstance(value, list):
        return frozenset().union(*map(placeholders_in, value))
    if isinstance(value, dict):
        return frozenset().union(*map(placeholders_in, [*value, *value.values()]))
    return frozenset()


def _argument(opener: Opener, injection: Injection, name: str, sealed: JsonValue) -> object:
    wanted = placeholders_in(sealed)
    grant = injection.accepts.get(name)
    given = injection.given.get(name, frozenset())
    if not injection.keep and any(one.entity_type == "LITERAL" for one in wanted & injection.written):
        raise MalformedPlaceholder(f"argument {name!r} holds a placeholder that is not spelled as it was given")
    if injection.keep and grant is None:
        wanted &= given | injection.written
    purpose = Inject(
        call_id=injection.call_id,
        tool=injection.tool,
        argument=name,
        accepts=grant,
        given=given,
        written=injection.written,
        valid=is_valid,
    )
    opened = opener.open(sorted(wanted), purpose) if wanted else {}
    return _filled(sealed, opened, grant)


def _filled(sealed: JsonValue, opened: Mapping[Placeholder, SecretValue], grant: Accepts | None) -> object:
    if isinstance(sealed, str):
        return _filled_text(sealed, opened, grant)
    if isinstance(sealed, list):
        return [_filled(item, opened, grant) for item in sealed]
    if isinstance(sealed, dict):
        filled = {str(_filled_text(key, opened, grant)): _filled(item, opened, grant) for key, item in sealed.items()}
        if len(filled) != len(sealed):
            raise ToolFailed("two keys of an argument became one")
        return filled
    return sealed


def _filled_text(sealed: str, opened: Mapping[Placeholder, SecretValue], grant: Accepts | None) -> object:
    found = find_all(sealed)
    if len(found) == 1 and found[0][:2] == (0, len(sealed)) and found[0][2] in opened:
        return _form(found[0][2], opened[found[0][2]], grant)
    parts, last = [], 0
    for start, end, placeholder in found:
        if placeholder in opened:
            parts += [sealed[last:start], str(_form(placeholder, opened[placeholder], grant))]
            last = end
    return "".join([*parts, sealed[last:]])


def _form(placeholder: Placeholder, value: SecretValue, grant: Accepts | None) -> object:
    """The machine form of the granted type; without one, of the placeholder's own. A number stays a number."""
    if value.json_type != "string":
        return value.reveal()
    text = value.text()
    granted = [name for name in (grant.entity_types if grant else ()) if is_valid(name, text)]
    own = placeholder.entity_type
    return machine_form(own if own in granted or not granted else granted[0], text)
