"""Numbers that a form labels: records, specimens, policies, licences, devices; logins; answers to "what is the number?".

Unlike the identifiers of conversation, these count only after a word for "number" or a mark: "sample no. 20931" is one,
"a sample of 4500 people" is not.
"""

from __future__ import annotations

import re
from typing import Final

from ..words import is_word
from .cues import ID_VALUE, has_digits
from .rule import Rule

_NUMBER: Final = (
    r"(?:[ _-]{0,2}(?:numbers?|num|no|nr|id|identifier|code|ref(?:erence)?)\b\.?[ \t]{0,2}[:#=]{0,2}|[ \t]?[:#=]{1,2})"
)


def _labelled(
    name: str, entity_type: str, words: str, stems: str, examples: tuple[str, ...], counter: tuple[str, ...]
) -> Rule:
    """A rule for values after one of ``words`` and a mark; one of ``stems`` stands in every text that holds one."""
    return Rule(
        name,
        entity_type,
        rf"(?<![A-Za-z0-9])(?:{words}){_NUMBER}[\s\"'#:=(]{{0,12}}{ID_VALUE}",
        0.8,
        examples,
        counter,
        gates=("digits4",),
        words=tuple(stems.split()),
        valid=has_digits(4),
    )


_NO_LOGIN: Final = frozenset(
    [
        "admin",
        "administrator",
        "root",
        "guest",
        "anonymous",
        "user",
        "users",
        "nobody",
        "system",
        "sudo",
        "postgres",
        "mysql",
        "ubuntu",
        "www-data",
        "default",
    ]
)


def _is_login(value: str) -> bool:
    """Whether a word is an account of a person: no everyday word, and no account that every machine has."""
    return value.lower() not in _NO_LOGIN and not is_word(value) and not value[:1].isupper()


_ORDERED: Final = (
    r"(?:order|booking|confirmation|reservation|tracking|ticket|flight|invoice|item|model|version)[^?\n]{0,24}\?"
)

