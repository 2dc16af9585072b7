"""Terms that models take for names, places and numbers of people: courtesies and form words of other languages, the
words of medicine, eponyms, abbreviations; and the numbers of parcels, pods, diagnoses, medicines and books."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

from ..words import GIVEN_NAMES, PLAIN_WORDS, is_plain

_DATA: Final = files("sealgate.redaction") / "data"

_COURTESIES: Final = frozenset((_DATA / "courtesies.txt").read_text("utf-8").casefold().splitlines())
"""Greetings and thanks in some forty languages."""

_FORM_WORDS: Final = frozenset((_DATA / "form_words.txt").read_text("utf-8").split())
"""Words of forms, letters and wards, in English and in the languages that a clinic writes, case-folded."""

_MEDICAL: Final = re.compile(
    r"[a-z]{2,}(?:itis|osis|oses|pathy|pathic|ectomy|ostomy|otomy|plasty|oscopy|ography|graph|ogram|globin|algesia"
    r"|algia|penia|uria"
    r"|plegia|paresis|phasia|pnea|pnoea|cardia|thermia|trophy|stenosis|sclerosis|ologist|ologists|iatrist|iatrists"
    r"|iatry|iatric|iatrics"
    r"|therapist|therapists|therapy|cytosis|cyte|cytes|emic|aemia|lymphoma|carcinoma|sarcoma|melanoma|adenoma"
    r"|myeloma|glioma"
    r"|statin|sartan|olol|dipine|cillin|mycin|micin|cycline|floxacin|oxacin|conazole|prazole|tidine|gliptin"
    r"|gliflozin|glutide"
    r"|xaban|gatran|parin|dogrel|sugrel|grelor|triptan|setron|azepam|azolam|zodone|oxetine|pramine|tryptyline"
    r"|triptyline|barbital|thiazide|semide"
    r"|actone|terol|lukast|phylline|dronate|fibrate|lamide|zumab|ximab|umab|tinib|ciclib|ciclovir|cyclovir|navir"
    r"|tegravir|buvir"
    r"|formin|profen|fenac|coxib|caine|hasone|tasone|isone|solone|thyroxine|gabalin|gabapentin|racetam|prazosin"
    r"|losin)"
)
"""Words of medicine by their endings, those of the WHO's stems of nonproprietary names among them."""

_EPONYM: Final = re.compile(
    r"(?:['’]s)?[ ](?:disease|syndrome|lymphoma|palsy|chorea|sign|reflex|phenomenon|dystrophy|transform|chains?|theorem"
    r"|equations?|distribution|polynomials?|coefficient|constant|algorithm)\b"
)
"""What a name stands before when it has long been the name of a thing."""

_CURRENCY: Final = re.compile("USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|SEK|NOK|DKK|INR|CNY|BRL|MXN|ZAR|KRW|PLN|CZK|HUF|SGD|HKD")
"""Codes of currencies (ISO 4217), which models take for places after a number."""

_INITIALS: Final = re.compile(
    r"(?:[A-Z]\.){1,4}[A-Z]?|[B-DF-HJ-NP-TV-XZ]{3,6}|F(?:AC|AA|RC|RAC)[A-Z]{1,3}|MRC[A-Z]{1,3}"
)
"""An abbreviation: letters with points, or capitals without a vowel."""

_LABELLED: Final = re.compile(r"[ ]{0,2}(?:#|[0-9]{2}[A-Z])|[ ](?:no|number)\b|[ ][A-Z]{1,2}[0-9]")
"""What follows an abbreviation that labels a number."""


def is_term(text: str, start: int, end: int) -> bool:
    """Whether what a model takes for a person or a place is a term, by its words and by what follows it."""
    value = text[start:end]
    folded = value.casefold()
    if folded in _COURTESIES or _CURRENCY.fullmatch(value):
        return True
    words = [word.strip(".,:;()'’") for word in folded.split()]
    if all(word in PLAIN_WORDS or is_term_word(word) for word in words):
        return True
    if len(words) > 1 or folded in GIVEN_NAMES:
        return False
    if value.isupper() and len(value) <= 6 and _stands_out(text, start, end):
        return _INITIALS.fullmatch(value) is not None or (len(value) > 2 and bool(_LABELLED.match(text, end)))
    return _EPONYM.match(text, end) is not None


