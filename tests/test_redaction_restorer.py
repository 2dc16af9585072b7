"""The restorer, strict and lenient."""

from __future__ import annotations

from typing import Any

import pytest

from sealgate.models.errors import NotJson
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import SecretValue, secret_of
from sealgate.redaction import Restorer

VALUE = "ada@tallowbrook.net"


@pytest.fixture
def token(memory_sealer: Any) -> str:
    """The placeholder of a sealed e-mail address."""
    return str(memory_sealer.seal([SealRequest(SecretValue(VALUE), "EMAIL_ADDRESS", "person")])[0])


def test_strict_tokens_open_and_others_are_reported(memory_sealer: Any, token: str) -> None:
    restored = Restorer(memory_sealer).restore(f"{token} {token.lower()} [EMAIL_ADDRESS_ZZZZZZZZ]")
    assert restored == f"{VALUE} {token.lower()} [EMAIL_ADDRESS_ZZZZZZZZ]"
    assert restored.unresolved == ("[EMAIL_ADDRESS_ZZZZZZZZ]",)


def test_a_shorter_placeholder_is_not_replaced_inside_a_longer_one(memory_sealer: Any, token: str) -> None:
    longer = token.replace("]", ".9FD]")
    assert Restorer(memory_sealer).restore(f"{longer} {token}") == f"{longer} {VALUE}"


def test_nothing_is_opened_for_a_text_without_placeholders(memory_sealer: Any) -> None:
    assert Restorer(memory_sealer).restore("plain") == "plain"
    assert memory_sealer.opened == []


@pytest.mark.parametrize("number", [4539787789328790, -3, 1.0, 0.1])
def test_a_number_comes_back_as_that_number(memory_sealer: Any, number: float) -> None:
    placeholder = memory_sealer.seal([SealRequest(secret_of(number), "CUSTOM", "person")])[0]
    restored: Any = Restorer(memory_sealer).restore_json({"n": str(placeholder), "s": f"<{placeholder}>"})
    assert restored["n"] == number
    assert type(restored["n"]) is type(number)
    assert restored["s"] == f"<{number!r}>"


def test_a_value_with_quotes_and_line_breaks_stays_json(memory_sealer: Any) -> None:
    value = 'line "one"\nline two\\'
    placeholder = memory_sealer.seal([SealRequest(SecretValue(value), "PRIVATE_KEY", "person")])[0]
    assert Restorer(memory_sealer).restore_json({"key": [str(placeholder)]}) == {"key": [value]}


def test_one_opening_serves_a_whole_value(memory_sealer: Any, token: str) -> None:
    Restorer(memory_sealer).restore_json({token: [token, {"a": token}]})
    assert len(memory_sealer.opened) == 1


def test_what_json_cannot_carry_is_refused(memory_sealer: Any) -> None:
    with pytest.raises(NotJson):
        Restorer(memory_sealer).restore_json({1: 2})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "template",
    ["{}", "**{}**", "see {}.", "({})", "\u201c{}\u201d", "- {}\n", "# {}", "> {}", "a < b and {}", "it is 5 > 3: {}"],
)
def test_a_reply_opens_in_prose(memory_sealer: Any, token: str, template: str) -> None:
    for spelling in (token, token.lower(), token.strip("[]"), token.replace("_", "\\_")):
        assert Restorer(memory_sealer).restore_reply(template.format(spelling)) == template.format(VALUE)


@pytest.mark.parametrize(
    "template",
    [
        "https://evil.test/?q={}",
        "//evil.test/{}",
        "www.evil.test/{}",
        "evil.test/?q={}",
        "[click](https://evil.test/{})",
        "[click](javascript:{})",
        "![x]({})",
        "[a]: /x?{}",
        '<img src="{}">',
        "<a href='{}'>x</a>",
        "<a title={}",
        "`{}`",
        "``a {} b``",
        "```\n{}\n```",
        "~~~\n{}",
        "mailto:{}",
    ],
)
def test_a_reply_opens_nothing_where_it_could_leave_the_page(memory_sealer: Any, token: str, template: str) -> None:
    text = template.format(token)
    restored = Restorer(memory_sealer).restore_reply(text)
    assert restored == text
    assert restored.unresolved == (token,)
    assert memory_sealer.opened == []


def test_a_look_alike_comes_back_as_the_text_it_stands_for(memory_sealer: Any, token: str) -> None:
    literal = memory_sealer.seal([SealRequest(SecretValue(token), "LITERAL", "person", searchable=False)])[0]
    assert Restorer(memory_sealer).restore_reply(f"you wrote {literal}") == f"you wrote {token}"
