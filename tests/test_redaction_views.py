from __future__ import annotations

import base64
import json
import zlib
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sealgate.redaction.reading.dumps import dumped
from sealgate.redaction.reading.encoded_words import ROOM, SHORTEST_TOKEN, readable
from sealgate.redaction.reading.encodings import ENCODINGS, forms, rot13
from sealgate.redaction.reading.projection import project, project_text
from sealgate.redaction.reading.views import MAX_VIEWS, projection_views, text_views

TEXTS = ("831942", "4929-1182-3345-9921", "Ünïcode & <tags>", "a\nb\tc", 'quote " and \\ slash')


BY_MATCHER = (
    "reversed", "ROT13", "hex with separators", "UTF-16 little-endian", "UTF-16 big-endian", "base32", "Unicode tags",
    "look-alike letters", "digits in words",
)  # fmt: skip
"""What the matcher does by itself: it reads backwards, in ROT13, over separators and by look; base32 of short texts is
rare."""

SEEN = {
    f"{encoding.name} of {text!r}": (encoding.encode(text), text)
    for encoding in ENCODINGS
    for text in TEXTS
    if encoding.name not in BY_MATCHER
}


@pytest.mark.parametrize("name", SEEN)
def test_a_view_shows_what_was_encoded(name: str) -> None:
    encoded, text = SEEN[name]
    assert any(text in view for view in text_views(f"<{encoded}>"))


@given(st.text(alphabet="%&;#x0123456789abcdefu\\=3D2B \n'\"{}", max_size=80))
def test_both_kinds_of_views_read_the_same_and_lead_back_inside(text: str) -> None:
    projection = project(text)
    mapped = list(projection_views(projection))
    assert [view.text for view in mapped] == list(text_views(projection.text))
    assert len(mapped) <= MAX_VIEWS
    for view in mapped:
        for at in range(len(view.text)):
            span = view.span(at, at + 1)
            assert 0 <= span.start < span.end <= len(text)


@given(st.text(max_size=60))
def test_the_fast_projection_is_the_projection(text: str) -> None:
    assert project_text(text) == project(text).text


@given(st.text(max_size=40), st.text(max_size=5), st.text(max_size=5))
def test_the_base64_of_any_surroundings_holds_a_form(value: str, before: str, after: str) -> None:
    raw = "".join((before, value, after)).encode("utf-8", "surrogatepass")
    encoded = base64.b64encode(raw).decode()
    assert any(form in encoded for form in forms(value)[2:])


@given(st.text(max_size=40))
def test_rot13_is_its_own_inverse(text: str) -> None:
    assert rot13(rot13(text)) == text


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (b"text", "text"),
        ("wide".encode("utf-16-le"), "wide"),
        ("wide".encode("utf-16-be"), "wide"),
        ("é".encode(), "é"),
        ("wide".encode("utf-16"), "wide"),
        ("\ufeff831942".encode(), "\ufeff831942"),
        ("831942\xa0\u3000\u200d\ue000".encode(), "831942\xa0\u3000\u200d\ue000"),
        (b"\x1b[31m831942\x07", "\x1b[31m831942\x07"),
        (b"\0831942\0", " 831942 "),
        (b"\xff\xfe\xfd", ""),
        (b"\x00\x01\x02\x03", ""),
        (b"", ""),
    ],
)
def test_only_readable_bytes_are_text(raw: bytes, plain: str) -> None:
    assert readable(raw) == plain


@pytest.mark.parametrize(
    "unit",
    [
        *("%41", "&#65;", "&amp;", "\\u0041", "=41", "0x41, ", "QUJD", "41", "&", "%", "\\", "=", "&#", "0x", "A"),
        *(
            "00000000: 4141",
            "0000000 41 ",
            "00000000: 4141  AA\n",
            "0000",
            "begin 644 a\n",
            "begin 644 a\n#04)#\n",
            "<~",
        ),
        *("<~@:E^~>", "chr(65)+", "chr(65", "a+A", "+AEE", " +AEE-", "x+AEE-", "CHAR(0x41) || "),
    ],
)
def test_views_of_hostile_text_are_few_and_no_longer(unit: str) -> None:
    views = list(text_views(unit * 30_000))
    assert len(views) <= MAX_VIEWS
    assert all(len(view) <= len(views[0]) + 2 for view in views)


@given(
    st.one_of(
        st.binary(min_size=3, max_size=12),
        st.text(min_size=2, max_size=6).map(lambda text: text.encode("utf-8", "replace")),
        st.text(min_size=2, max_size=6).map(lambda text: text.encode("utf-16-le", "replace")),
        st.text(min_size=2, max_size=6).map(lambda text: text.encode("utf-16-be", "replace")),
    )
)
def test_readable_base64_is_not_passed_over(raw: bytes) -> None:
    """But for what begins as neither UTF-8 nor the UTF-16 of a Latin letter can."""
    assume(not 0x80 <= raw[0] < 0xC0 or raw[1] == 0)
    core = base64.b64encode(raw).decode().rstrip("=")
    plain = project_text(readable(raw))
    assert not plain or len(core) < SHORTEST_TOKEN or any(plain in view for view in text_views(core))


