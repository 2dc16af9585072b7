"""Values inside a longer string: escaped as the language around them wants it, or refused."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealgate.gateway.tools.contexts import Unfit, fill
from sealgate.models.placeholder import parse

P = parse("[PERSON_K7Q2MXB4]")
Q = parse("[PERSON_K7Q2MXB5]")


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("Dear {P},", 'O\'Brien "x" <y>', 'Dear O\'Brien "x" <y>,'),
        ("{P} wrote", "Jane", "Jane wrote"),
        ("{P}: hello", "Jane", "Jane: hello"),
        ("update me at {P} from now", "O'Brien", "update me at O'Brien from now"),
        ('{{"a": "{P}", "n": 1}}', '", "admin": true', '{"a": "\\", \\"admin\\": true", "n": 1}'),
        ('{{"{P}": [true, "x {P}"]}}', 'a"b', '{"a\\"b": [true, "x a\\"b"]}'),
        ('["{P}"]', "a\nb", '["a\\nb"]'),
        ('{{"a": {P}}}', "12", '{"a": 12}'),
        ('{{"u": "https://x.example/{P}"}}', 'a/"b', '{"u": "https://x.example/a%2F%22b"}'),
        ("https://x.example/{P}/y", "../../etc", "https://x.example/..%2F..%2Fetc/y"),
        ("https://x.example/?q={P}&r=1", "a&r=2#z", "https://x.example/?q=a%26r%3D2%23z&r=1"),
        ("https://x.example/#{P}", "a b", "https://x.example/#a%20b"),
        ("see <https://x.example/{P}>, {P}", "a b", "see <https://x.example/a%20b>, a b"),
        ("//x.example/{P}", "a/b", "//x.example/a%2Fb"),
        ("/users/{P}/cards", "12345", "/users/12345/cards"),
        ("a=1&b={P}", "jane@example.com", "a=1&b=jane@example.com"),
        ("SELECT * FROM t WHERE n = '{P}'", "Jane Roe", "SELECT * FROM t WHERE n = 'Jane Roe'"),
        ("SELECT * FROM t WHERE n = {P}", "42", "SELECT * FROM t WHERE n = 42"),
    ],
)
def test_it_is_escaped_for_its_place(text: str, value: str, expected: str) -> None:
    assert fill(text.format(P=P), {P: value}) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{{"a": {P}}}', '1, "b": 2'),
        ('{{"a": "{P}", "a": 1}}', "x"),
        ('{{"a": "{P}"', '"'),
        ("https://{P}/", "evil.test"),
        ("https://{P}@x.example/", "jane"),
        ("https://x.example:{P}/", "443"),
        ("https://x.example{P}", ".evil.test"),
        ("https://x.example/{P}/y", ".."),
        ("https://x.example/{P}", "\ud800"),
        ("{P}://x.example", "https"),
        ("{P}:alert(1)", "javascript"),
        ("/users/{P}/cards", "../admin"),
        ("a=1&b={P}", "x&admin=1"),
        ("mailto:{P}", "a?bcc=b@evil.test"),
        ("SELECT * FROM t WHERE n = '{P}'", "x' OR 1=1 --"),
        ("SELECT * FROM t WHERE n = '{P}'", "x\\"),
        ("SELECT * FROM t WHERE n = {P}", "1 OR 1=1"),
        ("INSERT INTO t VALUES ({P})", "1), (2"),
        ("update t set a = {P}", "1, b = 2"),
    ],
)
def test_it_is_refused_where_it_could_break_out(text: str, value: str) -> None:
    with pytest.raises(Unfit) as refused:
        fill(text.format(P=P), {P: value})
    assert refused.value.placeholder == P
    assert value not in str(refused.value).split()


def test_what_the_model_wrote_itself_goes_back_as_it_was() -> None:
    text = f"SELECT * FROM t WHERE n = '{P}' AND u = 'https://{P}'"
    assert fill(text, {P: "x' --"}, frozenset({P})) == text.replace(str(P), "x' --")
    assert fill(f"https://x.example/{P}/{Q}", {P: "a b", Q: "c d"}, frozenset({P})) == "https://x.example/a b/c%20d"


def test_without_a_form_a_placeholder_stays() -> None:
    assert fill(f"{P} {Q}", {Q: "x"}) == f"{P} x"


@given(value=st.text(max_size=30))
def test_json_holds_the_value_and_nothing_else(value: str) -> None:
    made = json.loads(fill(json.dumps({"a": f"x {P}", "b": 1, str(Q): "y"}), {P: value}))
    assert made == {"a": f"x {value}", "b": 1, str(Q): "y"}


@given(value=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
def test_a_url_holds_the_value_in_its_place(value: str) -> None:
    try:
        made = urlsplit(fill(f"https://x.example/a/{P}/b?q={P}#f", {P: value}))
    except Unfit:
        assert not value.strip(".")
        return
    assert (made.hostname, unquote(made.path.split("/")[2]), made.fragment) == ("x.example", value, "f")
    assert parse_qs(made.query, keep_blank_values=True) == {"q": [value]}
