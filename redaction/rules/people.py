"""Names that the words around them give away. Models find the rest."""

from __future__ import annotations

from typing import Final

from ..words import GIVEN_NAMES, is_plain, is_word
from .rule import Rule

_WORD: Final = r"[^\W\d_](?:[^\W\d_]|['’.-](?=[^\W\d_])){0,30}"
_CAP: Final = r"[A-ZÀ-ÖØ-ÞĀ-Ž](?:[^\W\d_]|['’-](?=[^\W\d_])){0,30}"
_STOP: Final = frozenset(
    [
        "not",
        "here",
        "there",
        "now",
        "very",
        "just",
        "going",
        "looking",
        "trying",
        "interested",
        "sorry",
        "afraid",
        "happy",
        "glad",
        "sure",
        "ready",
        "fine",
        "good",
        "calling",
        "about",
        "required",
        "optional",
        "null",
        "none",
        "true",
        "false",
        "unknown",
        "string",
        "str",
        "int",
        "integer",
        "text",
        "varchar",
        "name",
        "value",
        "field",
        "type",
        "undefined",
        "n/a",
        "able",
        "unable",
        "still",
        "really",
        "great",
        "correct",
        "only",
        "being",
        "getting",
        "having",
        "thinking",
        "wondering",
        "planning",
        "working",
        "writing",
        "from",
    ]
)


def is_name(value: str) -> bool:
    """Whether no word of a value is one that follows "I am" or "name:" without being a name."""
    words = value.casefold().split()
    return bool(words) and words[0] not in _STOP and not is_plain(value)