LABELS: Final[tuple[Rule, ...]] = (
    _labelled(
        "record-labelled",
        "MEDICAL_RECORD_NUMBER",
        r"accession|specimen|sample|requisition|lab(?:oratory)?|uhid|hosp(?:ital)?|unit|visit|encounter|admission|episode|chart"
        r"|subject|participant|study|case[ ]?sheet|(?:ip|op)|reg(?:istration)?|examination|exam|film|slide|donor",
        "accession specimen sample requisition lab uhid hosp unit visit encounter admission episode chart subject"
        " participant study sheet ip op reg exam film slide donor",
        ("Accession #: «L59-845387»", "Specimen no: «ACC-235972»", "UHID: «09018216»", "Hospital no «4413322»"),
        ("a sample of 4500 people", "lab: 12 samples", "unit 4120 of it", "visit: 2024-05-06"),
    ),
    _labelled(
        "licence-labelled",
        "MEDICAL_LICENSE",
        r"provider|prescriber|physician|practice|clinician|practitioner|upin|clia",
        "provider prescriber physician practi clinician upin clia",
        ("Provider no. «633451»", "CLIA: «05D0143100»"),
        ("provider of 4500 items", "physician 4500"),
    ),
    Rule(
        "licence-registered",
        "MEDICAL_LICENSE",
        rf"(?<![A-Za-z0-9])(?:GMC|NMC|GDC|HCPC|GPhC|AHPRA|CLIA|BSNR|LANR|RPPS|Lic\.)(?:[ ](?:no|number|reg(?:istration)?|pin)\b\.?)?[ #:.]{{1,4}}{ID_VALUE}",
        0.85,
        ("Dr Ito\nGMC «7758569»", "CLIA «05D0591928»", "Lic. # «MD940895»"),
        ("GMC 12", "the gmc said 4500"),
        gates=("digits4",),
        words=("gmc", "nmc", "gdc", "hcpc", "gphc", "ahpra", "clia", "bsnr", "lanr", "rpps", "lic."),
        unless=r"(?<![a-z])(?:driv|dl)",
        flags=0,
        valid=has_digits(5),
    ),
    _labelled(
        "device-labelled",
        "DEVICE_ID",
        r"s/n|sn|ser(?:ial)?|udi|transmitter|implant|pacemaker|pump|sensor|monitor|lead|generator|meter|cpap",
        "s/n sn ser udi transmitter implant pacemaker pump sensor monitor lead generator meter cpap",
        ("S/N: «PM-7180-XXMLL»", "transmitter ID «PM-0993-YZXYK»", "serial no. «30917465»"),
        ("a lot: 4500 of them", "lead 4500 people"),
    ),
    Rule(
        "serial-short",
        "DEVICE_ID",
        rf"(?<![A-Za-z0-9])(?:[Ss]/[Nn]|SN)[ :#.]{{1,3}}{ID_VALUE}",
        0.75,
        ("lead S/N «SN-9733-YB-85»; next",),
        ("S/N 2024", "SN 12"),
        gates=("digits4",),
        words=("s/n", "sn"),
        flags=0,
        valid=lambda value: has_digits(4)(value) and (len(value) > 7 or not value.isdigit()),
    ),
    Rule(
        "insurance-group",
        "INSURANCE_NUMBER",
        rf"(?<![A-Za-z0-9])(?:group|grp|plan|payer|bin|pcn)(?:[ ](?:no|number|id|code)\b\.?)?[ :#]{{1,3}}{ID_VALUE}",
        0.75,
        ("member U00944258, group «24398-647»", "Policy: X1 Group: «HK7752»"),
        ("group 24398-647", "the plan covers 4500 people of the insurance group 2024"),
        gates=("digits4",),
        words=("group", "grp", "plan", "payer", "bin", "pcn"),
        before=r"(?<![a-z])(?:insur|member|polic|subscriber|plan|payer|coverage|medicare|carrier|health|group number)",
        valid=has_digits(4),
    ),
    Rule(
        "member-lettered",
        "INSURANCE_NUMBER",
        r"(?<![A-Za-z0-9])(?:member|policy|plan|insurance|subscriber|beneficiary|medicaid|medicare)(?:[ ]?(?:id|no|number|#)\b\.?)?[ :#]{1,4}(?P<value>[A-Z]{3}(?:[ -][0-9]{3}){2,4})(?![\w-])",
        0.85,
        ("health plan ID «XYZ 379 543 432».", "Policy #: «QRS-111-222-333»".replace("#:", ":")),
        ("policy ABC 12",),
        gates=("digits4",),
        words=("member", "policy", "plan", "insurance", "subscriber", "beneficiary", "medicaid", "medicare"),
    ),
    Rule(
        "ssn-masked",
        "US_SSN",
        r"(?<![\w*#•-])(?P<value>[X*#•]{3}-[X*#•]{2}-[0-9]{4})(?![\w-])",
        0.9,
        ("it is «XXX-XX-5781».", "«***-**-5781»"),
        ("XXX-XX-XXXX", "ABC-XX-5781"),
        gates=("digits4",),
    ),
    Rule(
        "login-named",
        "USERNAME",
        r"(?<![A-Za-z])(?:log(?:in|on|[ -]in|ged[ ](?:in|on))|sign(?:ed)?[ -]in|authenticated|sign-?on)\b[^\n]{0,60}?[ ](?:by|as|for[ ]user|of[ ]user)[ ](?P<value>[\w.-]{2,38}\w)(?![\w@(])",
        0.7,
        ("logged in from 10.2.3.4 as «gquillon».", "rejected a login by «ivan.quillon»", "signed in as «mq_77»"),
        ("a login by mistake", "logged in as root", "log in as admin today", "a login as long as this"),
        words=("log", "sign", "authenticated"),
        valid=_is_login,
    ),
    Rule(
        "login-told",
        "USERNAME",
        r"(?<![A-Za-z])(?i:user)[ _-]?[Nn]ame(?:[ ](?:on|for|of)[ ](?:the|my|your|this|his|her)[ ]\w{3,12})?(?:[ ](?:is|was|should be)|[:=])[ ]{0,2}[\"'`]?(?P<value>[a-z][\w.-]{2,38}\w)(?![\w@(])",
        0.7,
        ("the username on the account is «bquillon», right?", "Username on the account is «moduya77»"),
        ("username: string", "the username is required"),
        words=("user",),
        flags=0,
        valid=_is_login,
    ),
    Rule(
        "login-by",
        "USERNAME",
        r"(?<![A-Za-z])(?:acknowledged|entered|edited|modified|updated|created|approved|submitted|posted|uploaded|opened|closed|assigned|changed|reported)[ ](?:by|to)[ ](?P<value>(?!sha|md5)[a-z][a-z._-]{2,24}[0-9]{2,6})(?![\w@(.:/-])",
        0.6,
        ("Acknowledged by «bquillon0129»".replace("Ack", "ack"), "assigned to «mq_77»".replace("mq_77", "moduya77")),
        ("updated by sha256", "created by script2.py", "assigned to node12:8080"),
        words=("ed by", "ed to"),
    ),
    Rule(
        "number-answered",
        "ID_NUMBER",
        rf"(?<![A-Za-z])(?:number|id|no|card)\?[ ]{{0,2}}\s{{1,3}}(?:[A-Z][\w ]{{0,20}}:[ ]{{1,2}})?(?:(?:it'?s|it is|sure|yes|yeah|ok|okay|that'?s|that is|of course)[,.]?[ ]){{0,3}}{ID_VALUE}",
        0.7,
        ("What's the member ID?\nCaller: It's «ABC53623370».", "and the insurance number? Sure, «88120345»"),
        ("what's the order number?\nUSER: 88120345", "the number? 12"),
        gates=("digits4",),
        words=("number?", "id?", "no?", "card?"),
        unless=_ORDERED,
        valid=has_digits(5),
    ),
    Rule(
        "account-moved",
        "ACCOUNT_NUMBER",
        r"(?<![A-Za-z])(?:transfer|move|send|wire|deposit|withdraw|pay)\b[^.?!\n]{0,32}[ ](?:from|to|into)[ ](?P<value>[0-9](?:-?[0-9]){6,17})(?![\w-]|\.[0-9])",
        0.6,
        ("can I move money from «911-971836-341» to it",),
        ("move 12 to 2024-05-06",),
        gates=("digits7",),
        words=("transfer", "move", "send", "wire", "deposit", "withdraw", "pay"),
        valid=lambda value: re.fullmatch(r"(?:19|20)[0-9]{2}-?[0-9]{2}-?[0-9]{2}", value) is None,
    ),
)  # fmt: skip
"""Numbers with labels."""
