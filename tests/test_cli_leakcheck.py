"""The leak checker finds a planted value in every spelling that it promises, and nothing in clean places."""

from __future__ import annotations

import ast
import base64
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealgate.gateway.cli import decodings, leakcheck
from sealgate.gateway.cli.leakcheck import Leak, find_leaks, read_files
from sealgate.models.errors import InvalidInput, LimitExceeded

VALUES = {"account": "1234-5678-9012", "code": "482913", "name": "Zoë Müller-Ångström", "password": "Tr0ub4dor&3"}


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def entities(text: str) -> str:
    return "".join(f"&#{ord(char)};" for char in text)


def percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8"))


def in_base64(offset: int) -> Callable[[str], str]:
    return lambda text: base64.b64encode(b"x" * offset + text.encode("utf-8") + b"y").decode("ascii")


def url_base64(text: str) -> str:
    return base64.urlsafe_b64encode(b"??>" + text.encode("utf-8")).decode("ascii").rstrip("=")


def wrapped_base64(text: str) -> str:
    return base64.encodebytes(b"head " * 20 + text.encode("utf-8") + b" tail" * 20).decode("ascii")


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "full width": full_width,
    "zero width": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "json": json.dumps,
    "json in json": lambda text: json.dumps(json.dumps({"v": text})),
    "escapes": escaped,
    "entities": entities,
    "quoted": quote,
    "percent": percent,
    "percent twice": lambda text: percent(percent(text)),
    "base64 at 0": in_base64(0),
    "base64 at 1": in_base64(1),
    "base64 at 2": in_base64(2),
    "base64 for urls": url_base64,
    "base64 in lines": wrapped_base64,
    "base64 of base64": lambda text: in_base64(1)(in_base64(2)(text)),
    "hex": lambda text: text.encode("utf-8").hex(),
    "hex with colons": lambda text: text.encode("utf-8").hex(":"),
    "hex after a digit": lambda text: "f" + text.encode("utf-8").hex().upper(),
    "reversed": lambda text: text[::-1],
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_seen_through(name: str, encoding: str) -> None:
    planted = f'{{"note": "see {ENCODINGS[encoding](VALUES[name])} there"}}'
    for content in (planted, planted.encode("utf-8"), planted.encode("utf-16"), b"\0\xff\x01" + planted.encode()):
        report = find_leaks({name: VALUES[name]}, {"log": content})
        assert [(leak.place, leak.name) for leak in report.leaks] == [("log", name)], type(content)


@pytest.mark.parametrize("spelled", ["1234 5678 9012", "123456789012", "1234.5678.9012", "1 2 3 4 5 6 7 8 9 0 1 2",
                                     "1234_5678_9012", "١٢٣٤٥٦٧٨٩٠١٢", "1234\u00a05678\u00a09012", "1234–5678–9012",
                                     '["1234", "5678", "9012"]', "99123456789012", "1.23456789012e11"])  # fmt: skip
def test_other_separators_are_seen_through(spelled: str) -> None:
    assert find_leaks(VALUES, {"log": f"x {spelled} y"}).leaks == (Leak("log", "account", "re-spelled"),)


@pytest.mark.parametrize("spelled", ["482 913", "482-913", "4 8 2 9 1 3", "4.8.2.9.1.3", "code=482913;", "x482913y",
                                     "12 482913 7", "G-482913", "482913.", "\u0664\u0668\u0662\u0669\u0661\u0663",
                                     '["4","8","2","9","1","3"]', "4\n8\n2\n9\n1\n3", "482_913"])  # fmt: skip
def test_a_short_code_is_found_as_a_token(spelled: str) -> None:
    assert [leak.name for leak in find_leaks(VALUES, {"log": f"so {spelled} it is"}).leaks] == ["code"]


@pytest.mark.parametrize("harmless", ["1482913", "4829134", "1764522577.482913", "0.482913", "482913.50",
                                      "2026-11-30 17:48:29.482913", "2026-48-29T13:00:00", "id 04829131",
                                      "call_1482913f", "48 apples and 2913 pears", "9012-5678-1234"])  # fmt: skip
def test_time_stamps_and_ids_do_not_alarm(harmless: str) -> None:
    assert find_leaks(VALUES, {"log": f"at {harmless} ok"}).leaks == ()


def test_a_value_in_streamed_pieces_is_found() -> None:
    frames = "".join(
        f"id: {n}\ndata: {json.dumps({'delta': piece})}\n\n" for n, piece in enumerate(("1234-56", "78-90", "12"))
    )
    assert [leak.how for leak in find_leaks(VALUES, {"wire": frames}).leaks] == ["split strings"]


def test_short_words_are_found_whole_only() -> None:
    assert find_leaks({"word": "tulip"}, {"a": "a TULIP, yes", "b": "tulips", "c": "xtulip"}).leaks == (
        Leak("a", "word", "re-spelled"),
    )


def test_signs_are_found_literally() -> None:
    assert find_leaks({"signs": "!?-$$-?!"}, {"a": "pw=!?-$$-?!;", "b": "!?$$?!"}).leaks == (
        Leak("a", "signs", "literal"),
    )


def test_the_files_of_a_database_are_read_with_their_journals(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode=wal")
    connection.execute("create table t (v text)")
    connection.execute("insert into t values (?)", (VALUES["account"],))
    connection.commit()
    files = read_files([path, tmp_path / "absent"])
    connection.close()
    assert set(files) == {"plain.db", "plain.db-wal", "plain.db-shm"}
    assert {leak.place for leak in find_leaks(VALUES, files).leaks} == {"plain.db-wal"}


def test_the_report_counts_and_never_shows_a_value() -> None:
    report = find_leaks(VALUES, {"a": "482913 and 1234-5678-9012", "b": ""})
    assert str(report) == "2 leaks in 2 places"
    assert str(find_leaks(VALUES, {"b": ""})) == "0 leaks in 1 place"
    assert not any(value in repr(report) for value in VALUES.values())
    assert not any(value in repr(leakcheck._needle("n", value)) for value in VALUES.values())


def test_what_cannot_be_checked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="too short"):
        find_leaks({"pin": "12 3"}, {})
    monkeypatch.setattr(leakcheck, "MAX_PLACE", 10)
    with pytest.raises(LimitExceeded) as caught:
        find_leaks(VALUES, {"log": "x" * 11})
    assert caught.value.limit == 10


def test_it_shares_no_code_with_what_it_checks() -> None:
    allowed = {"sealgate.models.errors", "decodings"}
    for module in (leakcheck, decodings):
        source = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        ours = {node.module for node in ast.walk(source) if isinstance(node, ast.ImportFrom) and node.level} | {
            node.module
            for node in ast.walk(source)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sealgate")
        }
        assert ours <= allowed


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(sorted(ENCODINGS)))
@settings(max_examples=100, deadline=None)
def test_no_surroundings_hide_a_long_value(before: str, after: str, encoding: str) -> None:
    planted = f"{before} {ENCODINGS[encoding](VALUES['account'])} {after}"
    assert [leak.name for leak in find_leaks({"account": VALUES["account"]}, {"log": planted}).leaks] == ["account"]


@given(st.binary(max_size=400))
@settings(max_examples=60, deadline=None)
def test_any_bytes_can_be_searched(content: bytes) -> None:
    assert find_leaks({"account": VALUES["account"]}, {"file": content}).leaks == ()
