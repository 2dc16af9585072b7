"""Names that a role, a relation, a salutation or a signature beside them gives away."""

from __future__ import annotations

import re
from typing import Final

from ..names.code_lines import is_code_value
from ..names.terms import is_term_word
from ..words import GIVEN_NAMES, is_plain, is_word
from .people import is_name
from .rule import Rule

_CAP: Final = r"[A-ZÀ-ÖØ-ÞĀ-Ž](?:[^\W\d_]|['’-](?=[^\W\d_])){1,30}"
_INITIAL: Final = r"[A-ZÀ-ÖØ-Þ]\."
_LINKED: Final = r"(?:van|von|de|der|den|da|di|la|le|al|bin|el)"
_NAME: Final = rf"(?:{_INITIAL}[ ]){{0,2}}{_CAP}(?:[ ](?:{_LINKED}[ ]){{0,2}}{_CAP}|[ ]{_INITIAL}(?=[ ][A-Z])){{0,3}}"
_FULL: Final = (
    rf"(?:{_INITIAL}[ ]{{0,1}}){{0,2}}{_CAP}(?:[ ](?:{_LINKED}[ ]){{0,2}}{_CAP}|[ ]{_INITIAL}(?=[ ][A-Z])){{1,3}}"
)

_CREDENTIAL: Final = (
    r"(?:M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|FNP(?:-BC)?|APRN|ARNP|CRNA|LPN|LVN|BSN|MSN|LCSW|LMFT|LMHC|LPC|DDS|DMD"
    r"|DPM|DPT|PT|OTR(?:/L)?|RPh|Pharm\.?D|RD|EMT(?:-P)?|MBBS|MBChB|MRCP|MRCS|FRCR|FRCS|FRCP|FRACP|FACC|FACS|Esq\.?|CPA|JD)"
)
_ROLE: Final = (
    r"(?:nurse|doctor|physician|surgeon|assistant|consultant|registrar|resident|attending|provider|prescriber|midwife|therapist"
    r"|pharmacist|anesthesiologist|anaesthetist|psychologist|psychiatrist|dentist|interpreter|investigator|pathologist|radiologist"
    r"|technician|technologist|social worker|case manager|care(?:giver|r)|guardian|next of kin|nok|spouse|husband|wife|mother|father"
    r"|son|daughter|brother|sister|partner|girlfriend|boyfriend|fianc[eé]e?|grand(?:mother|father|son|daughter)|aunt|uncle|niece|nephew"
    r"|guarantor|adjuster|decedent|claimant|enrollee|identified by|acknowledged by|prepared for|discussed with|spoke with|[msdwh]/o|insured|policy ?holder|subscriber|beneficiary|applicant|tenant|landlord|witness|agent|driver|passenger|guest|detective|officer"
    r"|dictated by|transcribed by|signed by|reported by|reviewed by|seen by|ordered by|examined by|verified by|collected by|referred by"
    r"|witnessed by|assessed by|prescribed by|directed by|written by|starring|pt|patient|client|re)"
)

_BEFORE_INITIAL: Final = (
    "and", "or", "with", "by", "to", "from", "for", "per", "Dr", "Dr.", "Drs.", "Mr", "Mr.", "Mrs", "Mrs.", "Ms", "Ms.", "nurse", "of", "via",
    "ask", "cc", "w/",
)  # fmt: skip
_AFTER_MARK: Final = (
    r"(?=[A-Z]\.)(?:\A|(?<=[\n,;:(|&/•–—-])|(?<=[,;:(|&/•–—-][ ])|"
    + "|".join(rf"(?<=\b{re.escape(word)} )" for word in _BEFORE_INITIAL)
    + ")"
)
"""Where an initial may begin a name: after marks and words that names follow, not after "Hepatitis"."""

_ROLE_STEMS: Final = (
    "nurse", "doctor", "physician", "surgeon", "assistant", "consultant", "registrar", "resident", "attending", "provider", "prescriber",
    "midwife", "therapist", "pharma", "anesth", "anaesth", "psych", "dentist", "interpreter", "investigator", "ologist", "techn",
    "worker", "manager", "caregiver", "carer", "guardian", "kin", "nok", "spouse", "husband", "wife", "mother", "father", " son", "\nson", "son:", "son,", "grandson", "daughter",
    "brother", "sister", "partner", "friend", "fianc", "aunt", "uncle", "niece", "nephew", "insured", "holder", "subscriber",
    "beneficiary", "applicant", "tenant", "landlord", "witness", "agent", "driver", "passenger", "guest", "detective", "officer",
    "ed by", "guarantor", "adjuster", "decedent", "claimant", "enrollee", "prepared for", "discussed with", "spoke with", "/o ", "/o:", "written by", "seen by", "starring", "pt ", "pt:", "patient", "client", "re:",
)  # fmt: skip
"""One of these stands, in small letters, in every text that holds a role."""


