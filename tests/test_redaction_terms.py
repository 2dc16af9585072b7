"""Terms that models take for names, places and numbers of people."""

from __future__ import annotations

import pytest

from sealgate.redaction.names.terms import is_coded, is_model, is_term


def span(text: str) -> tuple[str, int, int]:
    """A text without its marks, and where the marked value stands."""
    start, end = text.index("«"), text.index("»") - 1
    return text.replace("«", "").replace("»", ""), start, end


@pytest.mark.parametrize(
    "text",
    [
        "«Goedemorgen», hoe gaat het",
        "«Selamat pagi», apa kabar",
        "«Grüß Gott»!",
        "«Teléfono»: 911",
        "«Nurse»: how are you",
        "the «Rheumatologist» said",
        "«Bronchoscopy» was normal",
        "start «Rosuvastatin» 10 mg",
        "no «Hodgkin» lymphoma",
        "the «Laplace» transform of it",
        "seen by her, «LCSW», today",
        "signed by her, «M.D», today",
        "the «CLIA» number of it",
    ],
)
def test_terms_are_no_names(text: str) -> None:
    assert is_term(*span(text))


@pytest.mark.parametrize(
    "text",
    [
        "ask «Morgan» today",
        "ask «Ola» today",
        "dear «Asante», hello",
        "«Bill» to come",
        "ask «Moses» about it",
        "ask «Ingram» about it",
        "«Luria» wrote",
        "«Quillon» wrote it",
        "MEET «LCSW» THERE",
        "«CLH»",
        "ask «LEE» today",
        "from «Tacoma» to",
        "ask «Michael Caine» today",
    ],
)
def test_names_are_no_terms(text: str) -> None:
    assert not is_term(*span(text))


@pytest.mark.parametrize(
    "text",
    [
        "your UPS tracking number is «1Z999AA10123456784»",
        "pod «checkout-api-7d9f8b6c5d-x2x7k»",
        "ISBN-10 «0-306-40615-2»",
        "procedure codes 99214 and «36415»",
        "it was «J45.909»",
        "booking reference is «K7Q2MX»",
        "trial «NCT04280705»",
    ],
)
def test_numbers_of_things(text: str) -> None:
    assert is_coded(*span(text))


@pytest.mark.parametrize(
    "text", ["call «4155550132»", "licence «D1234567»", "passport «X12345678»", "ID «88129934»", "chart «00482913»"]
)
def test_numbers_of_people(text: str) -> None:
    assert not is_coded(*span(text))


@pytest.mark.parametrize(
    "text", ["a «Cessna 172»", "on «Ubuntu 22.04»", "at «220C»", "on «VLAN 120»", "an «Embraer E190»", "«Bed 14»"]
)
def test_makes_are_no_addresses(text: str) -> None:
    assert is_model(*span(text))


@pytest.mark.parametrize(
    "text", ["at «Lindenweg 12»", "«Suite 880»", "«12B High Street»", "«GE 23130»", "«SW1A 2AA»", "at «Golfskalinn 78»"]
)
def test_addresses_are_no_makes(text: str) -> None:
    assert not is_model(*span(text))
