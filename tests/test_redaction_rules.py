"""The tables of rules are their own tests."""

from __future__ import annotations

from collections.abc import Iterator
from re._constants import ANY, IN, LITERAL, MAX_REPEAT, MAXREPEAT, MIN_REPEAT, NOT_LITERAL  # type: ignore[import-not-found]
from re._parser import SubPattern, parse  # type: ignore[import-not-found]
from typing import Any

import pytest

from sealgate.models.entities import ENTITY_TYPES
from sealgate.redaction.reading.projection import project
from sealgate.redaction.rules import ALL_RULES
from sealgate.redaction.rules.rule import Rule
from sealgate.redaction.rules.ruleset import RuleSet

RULES = RuleSet(ALL_RULES)
HOSTILE = (
    "a.", "12 ", "1 ", "@", "a@", " dot ", "eyJ",
    "one ", "1.", "1-", "::", "0:", "%41", "&#64;", "key=", "password is ",
    "token ", "AB12 ", "Mr A ", "1 a st ", "name: A ", "code is ",
    "account is : ", "-----BEGIN PRIVATE KEY-----", "://a:",
    "xxxx ", "a_", "[EMAIL_", "born on ", "rue de ", "4111 ", "+1", "Aa0", "ssn ", "best,\n", "1 rue ", "\u200b",
    "ID A1 ", "1 A ", "1 Aa, ", "Flat 1, ", "corner of A ", "Apt 1\n", "Aa A. ", "A, B ",
    "PID|1|", "logged in ", "Text Ada ", "husband Aa ", "住所:1", "ул. Аа ",
    "患者 田", "Aa, RN ", "sample no 1 ", "王先生", "(h) 1 ",
)  # fmt: skip


def marked(example: str) -> tuple[str, list[tuple[int, int]]]:
    """An example without its marks, and the spans that they mark."""
    plain = ""
    spans: list[tuple[int, int]] = []
    for piece in example.split("«"):
        if not plain and not spans and not example.startswith("«"):
            plain = piece
            continue
        value, mark, rest = piece.partition("»")
        if mark:
            spans.append((len(plain), len(plain) + len(value)))
        plain += value + rest
    return plain, spans


def test_marks_are_read() -> None:
    assert marked("a «bc» d «e»") == ("a bc d e", [(2, 4), (7, 8)])
    assert marked("«ab»") == ("ab", [(0, 2)])
    assert marked("ab") == ("ab", [])


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.name)
def test_examples(rule: Rule) -> None:
    assert rule.examples
    for example in rule.examples:
        plain, spans = marked(example)
        assert spans
        assert list(rule.find(project(plain).text)) == spans


@pytest.mark.parametrize("rule", [rule for rule in ALL_RULES if rule.counter_examples], ids=lambda rule: rule.name)
def test_counter_examples(rule: Rule) -> None:
    for example in rule.counter_examples:
        assert not list(rule.find(project(example).text))


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.name)
def test_gates_and_words_let_the_examples_through(rule: Rule) -> None:
    for example in rule.examples:
        plain, spans = marked(example)
        found = [(item.start, item.end) for item in RULES.find(project(plain)) if item.recognizer == rule.name]
        assert found == spans


def test_names_are_unique_and_types_are_known() -> None:
    names = [rule.name for rule in ALL_RULES]
    assert len(set(names)) == len(names)
    assert {rule.entity_type for rule in ALL_RULES} <= set(ENTITY_TYPES)


def test_at_least_thirty_countries_and_every_credential_kind() -> None:
    types = {rule.entity_type for rule in ALL_RULES}
    countries = {rule.name.split("-")[0] for rule in ALL_RULES if len(rule.name.split("-")[0]) == 2}
    assert len(countries) >= 30
    assert {"OTP_CODE", "PIN", "CVV", "PASSWORD", "API_KEY", "PRIVATE_KEY", "JWT"} <= types


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.name)
def test_no_repetition_of_more_than_one_symbol_is_unbounded(rule: Rule) -> None:
    """What cannot repeat without end cannot fail late without end; a single symbol may."""
    for expression in (rule.pattern, rule.before, rule.after, rule.unless):
        assert list(unbounded(parse(expression, rule.flags))) == []


def unbounded(parsed: Any) -> Iterator[Any]:
    """The parts of a parsed expression that repeat something composed without a bound."""
    for operation, argument in parsed:
        if operation in (MAX_REPEAT, MIN_REPEAT):
            _, most, inner = argument
            if most == MAXREPEAT and (len(inner) != 1 or inner[0][0] not in (IN, NOT_LITERAL, LITERAL, ANY)):
                yield argument
        for part in argument if isinstance(argument, (tuple, list)) else ():
            for branch in part if isinstance(part, list) else [part]:
                if isinstance(branch, SubPattern):
                    yield from unbounded(branch)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_repetition_ends(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    assert all(0 <= found.start < found.end <= len(text) for found in RULES.find(project(text)))