NOT_PLAIN = (
    "\xa0",
    "\u3000",
    "\u200d",
    "\ufeff",
    "\xad",
    "\u200f",
    "\ue000",
    "\U0001fae9",
    "\x1b[0m",
    "\a",
    "\0",
    "\x85",
)
"""What shows nothing, is a space of its own, or is no character that Python knows to print."""


@pytest.mark.parametrize("around", NOT_PLAIN)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16"])
def test_what_shows_nothing_hides_no_encoded_text(around: str, codec: str) -> None:
    raw = f"{around}it is 831942 {around}".encode(codec)
    for encoded in (raw.hex(), base64.b64encode(raw).decode(), base64.b64encode(zlib.compress(raw)).decode()):
        assert any("831942" in view for view in text_views(encoded))


@pytest.mark.parametrize("written", ["８３１９４２", "٨٣١٩٤٢", "83\u200b1942", "𝟖𝟑𝟏𝟗𝟒𝟐"])
def test_an_encoded_text_is_read_like_any_other(written: str) -> None:
    escaped = json.dumps(written)[1:-1]
    for encoded in (escaped, base64.b64encode(written.encode()).decode(), quote(written), written.encode().hex()):
        assert any("831942" in view for view in text_views(encoded))


@pytest.mark.parametrize(
    "written",
    [
        "00000000: 6974 2069 7320 3833 3139 3432 206e 6f77  it is 831942 now\r\n00000010: 2e                 .",
        "see\n  0000000  61 61 61 61 61 61 61 61  61 61 61 61 20 38 33 31  |aaaa|\n  0000010  39 34 32      |942|\nend",
        "String.fromCharCode(56,51,49,57,52,50)",
        "'x'||chr(56)||chr(51)||chr(49)||chr(57)||chr(52)||chr(50)",
        "ChrW(56) & ChrW(51) & ChrW(49) & ChrW(57) & ChrW(52) & ChrW(50)",
        "nchar(0x38)+nchar(0x33)+nchar(0x31)+nchar(0x39)+nchar(0x34)+nchar(0x32)",
        "begin 644 code.txt\n&.#,Q.30R\n`\nend\n",
        "is<+ADgAMwAxADkANAAy->it",
        "<~3&<9\n  L1bo~>",
    ],
)
def test_dumps_are_read_as_tools_write_them(written: str) -> None:
    assert any("831942" in view for view in text_views(written))


@pytest.mark.parametrize(
    "text",
    [
        "call 0000 1234 5678 or 00000000",
        "begin 644 and go on",
        "a <~ b and c ~> d",
        "chr(0) is not chr (65)",
        "1+Apples and 2+A",
        "card 4000 0000 0000 0002",
    ],
)
def test_what_only_looks_like_a_dump_is_none(text: str) -> None:
    assert dumped(text) == []


def test_deflate_without_a_header_is_read_where_it_ends() -> None:
    raw = b"it is 831942, as everybody knows who was told so"
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(raw) + packer.flush()
    for encoded in (base64.b64encode(packed).decode(), packed.hex()):
        assert any("831942" in view for view in text_views(f"<{encoded}>"))
    assert not any("831942" in view for view in text_views(packed[:-4].hex()))


@pytest.mark.parametrize("width", [64, 76])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("before", range(36, 60))
def test_a_word_wrapped_over_lines_is_one_word(width: int, ending: str, before: int) -> None:
    encoded = base64.b64encode(f"{'x' * before} 831942 {'y' * 60}".encode()).decode()
    lines = [encoded[at : at + width] for at in range(0, len(encoded), width)]
    assert any("831942" in view for view in text_views(ending.join(lines)))


def test_lines_that_are_no_wrapped_word_are_read_for_themselves() -> None:
    lines = [base64.b64encode(b"x" * 27 + b"!").decode(), "831942 " * 3, base64.b64encode(b"y" * 30).decode()]
    assert any("x" * 27 in view and "y" * 30 in view for view in text_views("\n".join(lines)))


def test_the_parts_of_a_path_are_read() -> None:
    encoded = base64.urlsafe_b64encode(b"831942").decode()
    assert any("831942" in view for view in text_views(f"https://mail.example/{encoded}/next"))


@pytest.mark.parametrize("levels", [1, 2])
def test_compressed_words_add_a_bounded_length(levels: int) -> None:
    bomb = "word and number 831942. " * 50_000
    for _ in range(levels):
        word = base64.b64encode(zlib.compress(bomb.encode(), 9)).decode()
        bomb = f"{word} " * 100
    largest = max(map(len, text_views(bomb)))
    assert len(bomb) + ROOM // 2 < largest <= 8 * max(ROOM, len(bomb))
