"""Street addresses that their own shape gives away: a capitalised street suffix, a postcode at the end, a line of a
letter, the corner of two streets."""

from __future__ import annotations

import re
from typing import Final

from ..words import is_plain, is_word
from .rule import Rule

SUFFIXES: Final = (
    r"(?:All(?:ey|y|ee)|Anne?x|Arcade|Ave(?:nue)?|Bayou|Beach|Bend|Bluffs?|Bottom|Blvd|Boulevard|Branch|Bridge|Brooks?|Burgs?"
    r"|Bypass|Camp|Canyon|Cape|Causeway|Centers?|Centres?|Circles?|Cliffs?|Club|Common|Commons|Corners?|Courts?|Coves?"
    r"|Creek|Crescent|Crest|Crossing|Crossroads?|Curve|Dale|Dam|Divide|Drives?|Estates?|Expressway|Extensions?|Falls?|Ferry"
    r"|Fields?|Flats?|Fords?|Forest|Forges?|Forks?|Fort|Freeway|Gardens?|Gateway|Glens?|Greens?|Groves?|Harbou?rs?|Haven"
    r"|Heights|Highway|Hills?|Hollow|Inlet|Islands?|Isle|Junctions?|Keys?|Knolls?|Lakes?|Land|Landing|Lanes?|Lights?|Loaf"
    r"|Locks?|Lodge|Loop|Mall|Manors?|Meadows?|Mews|Mills?|Mission|Motorway|Mount|Mountains?|Neck|Orchard|Oval|Overpass"
    r"|Parks?|Parkways?|Pass|Passage|Path|Pike|Pines?|Places?|Plains?|Plaza|Points?|Ports?|Prairie|Radial|Ramp|Ranch"
    r"|Rapids?|Rest|Ridges?|River|Roads?|Route|Row|Run|Shoals?|Shores?|Skyway|Springs?|Spurs?|Squares?|Station|Stravenue"
    r"|Stream|Streets?|Summit|Terrace|Throughway|Trace|Track|Trafficway|Trail|Trailer|Tunnel|Turnpike|Underpass|Unions?"
    r"|Valleys?|Via|Viaduct|Views?|Villages?|Ville|Vista|Walks?|Wall|Ways?|Wells?"
    r"|Approach|Close|Copse|Croft|Drove|Embankment|End|Esplanade|Garth|Grange|Mead|Nook|Parade|Promenade|Quay|Quays|Rise"
    r"|Roundabout|Stairs|Strand|Vale|Wharf|Wynd|Yard|Anchorage|Circuit|Concourse|Courtyard|Cul-de-sac|Deviation|Edge"
    r"|Elbow|Firetrail|Outlook|Siding|Subway|Towers|Triangle|Vista"
    r"|Marg|Nagar|Salai|Chowk|Vihar|Enclave|Gali|Bazaa?r|Colony|Layout)"
)
"""Suffixes of streets: USPS Publication 28 (C1), the gazetteers of the United Kingdom and of Australia (AS 4590), and
those of Indian cities."""

REGIONS: Final = (
    r"(?:A[AEKLPRSZ]|C[AOT]|D[CE]|F[LM]|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEHINOPST]|N[CDEHJMVY]|O[HKR]|P[ARW]|RI|S[CD]|T[NX]|UT"
    r"|V[AIT]|W[AIVY]|AB|BC|MB|NB|N[LSTU]|ON|PE|QC|SK|YT|NSW|VIC|QLD|SA|TAS|ACT)"
)
"""States and territories of the United States, Canada and Australia by their postal abbreviations."""

POSTCODE: Final = (
    r"(?:[A-Z]{1,2}[0-9][A-Z0-9]?[ ][0-9][A-Z]{2}|[A-Z][0-9][A-Z][ ][0-9][A-Z][0-9]|[0-9]{5}-[0-9]{3,4}|[0-9]{2}-[0-9]{3}"
    r"|[0-9]{4}[ ]?[A-Z]{2}|[1-9][0-9]{2}[ ]?[0-9]{2,3}|[0-9]{3,6})(?![\w-])"
)
"""A postcode, where everything before it is an address already."""

_NUMBER: Final = r"(?:[0-9]{1,6}[A-Za-z]?(?:[-/][0-9A-Z]{1,4})?)"
_WORD: Final = r"[A-ZÀ-Þ][\w'’.-]{0,24}"
_COMPASS: Final = r"(?:(?:[NSEW]|[NS][EW])\.?|North|South|East|West|The|Old|New|Upper|Lower|Great|Little)"
_PIECE: Final = r"(?!(?:the|a|my|his|her|our|your)[ ])[\w'’.-]{1,25}"
_QUOTE: Final = r"(?:\A|\n)[>|?\t ]{0,8}"
_TO_POSTCODE: Final = (
    rf"(?:,?[ \n]{{1,2}}(?:{_WORD}|[0-9]{{1,4}}(?:st|nd|rd|th)|#?[0-9]{{1,5}}[A-Z]?(?:/[0-9A-Z]{{1,4}})?|de|la|du|of|on|upon|the)){{1,10}}?,?[ \n]{{1,2}}"
    rf"(?:(?:{REGIONS}),?[ ]{{1,2}}[0-9]{{4,5}}(?:-[0-9]{{4}})?|[A-Z]{{1,2}}[0-9][A-Z0-9]?[ ][0-9][A-Z]{{2}}|(?<=[a-z][ ])[1-9][0-9]{{2}}[ ]?[0-9]{{3}})(?![\w-])"
)
_PART: Final = re.compile(rf"[0-9#/-]+[A-Za-z]?|No|{SUFFIXES}|{_COMPASS}|(?:Flat|Apt|Unit|Suite|House|Plot)")
_YEAR_AND_NAME: Final = re.compile(
    r"(?:19|20)[0-9]{2} .*(?:Brooks?|Dale|Fields?|Fords?|Forest|Glens?|Keys?|Lakes?|Lane|Mills?|Parks?|Wells?)"
)
"""A year and a person of such a surname."""


