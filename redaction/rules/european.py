"""National identifiers of European countries."""

from __future__ import annotations

from typing import Final

from .nations import Nation
from .rule import Rule

_UK_PLATE: Final = r"[A-Z]{2}[0-9]{2}[ -]?[A-Z]{3}|[A-Z][0-9]{1,3}[ -]?[A-Z]{3}|[A-Z]{3}[ -]?[0-9]{1,3}[A-Z]"

_NATIONS: Final = (
    Nation("uk-nhs", "UK_NHS", r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}", ("nhs", "national health"), ("NHS «943 476 5919»",), "gb.nhs", alone=("«943 476 5919»",)),
    Nation("uk-nino", "UK_NINO", r"[A-CEGHJ-PR-TW-Z][A-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]", ("nino", "national insurance", "ni number", "ni no"), ("NI number «AB123456C»", "National Insurance Number «YZ 61 48 68 B»"), strong=True, alone=("«hh 01 02 03 d»",)),
    Nation("uk-passport", "UK_PASSPORT", r"[A-Z]{2}[0-9]{7}", ("passport", "passports"), ("Passports: «AB1234567» and «XY9876543»",), alone=("«ab1234567»",)),
    Nation("uk-licence", "DRIVER_LICENSE", r"[A-Z9]{5}[0-9](?:[05][1-9]|[16][0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9][A-Z9]{2}[A-Z0-9]{3}|[A-Z]{1,5}9{0,4}[0-9]{6}[A-Z9]{2}[0-9A-Z]{3}", ("licence", "driving", "dvla"), ("DVLA licence «MORGA657054SM9IJ»",), strong=True, alone=("«MORGA607054SM9IJ»", "«FO999512018AA1AB»")),
    Nation("uk-plate", "UK_VEHICLE_REGISTRATION", _UK_PLATE, ("registration", "number plate", "plate", "reg", "vehicle"), ("number plate «AB51 ABC»",), alone=("«BD62XYZ»", "«DEF456G»")),
    Nation("uk-postcode", "UK_POSTCODE", r"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][ABD-HJLNP-UW-Z]{2}", ("postcode", "post code"), ("postcode «M11AA»",), alone=("«EC1A1BB»",)),
    Nation("ie-pps", "NATIONAL_ID", r"[0-9]{7}[A-W][A-IW]?", ("pps", "ppsn"), ("PPS «6433435F»",), "ie.pps", alone=("«6433435F»",)),
    Nation("fr-nir", "NATIONAL_ID", r"[12378] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3}(?: ?[0-9]{2})?", ("nir", "sécurité sociale", "securite sociale", "insee"), ("NIR «2 55 08 14 168 025 38»",), "fr.nir", strong=True, alone=("«2 55 08 14 168 025 38»",)),
    Nation("fr-nif", "TAX_ID", r"[0-3][0-9] ?[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}", ("numéro fiscal", "numero fiscal", "spi"), ("numéro fiscal «30 23 217 600 053»",), "fr.nif", alone=("«3023217600053»",)),
    Nation("de-tax", "DE_TAX_ID", r"[1-9][0-9] ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}", ("steuer", "steuerid", "idnr", "steueridentifikationsnummer", "tin"), ("Steuer «36 574 261 809»",), "de.idnr", alone=("«36574261809»",)),
    Nation("de-vat", "TAX_ID", r"DE ?[0-9]{9}", ("ust", "umsatzsteuer", "vat"), ("USt «DE136695976»",), "de.vat", strong=True, alone=("«DE136695976»",)),
    Nation("de-social", "NATIONAL_ID", r"[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3}", ("sozialversicherung", "rentenversicherung", "rvnr", "svnr"), ("Rentenversicherung «65 070803 A 019»",), strong=True, alone=("«65070803A019»",)),
    Nation("de-health", "INSURANCE_NUMBER", r"[A-Z][0-9]{9}", ("krankenversicherung", "egk", "kvnr", "versichertennummer", "egk-nummer"), ("eGK-Nummer «M123456785» bitte angeben.",), alone=("«A000500015»",)),
    Nation("de-card", "DE_ID_CARD", r"[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}[0-9]?", ("personalausweis", "ausweis", "id card"), ("Personalausweis: «L01X00T44».",), lambda value: any(char.isdigit() for char in value), alone=("«l01x00t44»",)),
    Nation("de-doctor", "MEDICAL_LICENSE", r"[0-9]{9}", ("bsnr", "lanr", "betriebsstättennummer", "arztnummer"), ("Betriebsstättennummer: «021234568»",), alone=("«991234567»", "«021234568»")),
    Nation("es-nif", "ES_NIF", r"[0-9]{7,8}-?[A-HJ-NP-TV-Z]", ("dni", "nif"), ("DNI «12345678Z»",), alone=("«1111111-G»",)),
    Nation("es-nie", "ES_NIE", r"[XYZ]-?[0-9]{7}-?[A-HJ-NP-TV-Z]", ("nie", "extranjero"), ("NIE «Y8063915Z»",), "es.nie", strong=True, alone=("«Y8063915Z»",)),
    Nation("es-passport", "PASSPORT", r"[A-Z]{3}[0-9]{6}", ("pasaporte", "passport"), ("Mi pasaporte es «aaa123456»", "«AAA123456» es mi número de pasaporte"), alone=("«XYZ987654»",)),
    Nation("pt-nif", "TAX_ID", r"[125689][0-9]{2} ?[0-9]{3} ?[0-9]{3}", ("nif", "contribuinte"), ("contribuinte «501 964 843»",), "pt.nif", alone=("«501964843»",)),
    Nation("it-fiscal", "IT_FISCAL_CODE", r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[A-EHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]", ("codice fiscale", "fiscal code"), ("codice fiscale «RSSMRA85T10A562S»",), strong=True, alone=("«AAAAAA00B11C333N»",)),
    Nation("it-vat", "IT_VAT_CODE", r"(?:IT)?[0-9]{11}", ("partita iva", "p.iva", "piva"), ("partita iva «01333550323»",), "it.iva", alone=("«01333550323»",)),
    Nation("it-license", "IT_DRIVER_LICENSE", r"[A-Z]{2}[0-9]{7}[A-Z]|U1[A-Z0-9]{8}", ("patente", "licenza"), ("patente «AA0123456B»",), alone=("«AA0123456B» and «AA0123456B»",)),
    Nation("it-card", "IT_IDENTITY_CARD", r"[A-Z]{2}[ -]?[0-9]{5,7}(?:[A-Z]{2})?|[0-9]{7}[A-Z]{2}", ("carta d'identità", "carta identità", "cie", "carta"), ("carta «AA12345aa»",), alone=("«AA1234567»",)),
    Nation("pl-pesel", "PL_PESEL", r"[0-9]{11}", ("pesel",), ("PESEL «44051401359»",), "pl.pesel", alone=("«44051401359»",)),
    Nation("pl-nip", "TAX_ID", r"[0-9]{3}-?[0-9]{3}-?[0-9]{2}-?[0-9]{2}", ("nip",), ("NIP «856-734-62-15»",), "pl.nip", alone=("«8567346215»",)),
    Nation("nl-bsn", "NATIONAL_ID", r"[0-9]{4}\.?[0-9]{2}\.?[0-9]{2,3}", ("bsn", "burgerservicenummer", "sofinummer"), ("BSN «111222333»",), "nl.bsn", alone=("«111222333»",)),
    Nation("be-nn", "NATIONAL_ID", r"[0-9]{2}\.?[0-9]{2}\.?[0-9]{2}-?[0-9]{3}\.?[0-9]{2}", ("rijksregister", "registre national", "insz", "niss"), ("rijksregister «85.07.30-033 28»".replace("033 28", "033.28"),), "be.nn", alone=("«85073003328»",)),
    Nation("ch-ahv", "NATIONAL_ID", r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}", ("ahv", "avs"), ("AHV «756.9217.0769.85»",), "ch.ssn", strong=True, alone=("«756.9217.0769.85»",)),
    Nation("at-svnr", "NATIONAL_ID", r"[1-9][0-9]{3} ?[0-9]{6}", ("svnr", "sozialversicherungsnummer"), ("SVNR «1237 010180»",), "at.vnr", alone=("«1237 010180»",)),
    Nation("se-person", "SE_PERSONNUMMER", r"(?:19|20)?[0-9]{6}[-+]?[0-9]{4}", ("personnummer", "pnr", "samordningsnummer"), ("«199109242397» är mitt pnr.",), "se.personnummer", alone=("«9201232387»", "«191005059801»")),
    Nation("se-org", "SE_ORGANISATIONSNUMMER", r"[0-9]{6}-?[0-9]{4}", ("organisationsnummer", "orgnr"), ("orgnr «212000-0142»",), "se.orgnr", alone=("«212000-0142»",)),
    Nation("no-fnr", "NATIONAL_ID", r"[0-9]{6} ?[0-9]{5}", ("fødselsnummer", "fodselsnummer", "fnr"), ("fødselsnummer «684131 49370»".replace("684131 49370", "151086 95088"),), "no.fodselsnummer", alone=("«15108695088»",)),
    Nation("dk-cpr", "NATIONAL_ID", r"[0-3][0-9][01][0-9][0-9]{2}-?[0-9]{4}", ("cpr", "cpr-nummer", "personnummer"), ("CPR «211062-5629»",), "dk.cpr", alone=("«211062-5629»",)),
    Nation("fi-hetu", "FI_PERSONAL_IDENTITY_CODE", r"[0-3][0-9][01][0-9]{3}[-+ABCDEFYXWVU][0-9]{3}[0-9A-FHJ-NPR-Y]", ("hetu", "henkilötunnus", "personbeteckning"), ("HETU «131052-308T»",), strong=True, alone=("«030594W903B»",)),
    Nation("ee-ik", "NATIONAL_ID", r"[1-6][0-9]{10}", ("isikukood",), ("isikukood «36805280109»",), "ee.ik", alone=("«36805280109»",)),
    Nation("lt-code", "NATIONAL_ID", r"[3-6][0-9]{10}", ("asmens kodas",), ("asmens kodas «33309240064»",), "lt.asmens", alone=("«33309240064»",)),
    Nation("cz-rc", "NATIONAL_ID", r"[0-9]{6}/[0-9]{3,4}", ("rodné číslo", "rodne cislo", "rodné"), ("rodné číslo «710319/2745»",), "cz.rc", strong=True, alone=("«710319/2745»",)),
    Nation("ro-cnp", "NATIONAL_ID", r"[1-9][0-9]{12}", ("cnp",), ("CNP «1630615123457»",), "ro.cnp", alone=("«1630615123457»",)),
    Nation("bg-egn", "NATIONAL_ID", r"[0-9]{10}", ("егн", "egn"), ("EGN «7523169263»",), "bg.egn", alone=("«7523169263»",)),
    Nation("hr-oib", "NATIONAL_ID", r"[0-9]{11}", ("oib",), ("OIB «33392005961»",), "hr.oib", alone=("«33392005961»",)),
    Nation("gr-amka", "NATIONAL_ID", r"[0-9]{11}", ("amka", "αμκα"), ("AMKA «01013099997»",), "gr.amka", alone=("«01013099997»",)),
    Nation("tr-id", "NATIONAL_ID", r"[1-9][0-9]{10}", ("tckn", "kimlik", "tc kimlik"), ("TCKN «10000000146»",), "tr.tckimlik", alone=("«94357219628»",)),
    Nation("tr-plate", "LICENSE_PLATE", r"(?:0[1-9]|[1-7][0-9]|8[01]) ?[A-Z]{1,3} ?[0-9]{2,4}", ("plaka", "plakası"), ("Plaka numarası «06 A 123» olarak",), alone=("«34 ABC 1234»",)),
    Nation("ru-inn", "TAX_ID", r"[0-9]{10}|[0-9]{12}", ("инн", "inn"), ("ИНН «500100732259»",), "ru.inn", alone=("«500100732259»",)),
    Nation("ua-rntrc", "TAX_ID", r"[0-9]{10}", ("іпн", "рнокпп", "rntrc"), ("РНОКПП «1759013776»",), "ua.rntrc", alone=("«1759013776»",)),
)  # fmt: skip

EUROPEAN: Final[tuple[Rule, ...]] = tuple(rule for nation in _NATIONS for rule in nation.rules())
"""National identifiers of European countries."""
