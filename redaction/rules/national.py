"""National identifiers of the Americas, Asia, Africa and Oceania."""

from __future__ import annotations

from typing import Final

from ..reading.spoken import spoken_digits
from .nations import Nation, luhn_valid
from .rule import Rule

_SPOKEN: Final = 9
"""Digits of a US social security number; a telephone number that is dictated has as many or more."""


def _is_dictated(value: str) -> bool:
    """Whether as many digits are spoken as such a number has, and they are more than counting."""
    digits = spoken_digits(value)
    return len(digits) >= _SPOKEN and digits not in "01234567890123456789"


_SOCIAL: Final = (
    Rule(
        "us-ssn",
        "US_SSN",
        r"(?<![0-9A-Za-z-])(?P<value>(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4})(?![0-9A-Za-z-])",
        0.9,
        ("«219-09-9999»",),
        ("reference 900-12-3456 on the box", "000-12-3456"),
        gates=("digits7",),
    ),
    Rule(
        "us-ssn-with-cue",
        "US_SSN",
        r"(?<![A-Za-z])(?:ssn|social(?: security)?|soc sec|itin|ss)s?(?: (?:number|no|num|card|details))?\.?#?(?![A-Za-z])[\s:=#\"'(-]{0,4}"
        r"(?:(?:is|was|of|number|no|ends? in|card)[\s:=#\"'(-]{1,4}){0,3}"
        r"(?P<value>(?:[0-9]{3}|[0-9X*]{3})[ .-]{0,2}[0-9X*]{2}[ .-]{0,2}[0-9X*]{4})(?![0-9])",
        0.95,
        (
            "SSN «078051120»", "SSN «078 05 1121»", "my ssn is «536-228145»", "My ssn# is «536228145»",
            "social security number: «536-22-8145»", "under SSN «987-XX-XXXX»",
        ),
        ("social 12",),
        gates=("digit",),
        words=("ssn", "social", "soc sec", "itin", "ss"),
    ),
    Rule(
        "us-ssn-spaced",
        "US_SSN",
        r"(?<![0-9A-Za-z-])(?P<value>(?!000|666|9)[0-9]{3}(?P<mark>[ .-])(?!00)[0-9]{2}(?P=mark)(?!0000)[0-9]{4})(?![0-9A-Za-z-])",
        0.7,
        ("«219.09.9999»",),
        ("219-09.9999",),
        gates=("digits7", "bare"),
    ),
    Rule(
        "us-ssn-value",
        "US_SSN",
        r"(?<![A-Za-z])(?:value|number|record|entry|data)s?:?[ ](?:is[ ])?(?P<value>(?!000|666|9)[0-9]{3}(?!00)[0-9]{2}(?!0000)[0-9]{4})(?![0-9A-Za-z.,:-]*[0-9])",
        0.5,
        ("Legacy value «123456789» appears here.",),
        ("value 12345678", "order 123456789"),
        gates=("digit",),
        words=("value", "number", "record", "entry", "data"),
    ),
    Rule(
        "ssn-spoken",
        "US_SSN",
        r"(?<![A-Za-z])(?P<value>(?:(?:oh|zero|one|two|three|four|five|six|seven|eight|nine|double|triple)[ ,.-]{1,3}){5,40}"
        r"(?:oh|zero|one|two|three|four|five|six|seven|eight|nine))(?![A-Za-z])",
        0.8,
        (
            "my ssn is «two one nine, oh nine, nine nine nine nine»",
            "it is «oh two oh, seven nine four six, oh nine five eight»",
        ),
        ("one two three", "one two three four five six seven", "one two three four five six seven eight nine"),
        words=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero", "oh"),
        valid=_is_dictated,
    ),
)  # fmt: skip

