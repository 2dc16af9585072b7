"""Postal addresses, and dates of birth."""

from __future__ import annotations

import re
from typing import Final

from .rule import Rule
from .shapes import DATE_PATTERN

_STREET: Final = (
    r"(?:street|str|st|road|rd|avenue|ave?|lane|ln|drive|dr|boulevard|blvd|way|court|ct|place|pl|square|sq|terrace|ter|highway|hwy"
    r"|parkway|pkwy|circle|cir|trail|trl|loop|crescent|cres|close|row|alley|plaza|route|pike|turnpike|expressway|freeway|path|walk|ridge|hill|view|gardens|grove|mews|quay|wharf|run|pass|bend|cove|crossing|point)"
)
_UNIT: Final = r"(?:,?[ ](?:apt|apartment|unit|suite|ste|floor|fl|room|rm|#)\.?[ ]{0,2}#?[\w-]{1,8})?"
_STATES: Final = r"(?:A[LKZR]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"

_CLAUSE: Final = re.compile(
    r"^[0-9]+[A-Za-z]?, [a-z]|(?=.*[A-Z]).* (?:run|pass|bend|point|walk|view|hill|path|row|loop|close|place|square|cove|wharf)\b"
)
"""What reads on after a number as a sentence does, and not as a street: "at 6, call it my Morning run"."""

