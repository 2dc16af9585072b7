"""What belongs to an address grows onto the piece of it that was found."""

from __future__ import annotations

import pytest

from sealgate.models.findings import Finding
from sealgate.redaction.known.known import merged
from sealgate.redaction.names.addresses import grown_addresses


def places(text: str) -> tuple[str, list[Finding]]:
    """A text without its marks, and the places that they mark: «a street» and ‹a town›."""
    plain, found = "", []
    for char in text:
        if char in "«‹":
            start, kind = len(plain), "STREET_ADDRESS" if char == "«" else "LOCATION"
        elif char in "»›":
            found.append(Finding(kind, start, len(plain), 0.8, "rampart"))
        else:
            plain += char
    return plain, found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("at Flat 6, «31 Brunel Lock»", ["Flat 6, 31 Brunel Lock"]),
        ("at No. «12/2, Velu Salai» now", ["No. 12/2, Velu Salai"]),
        ("go to 15472 S. «Jamie Pines» now", ["15472 S. Jamie Pines"]),
        ("is 0 «Elizabeth» Center, Floor 252 far", ["0 Elizabeth Center, Floor 252"]),
        ("«3 Carl Wall»\n‹Linden›\n, IA\n 5281 is", ["3 Carl Wall\nLinden\n, IA\n 5281"]),
        ("«3 Carl Wall»\nLINDEN, MS 30464", ["3 Carl Wall\nLINDEN, MS 30464"]),
        ("«12 Tarn Fold», ‹Ashtonby› NT 0951.", ["12 Tarn Fold, Ashtonby NT 0951"]),
        ("«Piazza Anita, 34», 37135, ‹Verona› (VR)", ["Piazza Anita, 34, 37135", "Verona (VR)"]),
        ("«12 Tarn Fold»\n ‹Estonia› 2039", ["12 Tarn Fold", "Estonia 2039"]),
        ("<a>«3 Carl Wall», New Linden, IL</a>", ["3 Carl Wall, New Linden, IL"]),
        ("in ‹Verona› (VR), then", ["Verona (VR)"]),
        ("from ‹Linden›, OR, to", ["Linden, OR"]),
    ],
)
def test_addresses_grow(text: str, wanted: list[str]) -> None:
    plain, found = places(text)
    assert [
        plain[start:end] for start, end in merged((one.start, one.end) for one in grown_addresses(plain, found))
    ] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "in ‹Linden› 2039 people came",
        "‹Linden› OR ‹Delft›",
        "about 12 people at «Tarn Fold»",
        "«12 Tarn Fold» no parking",
        "‹Linden› (see map)",
        "«12 Tarn Fold» is a house",
    ],
)
def test_what_does_not_belong_to_an_address_stays_outside(text: str) -> None:
    plain, found = places(text)
    assert grown_addresses(plain, found) == found
