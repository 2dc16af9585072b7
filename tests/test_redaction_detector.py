"""The detector: layers, cache, failure, and a user's own recognizers."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sealgate.models.errors import DetectionFailed, UnknownEntityType
from sealgate.models.findings import Finding
from sealgate.redaction import Detector
from sealgate.redaction.cache import ENTRIES, SpanCache
from sealgate.redaction.names.model_files import check_digests, package_folder


class Counting:
    """A recognizer that counts its calls and finds one word."""

    def __init__(self) -> None:
        self.calls = 0

    def recognize(self, text: str) -> list[Finding]:
        self.calls += 1
        at = text.find("heron")
        return [Finding("PERSON", at, at + 5, 0.9, "counting")] if at >= 0 else []


class Beyond:
    """A recognizer that counts its places in something else than the text."""

    def __init__(self, start: int, end: int) -> None:
        self.place = (start, end)

    def recognize(self, text: str) -> list[Finding]:
        return [Finding("PERSON", *self.place, 0.9, "beyond")]


@pytest.mark.parametrize("place", [(0, 500), (400, 500), (-3, 4)])
def test_a_place_where_no_text_is_fails_the_detection(place: tuple[int, int]) -> None:
    with pytest.raises(DetectionFailed) as caught:
        Detector(recognizers=(Beyond(*place),)).detect("Ask the heron.")
    assert caught.value.__context__ is None


def test_the_coverage_does_not_change_with_use() -> None:
    detector = Detector()
    before = detector.coverage()
    detector.detect("Please ask Ada Quill about it")
    assert detector.coverage() == before
    assert detector.may_find("LOCATION")
    assert not detector.may_find("ORGANIZATION")
    assert Detector(recognizers=(Counting(),)).may_find("ORGANIZATION")


def test_a_text_is_looked_at_once_in_a_partition() -> None:
    counting = Counting()
    detector = Detector(recognizers=(counting,))
    first = detector.detect("blue heron", partition=b"a")
    assert detector.detect("blue heron", partition=b"a") == first
    assert counting.calls == 1
    detector.detect("blue heron", partition=b"b")
    assert counting.calls == 2


def test_the_cache_holds_no_text_and_forgets() -> None:
    cache = SpanCache()
    digest = cache.digest("blue heron", b"")
    cache.put(digest, [Finding("PERSON", 5, 10, 0.9, "x")])
    assert "heron" not in repr(vars(cache))
    assert SpanCache().get(digest) is None
    for number in range(ENTRIES):
        cache.put(cache.digest(str(number), b""), [])
    assert cache.get(digest) is None


def test_findings_lie_in_the_original() -> None:
    detector = Detector(names=False)
    text = "card ４１１１\u200b１１１１\u200b１１１１\u200b１１１１ ok"
    found = detector.detect(text)[0]
    assert text[found.start : found.end] == text[5:-3]


def test_escapes_and_base64_are_seen_through() -> None:
    detector = Detector(names=False)
    for text in ("to=john%40example.com&cc=1", "&lt;john&#64;example.com&gt;", "am9obi5zbWl0aEBleGFtcGxlLmNvbQ=="):
        assert {found.entity_type for found in detector.detect(text)} == {"EMAIL_ADDRESS"}


@pytest.mark.parametrize(
    ("text", "entity_type", "value"),
    [
        ("the pin is four eight two one", "PIN", "four eight two one"),
        ("my code: seven seven four, oh one nine", "OTP_CODE", "seven seven four, oh one nine"),
        ("call nine one nine, five five five, oh one three two", "PHONE_NUMBER", "five five five, oh one three two"),
    ],
)
def test_digits_in_words_are_digits(text: str, entity_type: str, value: str) -> None:
    found = Detector(names=False).detect(text)
    assert any(item.entity_type == entity_type and value in text[item.start : item.end] for item in found)


def test_numbers_in_words_that_nothing_makes_private_stay() -> None:
    detector = Detector(names=False)
    for text in ("one two three, go", "I have twenty one cats and forty two dogs", "meet at three thirty five"):
        assert detector.detect(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"product_id": 3074185296}',
        "created_at 1755302400",
        "JIRA-48213 is fixed",
        "0xDEADBEEF at 0x7ffee4b3c9d8",
        "UPC 0190074442",
        "EAN 4006381333931",
        "DOI 10.1000/xyz123456789",
        "1,234,567.89 EUR",
        "error code: 10054",
        "amqp://queue.local:5672",
        'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
        "a::b::c",
        "uses: actions/checkout@v4",
        "npm i @types/node@18.11.9",
    ],
)
def test_numbers_and_names_of_programs_stay(text: str) -> None:
    assert Detector().detect(text) == []


def test_a_possessive_is_no_part_of_a_name() -> None:
    text = "Ada Quill's car, Ada Quill’s bike"
    found = {text[item.start : item.end] for item in Detector().detect(text) if item.entity_type == "PERSON"}
    assert found == {"Ada Quill"}


def test_names_and_places_of_the_models() -> None:
    detector = Detector()
    text = "Please ask Jürgen Hoffmeister, 418 Alder Crest Road, Linden Valley, OR 97411, about it"
    found = {(item.entity_type, text[item.start : item.end]) for item in detector.detect(text)}
    assert ("PERSON", "Jürgen Hoffmeister") in found
    assert any(kind == "STREET_ADDRESS" and value.startswith("418 Alder Crest Road") for kind, value in found)


@pytest.mark.parametrize(
    "text",
    [
        "May I ask about the bill tomorrow?",
        "Python and Rust compile on Linux; Docker runs it",
        "model.fit(X_train, y_train)",
        "class Visitor(NodeVisitor):\n    def visit_Name(self, node: Name) -> None:\n        self.visit(node)\n",
    ],
)
def test_prose_without_names_and_code_stay(text: str) -> None:
    assert Detector().detect(text) == []


NOTE = """DISCHARGE SUMMARY
Patient: ODUYA, BRYNA    MRN: 4413-0822    Accession #: L59-845387
Mrs. Oduya is a 67-year-old woman with type 2 diabetes mellitus who takes Metformin 1000 mg and Rosuvastatin 20 mg.
Haemoglobin 118 g/L, GCS 15, BP 128/76, procedure code 99214. ECG: NSR, no Hodgkin lymphoma.
Home with her husband Chidi at Flat 6, 31 Brunel Locks, Lindale LA11 6LP. Pacemaker S/N PM-7180-XXMLL.
Consultant: B. Quillon. Seen by Folake Adeyemi, RN. Insurance: Acme, group 24398-647.
"""


@pytest.mark.parametrize(
    "value",
    [
        "ODUYA", "BRYNA", "4413-0822", "L59-845387", "Oduya", "Chidi", "Flat 6, 31 Brunel Locks, Lindale LA11 6LP",
        "PM-7180-XXMLL", "B. Quillon", "Folake Adeyemi", "24398-647",
    ],
)  # fmt: skip
def test_what_a_clinical_note_says_of_a_person_is_found(value: str) -> None:
    found = [(item.start, item.end) for item in Detector().detect(NOTE)]
    start = NOTE.index(value)
    assert all(any(one <= start + at < end for one, end in found) for at, char in enumerate(value) if char.isalnum())


@pytest.mark.parametrize(
    "kept",
    [
        "67-year-old", "diabetes mellitus", "Metformin 1000 mg", "Rosuvastatin 20 mg", "Haemoglobin 118 g/L", "GCS 15",
        "BP 128/76", "99214", "NSR", "Hodgkin", "Consultant", "Insurance", "DISCHARGE SUMMARY",
    ],
)  # fmt: skip
def test_the_text_around_stays(kept: str) -> None:
    start = NOTE.index(kept)
    found = [
        NOTE[one.start : one.end]
        for one in Detector().detect(NOTE)
        if one.start < start + len(kept) and start < one.end
    ]
    assert found == []


@pytest.mark.parametrize("mark", ["> ", ">> ", "> > ", "??? "])
def test_quoted_lines_are_read_like_others(mark: str) -> None:
    text = "".join(
        f"{mark}{line}\n" for line in ("Bryna Oduya", "Halden & Partners", "366 Ladbyvej", "Suite 535", "Tarnby")
    )
    found = [(item.start, item.end) for item in Detector().detect(text)]
    for value in ("Bryna Oduya", "366 Ladbyvej", "Suite 535"):
        start = text.index(value)
        assert all(any(one <= at < end for one, end in found) for at in (start, start + len(value) - 1))


def test_single_case_lines_are_read_too() -> None:
    for text in ("please email john smith about it", "CUSTOMER JOHN SMITH CALLED"):
        found = [
            text[item.start : item.end].lower() for item in Detector().detect(text) if item.entity_type == "PERSON"
        ]
        assert any("john smith" in value for value in found)


def test_a_changed_or_missing_model_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"other")
    with pytest.raises(DetectionFailed) as caught:
        check_digests(tmp_path, {"model": "0" * 64})
    assert caught.value.cause == "WrongDigest"
    with pytest.raises(DetectionFailed) as caught:
        check_digests(tmp_path, {"none": "0" * 64})
    assert caught.value.cause == "FileMissing"


def test_packages_are_found_without_import() -> None:
    assert package_folder("no_such_package_at_all") is None
    folder = package_folder("sealgate.redaction")
    assert folder is not None
    assert (folder / "redactor.py").exists()


def test_importing_redaction_loads_no_model() -> None:
    heavy = "{'spacy', 'presidio_analyzer', 'onnxruntime', 'onnx'}"
    code = f"import sys, sealgate.redaction; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_users_recognizer_of_presidios_type_is_run() -> None:
    presidio = pytest.importorskip("presidio_analyzer")
    badge = presidio.PatternRecognizer(
        supported_entity="EMPLOYEE_ID", name="badges", patterns=[presidio.Pattern("badge", r"ZX-\d{4}", 0.9)]
    )
    registry = presidio.RecognizerRegistry(recognizers=[badge])
    found = Detector(registry=registry, names=False).detect("see ZX-4711")
    assert found == [Finding("EMPLOYEE_ID", 4, 11, 0.9, "badges")]


def test_a_users_recognizer_of_an_unknown_type_is_refused() -> None:
    presidio = pytest.importorskip("presidio_analyzer")
    odd = presidio.PatternRecognizer(
        supported_entity="NO_SUCH_TYPE", name="odd", patterns=[presidio.Pattern("odd", "x", 0.9)]
    )
    with pytest.raises(UnknownEntityType):
        Detector(registry=presidio.RecognizerRegistry(recognizers=[odd]), names=False).detect("x")


def test_many_threads_share_the_models() -> None:
    detector = Detector()
    texts = [f"Please ask Maria Gonzalez and Tom Becker about item {number}" for number in range(24)]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(detector.detect, texts))
    assert together == [Detector().detect(text) for text in texts]
    assert all(any(item.entity_type == "PERSON" for item in found) for found in together)