_SHORT: Final = re.compile(r"['’](?:ve|m|ll|d|re|s|t)(?![^\W\d_])", re.IGNORECASE)
"""What a pronoun and its verb end with: "I've"."""


def _is_unusual(value: str) -> bool:
    """Whether no word of a value is one of everyday language, and it is none that only opens a sentence."""
    if not is_name(value) or is_code_value(value) or _SHORT.search(value):
        return False
    words = [word for word in value.split() if len(word.strip(".")) > 1]
    return not any(is_plain(word) or is_term_word(word) for word in words)


def _is_single(value: str) -> bool:
    return _is_unusual(value) and not value.isupper() and (not is_word(value) or value.lower() in GIVEN_NAMES)


ROLES: Final[tuple[Rule, ...]] = (
    Rule(
        "name-credential",
        "PERSON",
        rf"(?<![\w.'’-])(?P<value>{_FULL}),[ ]{{1,2}}{_CREDENTIAL}(?![A-Za-z])",
        0.85,
        ("«Folake Adeyemi», RN", "seen by «B. Quillon Oduya», M.D. today", "«Seo-yeon Cho», PA-C"),
        ("Follow up, PT to continue", "Boston, MD", "Blood Pressure, RN to check"),
        flags=0,
        valid=_is_unusual,
    ),
    Rule(
        "name-credential-initial",
        "PERSON",
        rf"(?<![\w.'’-])(?P<value>[A-Z]\.[ ]?{_CAP}),?[ ]{{1,2}}{_CREDENTIAL}(?![A-Za-z])",
        0.8,
        ("— «M. Flantz», NP",),
        ("A. Some, thing",),
        flags=0,
        valid=_is_unusual,
    ),
    Rule(
        "name-role-field",
        "PERSON",
        rf"(?<![\w-])(?i:{_ROLE})[ ]{{0,2}}:[ \t]{{0,12}}(?:Dr\.?[ ]|Mr\.?[ ]|Mrs\.?[ ]|Ms\.?[ ])?(?P<value>{_NAME})(?![\w@])",
        0.75,
        ("Consultant: «B. Saini»", "Provider: «Nobuhle Mgwaba».", "SURGEON: «Girindra Pau», M.D."),
        ("Patient: Male, 45", "Provider: see below", "Re: Your order", "Agent: Hello", "Agent: I've looked", "User-Agent: Mozilla/5.0", "(client: AnyGuard) -> None"),
        gates=("colon",),
        words=_ROLE_STEMS,
        flags=0,
        valid=_is_unusual,
    ),
    Rule(
        "name-role",
        "PERSON",
        rf"(?<![A-Za-z]){_ROLE}(?<!re)(?:,? named|,? called|,)?[ ](?P<value>(?-i:{_NAME}))(?![\w@])",
        0.65,
        ("with her husband «Zsuzsanna».", "said nurse «Oduya»", "starring «Aoi Quillon»", "signed by «Bo Oduya»"),
        ("nurse Practitioner", "the doctor said", "patient Portal", "officer in Charge"),
        words=_ROLE_STEMS,
        valid=_is_unusual,
    ),
    Rule(
        "name-greeted",
        "PERSON",
        rf"(?:^|[.!?\n>:][ ]{{0,2}})(?:[Tt]hanks|[Tt]hank you|[Tt]hx|[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Bb]ye|[Gg]oodbye|[Ss]ure|[Ww]elcome(?: back)?),?[ ](?P<value>{_CAP})(?=[ ]{{0,2}}(?:[!.,;:?\n]|\Z))",
        0.65,
        ("thanks «Megha»!", "Sure, «Isabella»! It is", "Hi «Chidi»,\n"),
        ("Hello World!", "Dear Customer,", "Hi Team,", "Thanks Again.", "Hello LCSW."),
        flags=re.MULTILINE,
        valid=_is_single,
    ),
    Rule(
        "name-introduced",
        "PERSON",
        rf"(?<![A-Za-z])(?:[Tt]his is|[Ii]t'?s|[Ii] am|[Ii]'m)[ ](?P<value>{_CAP}(?:[ ]{_CAP})?)(?=,? (?:from|here|speaking|calling|by the way)\b)",
        0.65,
        ("This is «Marsudi», by the way", "it's «Chidi» here", "I'm «Bo Quillon» from the bank"),
        ("This is Great, by the way", "It's Python from here"),
        words=("this is", "it's", "its", "i am", "i'm"),
        flags=0,
        valid=_is_single,
    ),
    Rule(
        "name-told",
        "PERSON",
        rf"(?<![A-Za-z])(?:(?=[a-z])|(?<![\w,][ ]))(?i:text|tell|ask|remind|notify|invite|message|pay|(?:send|give|forward|share)(?: (?:it|this|that|them|the \w{{2,12}}|my \w{{2,12}}|\$?[0-9]{{1,5}}(?: \w{{2,8}})?))? (?:to|with))[ ]"
        rf"(?P<value>{_CAP}(?:[ ]{_CAP})?)(?= (?:that|to|about|and|please|if|from|[0-9$])|[.,!?\n]|\Z)",
        0.6,
        ("Text «Hina» that I am late", "Share it with «Chidi» and her", "send it to «Sang-hoon»\n", "Pay «Yuto Quillon» 30 dollars"),
        ("Tell Everyone that", "Azure Text Analytics.", "Ask Support about it", "text STOP to 12345", "send it to Accounting."),
        words=("text", "tell", "ask", "remind", "notify", "invite", "message", "pay", "send", "give", "forward", "share"),
        flags=0,
        valid=_is_single,
    ),
    Rule(
        "name-mentioned",
        "PERSON",
        r"(?<![\w.@/])@(?P<value>[A-Z][a-zà-ÿ]{2,14})(?![\w.@(/-])",
        0.6,
        ("@«Yasmin» can you look",),
        ("@Override", "@Component", "x@Yasmin"),
        gates=("at",),
        flags=0,
        valid=lambda value: value.lower() in GIVEN_NAMES and not is_word(value),
    ),
    Rule(
        "name-initial-between",
        "PERSON",
        rf"(?<![\w.'’-])(?P<value>{_CAP}[ ][A-Z]\.[ ]{_CAP})(?![\w@])",
        0.7,
        ("The «Homero V. Quillon» version", "with «Armas A. Oduya»"),
        ("Vitamin D. Take it", "Plan B. Then", "Hepatitis B. Treatment"),
        gates=("dot",),
        flags=0,
        valid=_is_unusual,
    ),
    Rule(
        "name-initial-first",
        "PERSON",
        rf"{_AFTER_MARK}(?P<value>(?:[A-Z]\.[ ]?){{1,3}}{_CAP})(?![\w@])",
        0.65,
        ("bed 4 - «K. Harrison», NBM", "with «G. Quillon» and «V. Oduya».", "| «M. Szabó» |", "per «R.J. Oduya», hold"),
        ("Plan B. Then", "Hepatitis C. Ribavirin", "by E. coli", "in the U.S. Army", "see A. Then"),
        gates=("dot",),
        flags=0,
        valid=_is_unusual,
    ),
    Rule(
        "name-hl7",
        "PERSON",
        r"(?:PID|NK1|GT1|MRG)(?:\|[^|\n]{0,80}){1,6}?\|(?P<value>[A-Z][A-Za-z' -]{1,24}\^[A-Z][A-Za-z' -]{1,24}(?:\^[A-Za-z. ]{1,12}){0,3})(?=[|^])",
        0.85,
        ("PID|1||338^^^HOSP^MR||«ODUYA^ADA^M»||19390910|F", "NK1|1|«Quillon^Bo»|SPO"),
        ("OBX|1|NM|2345-7^GLUCOSE^LN||104", "PID|1||338^^^HOSP^MR||"),
        words=("pid|", "nk1|", "gt1|", "mrg|"),
        flags=0,
    ),
    Rule(
        "name-json",
        "PERSON",
        rf"[\"'](?:family|given|family_?[Nn]ame|given_?[Nn]ame|full_?[Nn]ame|first_?[Nn]ame|last_?[Nn]ame)[\"']\s{{0,2}}:\s{{0,2}}\[?\s{{0,2}}[\"'](?P<value>{_CAP}(?:[ ]{_CAP}){{0,3}})[\"']",
        0.8,
        ('"family":"«McGruddie»"', '"given": ["«Sota»"]'),
        ('"family":"Serif","weight":400'.replace("Serif", "serif"), '"given": []'),
        gates=("colon",),
        flags=0,
    ),
    Rule(
        "name-inverted",
        "PERSON",
        r"(?<![\w'’-])(?P<value>[A-Z][A-Z'’-]{1,24},[ ][A-Z][A-Z'’-]{1,24}(?:[ ][A-Z](?![A-Z])\.?)?)(?=[ ]{0,12}(?:\n|\Z|[0-9(;|]|MRN|DOB|[A-Z]{1,3}[0-9]))",
        0.75,
        ("«OKONKWO, KIPCHOGE» 4309-9352-83", "Patient: «ODUYA, ADA M.»\n"),
        ("SODIUM, SERUM 12", "NOTES, PLAN\n", "TO: ALL, NONE"),
        flags=0,
        before=r"(?:\A|\n)[>|\t ]{0,8}\Z|(?:patient|name|belongs to|re|to|from|for|of)[ :]{1,3}\Z",
        valid=lambda value: _is_unusual(value.replace(",", " ")) and not re.search(r"IUM\b|ITIS\b|EMIA\b|OSIS\b", value),
    ),
)  # fmt: skip
"""Names by roles and salutations."""