ADDRESSES: Final[tuple[Rule, ...]] = (
    Rule(
        "street",
        "STREET_ADDRESS",
        rf"(?<![\w.$€£-])(?P<value>[0-9]{{1,6}}[A-Za-z]?(?:[-/][0-9]{{1,4}})?,?[ ](?:(?:[\w.'’-]{{1,25}}[ ]){{1,4}}?){_STREET}(?![\w'’])\.?(?:[ ](?:n|s|e|w|ne|nw|se|sw|north|south|east|west)\b\.?)?{_UNIT})",
        0.85,
        (
            "I live at «418 Alder Crest Road», Linden Valley",
            "ship it to «12 main st apt 4», springfield",
            "«10 Downing Street», London",
        ),
        ("12 people in the street market", "3 ways to do it", "at 6, call it Morning run", "5, see Ada Road"),
        gates=("digit",),
        unless=r"(?:version|chapter|page|section|figure|step|line)[ ]\Z",
        valid=lambda value: (
            not _CLAUSE.search(value)
            and not any(
                f" {word} " in f" {value.lower()} "
                for word in (
                    "people",
                    "minutes",
                    "hours",
                    "days",
                    "the",
                    "a",
                    "is",
                    "on",
                    "at",
                    "in",
                    "to",
                    "and",
                    "of",
                    "miles",
                    "times",
                    "your",
                    "my",
                    "for",
                )
            )
        ),
    ),
    Rule(
        "street-noted",
        "STREET_ADDRESS",
        r"(?<![\w.$-])(?P<value>[0-9]{1,6}[ ](?:(?:north|south|east|west|n|s|e|w|ne|nw|se|sw)\.?[ ])?(?:avenida|camino|calle|via|paseo|rue|el camino|broadway|highway|hwy|route|county road|state route|interstate)(?![a-z])(?:[ ](?!(?:at|on|in|for|from|to|is|it|and|by|has|was|street|st)\b)[A-Z0-9][\w'’.-]{0,24}(?<!\.)){0,3})",
        0.8,
        ("at «2200 El Camino Real»", "«15 rue Cler»", "from «1727 El Camino Real» at 7"),
        ("12 routes",),
        gates=("digit",),
        words=(
            "avenida",
            "camino",
            "calle",
            "via",
            "paseo",
            "rue",
            "broadway",
            "highway",
            "hwy",
            "route",
            "road",
            "interstate",
        ),
    ),
    Rule(
        "street-european",
        "STREET_ADDRESS",
        r"(?<![\w])(?P<value>[A-ZÄÖÜ][\wäöüß-]{1,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|laan|straat|gracht|plein|gatan|vägen|vej|gade|gata)[ ][0-9]{1,4}[a-zA-Z]?"
        r"|[0-9]{1,4}(?:[ ]?bis|[ ]?ter)?,?[ ](?:rue|avenue|boulevard|place|chemin|allée|impasse|quai)(?:[ ](?:de|du|des|la|le|l'|d')){0,3}[ ]?[\w'’-]{2,25}(?:[ ][A-ZÀ-Þ][\w'’-]{1,25})?"
        r"|(?:calle|via|viale|piazza|corso|rua|ul\.|ulica|av\.|avenida|plaza|paseo|carrer)[ ](?:(?!(?:at|on|in|for|from|is|it)[ ])(?:[\w'’-]{1,25}|\w{1,5}\.)[ ]){0,4}?(?!(?:at|on|in|for|from|is|it)[ ])(?:[\w'’-]{2,25}|\w{1,5}\.),?[ ](?:n[º°.]?[ ]?)?[0-9]{1,4}(?![0-9]))",
        0.8,
        ("«Lindenweg 12», 10115 Berlin", "«15 rue de la Paix», 75002 Paris", "«Calle Mayor 12»"),
        ("Ring 12 times", "on Via del Corso. It is at 6", "the plaza is open at 9"),
        gates=("digit",),
        words=(
            "straße",
            "strasse",
            "str.",
            "weg",
            "platz",
            "allee",
            "gasse",
            "ring",
            "damm",
            "ufer",
            "laan",
            "straat",
            "gracht",
            "plein",
            "gat",
            "väg",
            "vej",
            "gad",
            "rue",
            "avenue",
            "boulevard",
            "place",
            "chemin",
            "impasse",
            "quai",
            "calle",
            "via",
            "piazza",
            "corso",
            "rua",
            "ul.",
            "ulica",
            "av.",
            "avenida",
            "plaza",
            "paseo",
            "carrer",
        ),
    ),
    Rule(
        "po-box",
        "STREET_ADDRESS",
        r"(?<![\w])(?P<value>(?:P\.?[ ]?O\.?[ ]?Box|post office box|postfach|apartado|bo[iî]te postale|PSC|Unit|APO|DPO)[ ](?:number |no\.? )?[0-9]{1,6}(?:,?[ ](?:Box|PSC)[ ][0-9]{1,6})?)(?![0-9])",
        0.85,
        ("«PO Box 1234», Denver", "«P.O. Box 77»"),
        ("Inbox 12", "unit tests 12"),
        gates=("digit",),
    ),
    Rule(
        "military",
        "STREET_ADDRESS",
        r"(?<![\w])(?P<value>(?:(?:USNV|USNS|USCGC|USS|PSC|Unit|CMR|OPC)[ ][\w-]{1,30}(?:,?[ ]Box[ ][0-9]{1,5})?,?\s{1,2})?(?:FPO|APO|DPO),?[ ]A[AEP][ ][0-9]{5}(?:-[0-9]{4})?)(?![0-9])",
        0.9,
        ("«USCGC Globelnik\nFPO AP 15834»", "to «Unit 2050 Box 4190\nAPO AP 96278»"),
        ("FPO AE", "unit 12"),
        gates=("digit",),
        words=("fpo", "apo", "dpo"),
    ),
    Rule(
        "zip-after-state",
        "STREET_ADDRESS",
        rf"(?<![A-Za-z])(?P<value>{_STATES},?[ ]{{1,2}}[0-9]{{5}}(?:-[0-9]{{4}})?)(?![0-9])",
        0.8,
        ("Linden Valley, «OR 97411»", "springfield «il 62704»"),
        ("in 97411", "or 12345678"),
        gates=("digits4",),
        valid=lambda value: (
            value[:2].isupper() or value[:2].lower() not in ("or", "in", "me", "hi", "ok", "de", "la", "pa")
        ),
    ),
    Rule(
        "postcode-british",
        "STREET_ADDRESS",
        r"(?<![A-Za-z0-9])(?P<value>(?:GIR[ ]?0AA|[A-Z]{1,2}[0-9][A-Z0-9]?[ ][0-9][ABD-HJLNP-UW-Z]{2}))(?![A-Za-z0-9])",
        0.75,
        ("London «SW1A 2AA»",),
        ("A1 2B",),
        gates=("digit",),
        flags=0,
    ),
    Rule(
        "postcode-with-cue",
        "STREET_ADDRESS",
        r"(?<![A-Za-z])(?:zip|postal|post|plz|cap|pin)[ -]?(?:code)?\W{0,3}(?:(?:is|of|number)\W{1,2}){0,2}(?P<value>[A-Z0-9]{3,8}(?:[ -][A-Z0-9]{3,4})?)(?![A-Za-z0-9])",
        0.7,
        ("zip code is «94105»", "postcode «EC1A 1BB»"),
        ("zip code of the area", "zip file"),
        gates=("digit",),
        words=("zip", "post", "plz", "cap", "pin"),
        valid=lambda value: sum(char.isdigit() for char in value) >= 2 and len(value) >= 4,
    ),
    Rule(
        "postcode-before-city",
        "STREET_ADDRESS",
        r"(?<![\w.,$€£#/-])(?<![0-9] )(?P<value>(?:[A-Z]{1,2}-)?[0-9]{5})(?= [A-ZÄÖÜÀ-Þ][a-zäöüßà-ÿ]{2,})",
        0.5,
        ("Lindenweg 12, «10115» Berlin", "75002 Paris".replace("75002", "«75002»")),
        ("chapter 10115 begins",),
        gates=("digits4",),
        flags=0,
        before=r",[ ]\Z|\A\Z|\n\Z",
    ),
    Rule(
        "birth-date",
        "DATE_OF_BIRTH",
        rf"(?<![A-Za-z])(?:born(?: on| in)?|birth(?:day| ?date)?|birthdate|dob|d\.o\.b\.?|date of birth|geb(?:oren)?\.?(?: am)?|n[ée]e? le|nacid[oa] el|fecha de nacimiento)(?![A-Za-z])"
        rf"(?:[\s\"':=(,-]{{1,4}}(?:is|was|of|on|the|his|her|my|date)){{0,3}}[\s\"':=(,-]{{0,4}}(?P<value>{DATE_PATTERN})",
        0.9,
        ("born «14-Mar-1961»", "DOB: «03/14/1961»", "my date of birth is «12 May 1990»", '"dob": "«1990-05-12»"'),
        ("born in May", "birthday party on 12"),
        gates=("digit",),
        words=("born", "birth", "dob", "d.o.b", "geb", "né", "ne", "nacid", "nacimiento"),
    ),
)
"""Postal addresses and dates of birth."""