def _is_named(value: str) -> bool:
    """Whether a word of an address says more than numbers, street suffixes and everyday language do: "5 Power
    Stations" is none."""
    named = [word for word in re.split(r"[\s.,]+", value) if word and not _PART.fullmatch(word)]
    several = value.endswith("s") and not any(map(is_plain, named))
    return any(not (is_word(word) if several else is_plain(word)) for word in named) and not _YEAR_AND_NAME.fullmatch(
        value
    )


STREETS: Final[tuple[Rule, ...]] = (
    Rule(
        "street-suffix",
        "STREET_ADDRESS",
        rf"(?<![\w.$€£/#-])(?P<value>{_NUMBER},?[ ](?:{_COMPASS}[ ])?(?:{_WORD}[ ]){{1,3}}?{SUFFIXES})(?![\w'’-])",
        0.8,
        (
            "at «0 Quillon Trafficway»",
            "to Flat 7, «31 Brunelda Locks»",
            "lives at «12 W Oduya Siding» now",
            "Unit «4/18 Wirra Esplanade», Perth",
        ),
        ("5 Power Stations", "12 Police Station", "3 Great Lakes", "2 Main Roads", "in 2019 Ada Ford"),
        gates=("digit",),
        flags=0,
        unless=r"(?:version|chapter|page|section|figure|step|line|volume|episode|season|part)[ ]\Z",
        valid=_is_named,
    ),
    Rule(
        "street-alone",
        "STREET_ADDRESS",
        r"(?<![\w.$€£/#-])(?P<value>[0-9]{1,6}[A-Za-z]?[ ](?:Broadway|Bowery|(?:The|La|El|Le)[ ][A-Z][\w'’-]{2,24}(?:[ ]Real)?|Avenue[ ](?:of[ ]the[ ][A-Z]\w{2,20}|[A-Z])))(?![\w'’])",
        0.6,
        ("they are at «4040 The Quillonade»", "«77 Avenue of the Isles»", "«900 Broadway»"),
        ("12 The", "5 El"),
        gates=("digit",),
        flags=0,
        before=r"(?<![a-z])(?:at|to|on|from|in|is|address|located|near|,|\n|\A)\W{0,3}\Z",
        valid=_is_named,
    ),
    Rule(
        "street-to-postcode",
        "STREET_ADDRESS",
        rf"(?<![\w.$€£/-])(?P<value>{_NUMBER}{_TO_POSTCODE})",
        0.8,
        (
            "send to No. «12/2, Sector 9, Chandrapuri 560021»",
            "Flat «16, Lotus Court, 144, Velu Salai, Madurai 625 020» please",
            "«3 Brill Reach, Ashtonby QLD 4017»",
            "«17 Tarn Fold, Lindale, LA11 6LP»",
        ),
        ("In 2019 Ada Quill sold 625020", "12 Rows, 45 Columns", "XPS 15 9520, SKU 884116"),
        gates=("digits4",),
        flags=0,
    ),
    Rule(
        "street-corner",
        "STREET_ADDRESS",
        rf"(?<![A-Za-z])(?P<value>(?:the )?(?:corner|intersection|junction) of (?:{_PIECE}[ ]){{1,5}}?(?:and|&)[ ]"
        rf"(?:{_PIECE}[ ]){{0,4}}?(?:{SUFFIXES}|(?:st|str|ave|rd|blvd|dr|ln)\.?|\w{{3,20}}(?:stra(?:ß|ss)e|straat|weg|gata|gade|vej)))(?![\w'’])",
        0.8,
        (
            "meet me at «the corner of Quillon Street and Alder Ave»",
            "«the corner of tarnweg 12 and brunel street», please",
        ),
        ("in the corner of the room and hall", "the intersection of art and science", "the corner of a path"),
        words=("corner", "intersection", "junction"),
    ),
    Rule(
        "street-unit-line",
        "STREET_ADDRESS",
        rf"{_QUOTE}(?P<value>(?:Apt|Apartment|Suite|Ste|Flat|Appartamento|Wohnung|Piso)\.?[ ]#?[0-9]{{1,5}}[A-Z]?)[ ]{{0,4}}(?=\n|\Z)",
        0.75,
        ("> 12 Lindenweg\n> «Suite 880»\n> Delft", "«Apt. 061»\nLinden"),
        ("the Suite 880 opened", "Suite 9 was free"),
        gates=("digit",),
        words=("apt", "apartment", "suite", "ste", "flat", "appartamento", "wohnung", "piso"),
        flags=0,
    ),
)
"""Addresses by their shape."""
