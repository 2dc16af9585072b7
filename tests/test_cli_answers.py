"""The demo's answers: read from a file, typed, or made up; and what in them is the secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sealgate.gateway.cli import answers
from sealgate.gateway.cli.answers import Answers, read_answers, scripted_answers, secret_part
from sealgate.models.errors import InvalidInput

GIVEN = {"account_number": "9876-5432-1098", "otp_code": "the code is 001122"}


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**GIVEN, "other": [1]}), "utf-8")
    (tmp_path / "a.toml").write_text("\n".join(f'{name} = "{value}"' for name, value in GIVEN.items()), "utf-8")
    assert read_answers(tmp_path / "a.json") == read_answers(tmp_path / "a.toml") == GIVEN


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "needs a text for 'account_number'"),
        ("[]", "needs a text for 'account_number'"),
        ('{"account_number": "1234-5678-9012"}', "needs a text for 'otp_code'"),
        ('{"account_number": "1234-5678-9012", "otp_code": 482913}', "needs a text for 'otp_code'"),
        ('{"account_number": "", "otp_code": "482913"}', "needs a text for 'account_number'"),
        ("otp_code 482913", "is not JSON"),
        ("[" * 60_000, "is not JSON"),
        (" " * 70_000, "longer than"),
    ],
)
def test_a_bad_file_is_refused_without_quoting_it(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(content, "utf-8")
    with pytest.raises(InvalidInput, match=said) as caught:
        read_answers(path)
    assert "482913" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "a.toml"):
        (tmp_path / name).write_bytes(b"\xff\xfe482913")
        with pytest.raises(InvalidInput, match="is not"):
            read_answers(tmp_path / name)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_answers(tmp_path)


@pytest.mark.parametrize(
    ("answer", "secret"),
    [
        ("482913", "482913"),
        ("my code is 482 913, thanks", "482 913"),
        ("1234-5678-9012 (the 2nd)", "1234-5678-9012"),
        (" none at all ", "none at all"),
    ],
)
def test_the_secret_is_the_longest_run_of_digits(answer: str, secret: str) -> None:
    assert secret_part(answer) == secret


def test_what_was_typed_is_kept_and_not_shown() -> None:
    person = Answers(scripted_answers(GIVEN))
    assert person.handler("otp_code")("Code: ") == GIVEN["otp_code"]
    person.handler("account_number")("Account: ")
    assert person.values() == {"otp_code #1": "001122", "account_number #2": "9876-5432-1098"}
    assert "001122" not in repr(person)


def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert not answers.has_terminal()