_NATIONS: Final = (
    Nation("us-itin", "US_ITIN", r"9[0-9]{2}[- ]?[5-9][0-9][- ]?[0-9]{4}", ("itin",), ("ITIN «911-70-1234»",), alone=("«911-70-1234»",)),
    Nation("us-npi", "US_NPI", r"[12][0-9]{9}", ("npi", "provider"), ("NPI «1245319599»",), lambda value: luhn_valid("80840" + value), alone=("«1234567893»",)),
    Nation("us-mbi", "US_MBI", r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y]{2}[0-9]{2}", ("medicare", "mbi", "beneficiary"), ("Medicare «1EG4-TE5-MK73»",), strong=True, alone=("Patient «1EG4-TE5-MK73»",)),
    Nation("us-dea", "MEDICAL_LICENSE", r"[A-HJ-MPRSTUX][A-Z9][0-9]{7}", ("dea", "prescriber"), ("DEA «AB1234563»",), alone=("«GL0285191» «EU4488929»",)),
    Nation("us-bank", "US_BANK_NUMBER", r"[0-9]{8,17}", ("checking", "savings", "debit", "bank acct"), ("checking «945456787654»",), alone=("«945456787654»",)),
    Nation("us-passport", "US_PASSPORT", r"[A-Z][0-9]{8}|[0-9]{9}", ("passport", "travel document"), ("my travel document is «A12803456»",), alone=("«A12803456»",)),
    Nation("us-license", "US_DRIVER_LICENSE", r"[A-Z][0-9]{6,12}|[A-Z]{2}[0-9]{5,7}", ("driver", "drivers", "driving", "licence", "license", "permit", "dl"), ("driver permit «H12234567»",), alone=("«H12234567»",)),
    Nation("ca-sin", "CA_SIN", r"[1-79][0-9]{2}[ -]?[0-9]{3}[ -]?[0-9]{3}", ("sin", "social insurance", "nas", "assurance sociale"), ("mon NAS: «258 933 688»",), "ca.sin", alone=("«347-677-452»",)),
    Nation("br-cpf", "NATIONAL_ID", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9]{11}", ("cpf",), ("CPF «529.982.247-25»",), "br.cpf", alone=("«529.982.247-25»",)),
    Nation("br-rg", "NATIONAL_ID", r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9X]", ("rg", "identidade"), ("RG «22.224.195-8», nome",), alone=("«22.224.195-8»",)),
    Nation("br-cnpj", "TAX_ID", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}", ("cnpj",), ("CNPJ «16.727.230/0001-97»",), "br.cnpj", strong=True, alone=("«16.727.230/0001-97»",)),
    Nation("mx-curp", "NATIONAL_ID", r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[A-Z0-9][0-9]", ("curp",), ("CURP «BOXW310820HNERXN09»",), "mx.curp", strong=True, alone=("«BOXW310820HNERXN09»",)),
    Nation("mx-rfc", "TAX_ID", r"[A-ZÑ&]{3,4}[0-9]{6}[A-Z0-9]{3}", ("rfc",), ("RFC «GODE561231GR8»",), "mx.rfc", alone=("«GODE561231GR8»",)),
    Nation("cl-rut", "NATIONAL_ID", r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-[0-9K]", ("rut", "run"), ("RUT «12.531.909-2»",), "cl.rut", alone=("«12.531.909-2»",)),
    Nation("ar-cuit", "TAX_ID", r"[0-9]{2}-[0-9]{8}-[0-9]", ("cuit", "cuil"), ("CUIT «20-05536168-2»",), "ar.cuit", alone=("«20-05536168-2»",)),
    Nation("in-aadhaar", "IN_AADHAAR", r"[2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}", ("aadhaar", "aadhar", "uidai"), ("Aadhaar «2345 6789 0124»",), alone=("«3998 7654 3211»",)),
    Nation("in-pan", "IN_PAN", r"[A-Z]{3}[ABCFGHLJPT][A-Z][0-9]{4}[A-Z]|[A-Z]{5}[0-9]{4}[A-Z]|[A-Z]{7}[0-9]{5}", ("pan",), ("PAN «ABCPE1234F»",), "in_.pan", strong=True, alone=("«ABCPD1234Z»",)),
    Nation("in-gstin", "IN_GSTIN", r"[0-3][0-9][A-Z]{5}[0-9]{4}[A-Z][0-9A-Z]Z[0-9A-Z]", ("gst", "gstin"), ("GST registration: «07PQRST6789K1Z2»",), strong=True, alone=("«27ABCDE1234F1Z5»",)),
    Nation("in-voter", "IN_VOTER", r"[A-Z]{3}[0-9]{7}", ("voter", "vote", "epic", "election", "elector", "this"), ("You can vote with your «CPJ4467918» number",), alone=("«KSD1287349»",)),
    Nation("in-passport", "IN_PASSPORT", r"[A-Z][1-9][0-9]{6}", ("passport", "indian passport"), ("passport «B3097651»",), alone=("«B3097651»",)),
    Nation("in-vehicle", "IN_VEHICLE_REGISTRATION", r"[A-Z]{2}[ -]?[0-9]{1,2}[ -]?[A-Z]{0,3}[ -]?[0-9]{4}|[A-Z]{1,2}[0-9]{4,5}", ("vehicle", "rto", "registration", "car number"), ("vehicle «GJ09AB1234»",), alone=("«GJ09AB1234»",)),
    Nation("kr-rrn", "KR_RRN", r"[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])-?[0-9]{7}", ("rrn", "korean", "frn", "resident registration"), ("His Korean RRN is «960121-1234567»",), alone=("«960121-1021413»",)),
    Nation("kr-brn", "KR_BRN", r"[0-9]{3}-?[0-9]{2}-?[0-9]{5}", ("brn", "business registration"), ("My BRN is «1048656659»",), "kr.brn", alone=("«104-86-56659»",)),
    Nation("kr-passport", "KR_PASSPORT", r"[MSRODG][0-9]{3}[A-Z][0-9]{4}|[MSRODG][0-9]{8}", ("여권", "korean passport", "passport"), ("korean passport «M789C1234»",), alone=("«M123A4567» and «M456B7890»",)),
    Nation("kr-license", "KR_DRIVER_LICENSE", r"(?:1[1-9]|2[0-8])-?[0-9]{2}-?[0-9]{6}-?[0-9]{2}", ("license", "licence", "면허"), ("license «11-22-123456-12»",), alone=("«11-22-123456-12»",)),
    Nation("sg-nric", "SG_NRIC_FIN", r"[STFGM][0-9]{7}[A-Z]", ("nric", "fin", "singapore"), ("NRIC «S2740116C» was processed",), alone=("«F2346401L»",)),
    Nation("sg-uen", "SG_UEN", r"[0-9]{8}[A-Z]|(?:19|20)[0-9]{7}[A-Z]|[STR][0-9]{2}[A-Z]{2}[0-9]{4}[A-Z]", ("uen", "singapore"), ("UEN «53125226D» was processed",), alone=("«T16RF0037C»",)),
    Nation("th-tnin", "TH_TNIN", r"[1-8][- ]?[0-9]{4}[- ]?[0-9]{5}[- ]?[0-9]{2}[- ]?[0-9]", ("tnin", "thai", "เลขประจำตัวประชาชน", "เลขบัตรประชาชน"), ("TNIN: «2345678901234»",), "th.pin", alone=("«5678901234560»",)),
    Nation("my-nric", "NATIONAL_ID", r"[0-9]{6}-[0-9]{2}-[0-9]{4}", ("mykad", "nric", "malaysia"), ("MyKad «770305-02-1234»",), "my.nric", alone=("«770305-02-1234»",)),
    Nation("id-nik", "NATIONAL_ID", r"[0-9]{16}", ("nik", "ktp"), ("NIK «3171011708450001»",), "id.nik", alone=("«3171011708450001»",)),
    Nation("hk-id", "NATIONAL_ID", r"[A-Z]{1,2}[0-9]{6}\([0-9A]\)", ("hkid", "hong kong id", "香港身份證"), ("HKID «P103265(1)»",), strong=True, alone=("«C668668(9)»",)),
    Nation("cn-ric", "NATIONAL_ID", r"[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9X]", ("身份证", "resident identity"), ("身份证 «360426199101010071»",), "cn.ric", strong=True, alone=("«360426199101010071»",)),
    Nation("jp-number", "NATIONAL_ID", r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}", ("my number", "マイナンバー", "個人番号"), ("マイナンバー «6214 9832 0257»",), "jp.in_", alone=("«621498320257»",)),
    Nation("pk-cnic", "NATIONAL_ID", r"[1-8][0-9]{4}-[0-9]{7}-[0-9]", ("cnic",), ("CNIC «34201-0891231-8»",), "pk.cnic", strong=True, alone=("«34201-0891231-8»",)),
    Nation("il-id", "NATIONAL_ID", r"[0-9]{9}", ("teudat zehut", "תעודת זהות", "israeli id"), ("Teudat Zehut «039337423»",), "il.idnr", alone=("«039337423»",)),
    Nation("za-id", "NATIONAL_ID", r"[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[ -]?[0-9]{4}[ -]?[0-2][0-9]{2}", ("south african", "rsa id", "resident number", "sa id"), ("Permanent resident number «9912316789285» is on file.",), "za.idnr", alone=("«8001015009087»",)),
    Nation("ng-nin", "NG_NIN", r"[0-9]{11}", ("nin", "nigerian"), ("NIN «12345678901»",), alone=("«12345678901»",)),
    Nation("ng-plate", "NG_VEHICLE_REGISTRATION", r"[A-Z]{3}-?[0-9]{3}-?[A-Z]{2}", ("plate", "vehicle"), ("The plate number is «ABJ-123XY» for this vehicle",), alone=("«APP-456CV»",)),
    Nation("au-abn", "AU_ABN", r"[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}", ("abn",), ("ABN «51 824 753 556»",), "au.abn", alone=("«51824753556»",)),
    Nation("au-acn", "AU_ACN", r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}", ("acn",), ("ACN «004 085 616»",), "au.acn", alone=("«004 085 616»",)),
    Nation("au-tfn", "AU_TFN", r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}", ("tfn", "tax file"), ("TFN «876 543 210»",), "au.tfn", alone=("«876543210»",)),
    Nation("au-medicare", "AU_MEDICARE", r"[2-6][0-9]{3} ?[0-9]{5} ?[0-9](?:[ /-]?[0-9])?", ("medicare",), ("medicare «2123 45670 1»",), alone=("«2123 45670 1»",)),
    Nation("au-ihi", "NATIONAL_ID", r"8003 ?6[0-9]{3} ?[0-9]{4} ?[0-9]{4}", ("ihi", "hpi", "hpii", "hpio"), ("IHI «8003 6016 6346 3637»",), alone=("«8003602155561262»",)),
    Nation("nz-ird", "TAX_ID", r"[0-9]{2,3}[ -]?[0-9]{3}[ -]?[0-9]{3}", ("ird",), ("IRD «49-091-850»",), "nz.ird", alone=("«49091850»",)),
    Nation("ph-mobile", "PHONE_NUMBER", r"(?:\+?63|0)[ -]?\(?9[0-9]{2}\)?[ -]?[0-9]{3}[ -]?[0-9]{4}", ("globe", "smart", "philippine", "telepono"), ("smart «09171234567»",), alone=("«0 (917) 123 4567»",)),
    Nation("bare-phone", "PHONE_NUMBER", r"0?[2-9][0-9]{2}[ -]?[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{2}|0[0-9]{9,10}|0-[0-9]{3}-[0-9]{3}-[0-9]{2}-[0-9]{2}", (), (), alone=("«532-123-45-67»", "«02121234567»")),
    Nation("bare-ssn", "US_SSN", r"(?!000|666|9)[0-9]{3}(?!00)[0-9]{2}(?!0000)[0-9]{4}", (), (), alone=("«078051121»",)),
    Nation("bare-routing", "ABA_ROUTING_NUMBER", r"[0123678][0-9]{8}", (), (), "us.rtn", alone=("«121042882»",)),
)  # fmt: skip

NATIONAL: Final[tuple[Rule, ...]] = (*_SOCIAL, *(rule for nation in _NATIONS for rule in nation.rules()))
"""National identifiers outside of Europe."""