def is_term_word(word: str) -> bool:
    """Whether a word is one of forms, letters or medicine."""
    folded = word.casefold()
    return folded in _FORM_WORDS or _MEDICAL.fullmatch(folded) is not None


def _stands_out(text: str, start: int, end: int) -> bool:
    """Whether words beside one in capitals are in small letters: else capitals are how the text is written."""
    near = re.findall(r"[^\W\d_]{3,}", text[max(0, start - 24) : start] + " " + text[end : end + 24])
    return not all(map(str.isupper, near))


_CODED: Final = re.compile(
    r"(?<![A-Za-z])(?:track(?:ing)?|parcel|shipment|consignment|waybill|ups|fedex|usps|dhl|royal mail|isbn(?:-1[03])?"
    r"|issn|booking|reservation|confirmation|flight|gate|seat|platform|pod|pods|container|image|tag|icd(?:-?(?:9"
    r"|10|11))?(?:-cm)?|cpt|hcpcs"
    r"|snomed|loinc|ndc|atc|drg|procedure|diagnosis|billing|bed|vlan|arxiv|pmid|nct)s?"
    r"(?:[ _-]?(?:number|no|code|id|reference|ref|item)s?)?\.?(?:[ ]{0,2}(?:is|was|:|=|#|and"
    r"|,)){0,2}[ \"':=#]{0,3}(?:[A-Z0-9.-]{2,10}(?:,| and|/)[ ]?){0,3}\Z",
    re.IGNORECASE,
)
"""Words before a number that say it is a parcel's, a book's, a diagnosis's, a machine's."""

_SHAPE: Final = re.compile(
    r"(?:[a-z][a-z0-9]*-){1,6}[a-z0-9]{4,10}(?:-[a-z0-9]{4,8})?|[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})|[A-Z]-[0-9]{5}"
    r"|97[89]-?[0-9]{1,5}-[0-9-]{5,9}[0-9X]|[0-9]-[0-9]{2,5}-[0-9]{2,6}-[0-9X]|[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|NCT[0-9]{8}"
    r"|1Z[0-9A-Z]{16}|[A-Z]{2}[0-9]{9}[A-Z]{2}|[0-9]{4}-[0-9]{3}[0-9X]"
)
"""Names of pods, ICD-10 and SNOMED codes, ISBNs, ISSNs, arXiv's and trials' identifiers, parcels (UPS, UPU
S10)."""


def is_coded(text: str, start: int, end: int) -> bool:
    """Whether a number, given with everything that is glued to it, is a thing's by its shape or by the words before."""
    return _SHAPE.fullmatch(text, start, end) is not None or _CODED.search(text, max(0, start - 40), start) is not None


_ARTICLE: Final = re.compile(r"(?<![A-Za-z])(?:an?|each|every|per)[ ]\Z", re.IGNORECASE)
_MODEL: Final = re.compile(
    r"(?:[A-Z][\w-]+[ ])?[A-Z][\w-]*[ -][0-9]+(?:\.[0-9]+)?|[A-Z][\w-]+[ ][A-Z]{1,3}[0-9][\w-]*"
    r"|[A-Za-z]+[0-9][\w-]*|[0-9]{2,3}[CFK]"
)
"""A make and its number: "Cessna 172", "Ubuntu 22.04", "220C"."""

_PART_OF_ADDRESS: Final = re.compile(
    r"apt|apartment|unit|suite|ste|box|floor|fl|room|flat|lot|building|bldg|block|house|villa|tower|shop|highway|hwy"
    r"|route|interstate|sector|phase|plot|door|fpo|apo|dpo|psc"
)


def is_model(text: str, start: int, end: int) -> bool:
    """Whether what a model takes for an address is the name and number of a make, a temperature or a bed."""
    value = text[start:end]
    if not _MODEL.fullmatch(value):
        return False
    word = re.match(r"[^\W\d_]*", value)
    name = word[0] if word is not None else ""
    if _ARTICLE.search(text, max(0, start - 6), start) or "." in value or value[0].isdigit():
        return True
    if _PART_OF_ADDRESS.fullmatch(name.casefold()):
        return False
    return " " not in value or (len(name) > 2 and (is_plain(name) or name.isupper()))
