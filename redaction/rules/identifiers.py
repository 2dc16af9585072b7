"""Numbers that only a cue makes an identifier: customer, member, case, record, passport, licence, plate, VIN."""

from __future__ import annotations

import re
from typing import Final

from .cues import ID_VALUE, cued, has_digits
from .rule import Rule


def is_vin(value: str) -> bool:
    """Whether the check digit of a vehicle identification number is right (ISO 3779, position 9)."""
    values = dict(
        zip(
            "ABCDEFGHJKLMNPRSTUVWXYZ",
            [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9],
            strict=True,
        )
    )
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    total = sum(
        (int(char) if char.isdigit() else values[char]) * weight
        for char, weight in zip(value.upper(), weights, strict=True)
    )
    return value[8].upper() == "0123456789X"[total % 11]


def _cued(
    name: str,
    entity_type: str,
    words: str,
    stems: str,
    examples: tuple[str, ...],
    counter: tuple[str, ...] = (),
    digits: int = 4,
    score: float = 0.8,
) -> Rule:
    """A rule for values after ``words``; one of ``stems`` stands in every text that holds one of them."""
    return Rule(
        name,
        entity_type,
        cued(words) + ID_VALUE,
        score,
        examples,
        counter,
        gates=("digit",),
        words=tuple(stems.split()),
        valid=has_digits(digits),
    )