PEOPLE: Final[tuple[Rule, ...]] = (
    Rule(
        "name-said",
        "PERSON",
        rf"(?<![A-Za-z])(?:my (?:full |first |last )?name(?:'s| is)|name'?s(?: are| is| was)?|i am called|they call me|je m'appelle|me llamo|mi chiamo|mein name ist|ich hei(?:ß|ss)e|меня зовут|мене звати|mam na imię|jag heter|ik heet|meu nome é)\s{{1,3}}"
        rf"(?P<value>{_WORD}(?:[ ](?!(?:and|but|i|my|from|with|at|or|the|to|is|on|for|in)\b){_WORD}){{0,3}})",
        0.85,
        ("my name is «nguyen van an»", "меня зовут «Иван Петров»", "Me llamo «Lucía Ortega»"),
        ("my name is not on the list", "the name is required"),
        words=(
            "name",
            "called",
            "call me",
            "appelle",
            "llamo",
            "chiamo",
            "heiße",
            "heisse",
            "зовут",
            "звати",
            "imię",
            "heter",
            "heet",
            "nome",
        ),
        valid=is_name,
    ),
    Rule(
        "name-field",
        "PERSON",
        rf"(?<![A-Za-z])[\"'`]?(?i:(?:first|last|full|given|sur|family|middle|maiden|legal|preferred|customer|patient|client|contact|employee|member|account ?holder|card ?holder)[ _-]?names?|surname|name|attn|signed|"
        rf"(?:account|card)[ -]?holder|recipient|payee)[\"'`]?\s{{0,2}}[:=]\s{{0,2}}[\"'`]?(?P<value>{_CAP}(?:[ ,]{{1,2}}{_CAP}|[ ][A-Z]\.){{0,3}})",
        0.8,
        (
            '{{"first_name":"«Maria»","last_name":"«Gonzalez»"}}'.replace("{{", "{").replace("}}", "}"),
            "Name: «Tom Becker»",
            "customer name: «Ada Quill»",
        ),
        ("name: string", "name: None", "file_name: Report"),
        words=("name", "attn", "signed", "holder", "recipient", "payee"),
        flags=0,
        unless=r"(?:file|class|function|variable|host|user|domain|product|company|city|street|country|brand|package|table|column|field|event|service|display|project|bucket|key|tag)[ _-]?name[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?\Z",
        valid=is_name,
    ),
    Rule(
        "name-titled",
        "PERSON",
        rf"(?<![A-Za-z])(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Madam|Dame|Lord|Lady|Herr|Frau|Mme|Mlle|Sr|Sra|Srta|Sig|Rev|Fr|Judge|Captain|Capt|Sgt|Lt|Col)\b\.?[ ]"
        rf"(?P<value>{_CAP}(?:[ ](?:(?:van|von|de|der|den|da|di|la|le|al|bin|el)[ ]){{0,2}}{_CAP}|[ ][A-Z]\.){{0,3}})",
        0.85,
        ("Dr. «Alvarez» will call", "Mrs «Jane van der Berg»"),
        ("Dr visits", "Mr."),
        flags=0,
    ),
    Rule(
        "name-signed",
        "PERSON",
        rf"(?:^|\n)(?:[Bb]est|[Rr]egards|[Bb]est [Rr]egards|[Kk]ind [Rr]egards|[Ww]arm [Rr]egards|[Tt]hanks|[Tt]hank you|[Ss]incerely|[Cc]heers|[Yy]ours|[Ll]ove|[Rr]espectfully|[Yy]ours truly|[Mm]any thanks),?[ ]{{0,2}}\n{{1,2}}[ ]{{0,4}}"
        rf"(?P<value>{_CAP}(?:[ ]{_CAP}|[ ][A-Z]\.){{0,3}})(?=[ ]*(?:\n|\Z))",
        0.8,
        ("Best,\n«Tom Becker»\nVP Sales",),
        ("Thanks,\nthe team", "Best,\nWe will see you soon"),
        flags=0,
        valid=is_name,
    ),
    Rule(
        "name-of-home-folder",
        "PERSON",
        rf"[\\/](?:Users|home|Documents and Settings)[\\/]{{1,2}}(?P<value>{_CAP}[ ._-]{_CAP}(?:[ ._-]{_CAP})?)(?=[\\/]|\Z)",
        0.8,
        ("C:\\Users\\«Ada Quill»\\Documents\\tax.pdf", "/Users/«Ada.Quill»/x"),
        ("C:\\Users\\Public Documents", "/home/app/src"),
        words=("users", "home", "settings"),
        flags=0,
        valid=is_name,
    ),
    Rule(
        "name-chinese",
        "PERSON",
        r"(?:我叫|我是|姓名[:：]?|名前は|私は|我的名字是)(?P<value>[\u3400-\u9fff]{2,4})",
        0.8,
        ("我叫«王小明»",),
        ("你好",),
    ),
    Rule(
        "name-given",
        "PERSON",
        r"(?<![\w@./_-])(?P<value>[A-Z][a-zà-ÿ]{1,14}|[A-Z]{3,14})(?![\w@(=]|\.[a-z])",
        0.6,
        ("Following up with «Vince»", "«Traci», thanks", "in which «THOMAS» joined"),
        ("the Mark", "Will you come", "Thomasson", "Eric.py"),
        flags=0,
        valid=lambda value: value.lower() in GIVEN_NAMES and not is_word(value),
    ),
    Rule(
        "name-asked-for",
        "PERSON",
        r"(?<![A-Za-z])(?:ask|tell|contact|meet|email|e-mail|call|cc|invite|ping|notify|remind|from|to|by|with|for|and|hi|hello|hey|dear|thanks|thank you)[ ,]{1,2}"
        r"(?P<value>[a-z]{3,12})(?= (?:tomorrow|today|tonight|about|asap|later|now|yesterday|on (?:mon|tues|wednes|thurs|fri)day)\b)",
        0.5,
        ("Please ask «sarah» tomorrow",),
        ("ask them tomorrow", "call back later", "meet here today"),
        words=("tomorrow", "today", "tonight", "about", "asap", "later", "now", "yesterday", "day"),
        flags=0,
        valid=lambda value: value in GIVEN_NAMES and not is_word(value),
    ),
)
"""Names by their context."""