IDENTIFIERS: Final[tuple[Rule, ...]] = (
    _cued(
        "customer-id",
        "CUSTOMER_ID",
        r"customer|client|member(?:ship)?|subscriber|loyalty|frequent flyer|guest|user|student|applicant|tenant|borrower|beneficiary|voter|pupil|donor",
        "customer client member subscriber loyalty flyer guest user student applicant tenant borrower beneficiar voter pupil donor",
        ("Customer ID: «CUST-99812-AX»", "member no. «88120345»"),
        ("our customers bought 12", "user 3 of 4"),
    ),
    _cued(
        "employee-id",
        "EMPLOYEE_ID",
        r"employee|staff|badge|personnel|payroll|emp",
        "employee staff badge personnel payroll emp",
        ("Employee no. «E1029384» reports to Dana",),
        ("employees: 12",),
    ),
    _cued(
        "case-number",
        "CASE_NUMBER",
        r"case|claim|docket|matter|incident|complaint|police report|dossier",
        "case claim docket matter incident complaint report dossier",
        ("case number «2024-CV-10293»", "Claim # «CLM-883920»"),
        ("in case 12 people come", "case of 24"),
    ),
    _cued(
        "medical-record",
        "MEDICAL_RECORD_NUMBER",
        r"mrn|medical record|patient|chart|health card|medicare|medicaid|nhi|hospital|encounter|prescription|rx",
        "mrn medical patient chart health medicare medicaid nhi hospital encounter prescription rx",
        ("MRN «00482913», room 12", "Patient ID «AHC-0933289»"),
        ("patient aged 45",),
    ),
    _cued(
        "insurance-number",
        "INSURANCE_NUMBER",
        r"(?:insurance )?policy|insurance|group (?:no|number|id)|coverage|plan member|subscriber",
        "policy insurance group coverage plan subscriber",
        ("insurance policy #«88291-LK»", "policy number: «POL-2291834»"),
        ("policy of 2021", "insurance costs 120"),
    ),
    _cued(
        "passport",
        "PASSPORT",
        r"passport|reisepass|passeport|pasaporte",
        "pass pasaporte",
        ("Passport number «X12345678»",),
        ("passport expires 2031",),
        digits=5,
    ),
    _cued(
        "driver-license",
        "DRIVER_LICENSE",
        r"(?:driver'?s?|driving|drivers'|dl|medical|nursing|professional|operator'?s?)[ _-]?(?:licen[cs]e|permit|lic)|dl|licen[cs]e",
        "licen permit lic dl",
        ("My driver license is «D1234567»", "her medical licence number «MED-204417» was renewed"),
        ("license 2.0", "licensed in 2019"),
    ),
    _cued(
        "tax-id",
        "TAX_ID",
        r"tax(?:payer)?|tin|ein|vat|gst|fein|steuer",
        "tax tin ein vat gst steuer",
        ("Tax ID: «12-3456789»", "VAT number «DE123456789»"),
        ("tax of 20%", "tax 1200.50"),
        digits=6,
    ),
    _cued(
        "device-id",
        "DEVICE_ID",
        r"imei|serial|meid|imsi|iccid|udid|device",
        "imei serial meid imsi iccid udid device",
        ("IMEI «490154203237518»", "serial no: «C02XK1ZJJG5H»"),
        ("device 12",),
        digits=3,
    ),
    _cued(
        "policy-number",
        "INSURANCE_NUMBER",
        r"(?:insurance )?policy|tribal id|enrollment|registration|pnr|folio|demat|upi|gstin",
        "policy tribal enrollment registration pnr folio demat upi gstin",
        ("insurance policy #«88291-LK» was", "tribal ID number «789564321»"),
        ("policy 12",),
    ),
    _cued(
        "id-number",
        "ID_NUMBER",
        r"(?<![_-])(?:id|identity|identification|ident)|(?:national|government|personal|citizen|resident|photo)[ _-]?id",
        "id",
        ("my ID number is «88129934»", "ID: «AB-44712-92»", '{"national_id": "«88129934»"}'),
        ("id 12", "the idea of 1000", '{"product_id": 3074185296}', "span_id=00f067aa0ba902b7"),
        digits=5,
        score=0.6,
    ),
    Rule(
        "username",
        "USERNAME",
        r"(?<![A-Za-z0-9])(?:user[ _-]?name|login|userid|user id|screen name|handle)(?![A-Za-z])[\"'`]?[ ]{0,2}(?:is|=|:)[ ]{0,2}[\"'`]?(?P<value>[\w.@-]{3,40})",
        0.6,
        ("username: «jdoe42»", "my login is «m_gonzalez»"),
        ("username: string", "login is required"),
        words=("user", "login", "handle", "screen name"),
        valid=lambda value: bool(re.search(r"[0-9_@.]", value.rstrip("."))) and not value.endswith("("),
    ),
    Rule(
        "vin",
        "VIN",
        r"(?<![A-Za-z0-9])(?P<value>(?=[A-HJ-NPR-Z]{0,16}[0-9])(?=[0-9]{0,16}[A-HJ-NPR-Z])[A-HJ-NPR-Z0-9]{17})(?![A-Za-z0-9])",
        0.9,
        ("VIN «1HGCM82633A004352»",),
        ("1HGCM82633A004353",),
        gates=("long", "digit"),
        valid=is_vin,
    ),
    Rule(
        "vin-with-cue",
        "VIN",
        cued(r"vin|chassis|vehicle identification") + r"(?P<value>[A-HJ-NPR-Z0-9]{17})(?![A-Za-z0-9])",
        0.85,
        ("VIN: «1HGCM82633A004353»",),
        ("vin 12",),
        gates=("digit",),
        words=("vin", "chassis", "vehicle"),
    ),
    Rule(
        "plate",
        "LICENSE_PLATE",
        r"(?<![A-Za-z])(?:licen[cs]e plate|number plate|plate|registration (?:plate|number|no)|reg(?:istration)?\.? (?:no|number|plate)|tag number|kennzeichen)s?"
        r"(?![A-Za-z])(?:\s{0,2}(?:number|no\.?|is|was|reads|:|#|with)){0,3}\s{0,2}(?P<value>(?=[A-Z0-9 -]{0,6}[0-9])[A-Z0-9]{1,4}(?:[ -]?[A-Z0-9]{1,5}){0,2})(?![A-Za-z0-9])",
        0.8,
        ("license plate «8ABC123»", "plate «KA01AB1234»", "number plate is «AB12 CDE»"),
        ("plate of food", "a plate"),
        gates=("digit",),
        words=("plate", "reg", "tag number", "kennzeichen"),
        valid=lambda value: 4 <= sum(char.isalnum() for char in value) <= 10,
    ),
)
"""Identifiers with cues."""
