"""One-time codes, PINs and card verification codes. Digits alone are none: a cue makes them one."""

from __future__ import annotations

from typing import Final

from .cues import LINK
from .rule import Rule

_OTP_CUE: Final = (
    r"(?:otp(?: code)?|one[- ]?time[- ](?:pass)?(?:code|word|pin)|(?:verification|security|confirmation|auth(?:entication|ori[sz]ation)?"
    r"|login|log-in|sign-?in|access|activation|unlock|reset|sms|2fa|mfa|two[- ]factor|pass|temporary)[ -]?(?:code|number|pin)"
    r"|passcode|2fa|mfa|totp)"
)
_DIGITS: Final = r"(?P<value>(?:G-)?(?:[0-9]{3}[- ][0-9]{3}|[0-9]{2}[- ][0-9]{2}[- ][0-9]{2}|[0-9]{4}[- ][0-9]{4}|[0-9]{4,8}|(?:[0-9][ .-]){3,7}[0-9]))(?![0-9%]|[.,][0-9]|[A-Za-z])"
_NOT_CODE: Final = (
    r"(?:error|zip|area|country|status|exit|postal|post|product|promo|discount|coupon|source|response|return|http|dress|qr|bar"
    r"|sort|colou?r|swift|bank|bic|iata|airport|currency|language|room|dial(?:ling)?|part|item|sku|reason|tax|station|class"
    r"|course|building|penal|civil|voucher|gift|booking|reservation|tracking|order|line of|lines of|diagnosis|icd|procedure)[ _-]?\Z"
)

_ABROAD: Final = (
    r"(?<![A-Za-z])(?:c[oó]digo de (?:verificaci[oó]n|seguridad|acceso|confirmaci[oó]n|verifica[cç][aã]o|seguran[cç]a|confirma[cç][aã]o)"
    r"|code (?:de )?(?:v[eé]rification|s[eé]curit[eé]|confirmation|validation)|code d'acc[eè]s|codice (?:di )?(?:verifica|sicurezza|conferma|accesso)"
    r"|(?:tu|su|seu|votre|ton|dein|ihr|il tuo|jouw|uw|din) (?:c[oó]digo|code|codice|kod)"
    r"|(?:best[aä]tigungs|verifizierungs|verifikations|sicherheits|zugangs|anmelde|einmal)code|(?:verificatie|beveiligings|bevestigings)code"
    r"|(?:verifierings|bekräftelse|engångs)kod|kod (?:weryfikacyjny|dostępu)|do[gğ]rulama kodu|kode verifikasi|mã xác (?:nhận|minh))"
    r"|код(?: подтверждения| доступа| безопасности| проверки)?|验证码|校验码|驗證碼|認証コード|確認コード|인증 ?(?:번호|코드)|رمز التحقق|קוד אימות|सत्यापन कोड"
)
"""What a one-time code is called in other languages."""

CODES: Final[tuple[Rule, ...]] = (
    Rule(
        "otp-after-cue",
        "OTP_CODE",
        rf"(?<![A-Za-z0-9]){_OTP_CUE}(?![A-Za-z0-9]){LINK}{_DIGITS}",
        0.95,
        (
            "Your verification code is «482913».",
            "OTP: «9931»",
            "one-time password: «4829-1307»",
            "Your login code: «55-29-13»",
            "my passcode is «4 8 2 9 1 4», thanks",
            "2FA «123456»",
        ),
        ("the verification code was not sent", "verification code expires in 10 minutes", "error code 4040"),
        gates=("digit",),
        words=("otp", "code", "passcode", "one-time", "one time", "2fa", "mfa", "pin"),
    ),
    Rule(
        "code-after-cue",
        "OTP_CODE",
        rf"(?<![A-Za-z0-9_-])code(?![A-Za-z0-9]){LINK}{_DIGITS}",
        0.85,
        ("here is the code: «774019», just enter it", "order 482913, code «4 8 2 9 1 4»", "the code is «5512»"),
        ("error code 4040", "zip code 94105", "area code 4155", "I didn't get a code", "exit code 1234"),
        gates=("digit",),
        words=("code",),
        unless=_NOT_CODE.replace(r"\Z", rf"code(?![A-Za-z0-9]){LINK}\Z"),
    ),
    Rule(
        "otp-before-cue",
        "OTP_CODE",
        rf"(?<![A-Za-z0-9.,#$€£-]){_DIGITS}(?= (?:is|was) (?:your|my|the|our) (?:\w+ ){{0,3}}?(?:otp|code|passcode|password)\b"
        r"| (?:to|for) (?:log ?in|sign[ -]?in|verify|verification|confirm|authenticate|reset|access)\b| as (?:your|the|my) (?:\w+ )?code)",
        0.9,
        ("Use «883-204» to log in to your account", "«482913» is your Acme verification code", "«1234» is the code"),
        ("The 2024 to 2025 plan", "Room 1200 is your room"),
        gates=("digit",),
    ),
    Rule(
        "pin",
        "PIN",
        rf"(?<![A-Za-z0-9_])(?:pin(?:[- ]?(?:code|number|no\.?))?|personal identification number)(?![A-Za-z0-9]){LINK}"
        r"(?P<value>(?:[0-9][ -]){3,7}[0-9]|[0-9]{4,8})(?![0-9%]|[.,][0-9]|[A-Za-z])",
        0.9,
        ("My PIN is «4821» and my card ends in 1234", "pin: «0000»", "atm pin code «123456»"),
        ("pin the message 3 times", "GPIO pin 12", "spin 4821"),
        gates=("digit",),
        words=("pin", "personal identification"),
    ),
    Rule(
        "pin-before-cue",
        "PIN",
        r"(?<![A-Za-z0-9.,#$-])(?P<value>[0-9]{4,8})(?= (?:is|was) (?:my|your|the|his|her) (?:\w+ ){0,2}pin\b| as (?:(?:a|my|your|the|his|her) )?(?:\w+ )?pin\b)",
        0.9,
        ("«4821» is my PIN", "use «4821» as the new PIN"),
        ("4821 is my locker",),
        gates=("digit",),
        words=("pin",),
    ),
    Rule(
        "pin-for",
        "PIN",
        r"(?<![A-Za-z0-9_])(?:pin|passcode|(?:alarm|door|gate|entry|lock|access|unlock|security)[ -]code)(?: (?:code|number))? (?:for|to|of|on) (?:[\w'’-]{1,20} ){1,4}(?:is|was|will be)[ :]{1,2}"
        r"(?P<value>[0-9]{4,8})(?![0-9%]|[.,][0-9]|[A-Za-z])",
        0.9,
        ("The PIN for the door is «4821», don't share", "door code for the back gate is «55120»"),
        ("the pin for this connector is 4", "pin the post for the team is 2021 style"),
        gates=("digit",),
        words=("pin", "code"),
    ),
    Rule(
        "code-abroad",
        "OTP_CODE",
        rf"(?:{_ABROAD})[\s:=\"'«(-]{{0,4}}(?:(?:es|est|is|ist|lautet|lauten|è|é|är|jest|это|是|为|為|は|는|은)[\s:=\"'«(-]{{0,4}})?"
        r"(?P<value>[0-9]{3}[- ][0-9]{3}|[0-9]{4,8})(?![0-9%]|[.,][0-9]|[A-Za-z])",
        0.9,
        (
            "Código de verificación: «774019»",
            "Ihr Bestätigungscode lautet «774019»",
            "votre code est «774 019»",
            "验证码：«774019»，请勿泄露",
            "код подтверждения «774019»",
            "認証コードは«774019»です",
            "인증번호 «774019»",
        ),
        ("code postal 75002", "код ошибки 10054", "código postal 28001", "codice fiscale"),
        gates=("digit",),
        words=(
            *("código", "codigo", "code", "codice", "kod", "kodu", "kode", "код", "验证码", "校验码", "驗證碼"),
            *("認証コード", "確認コード", "인증번호", "인증코드", "인증 코드", "mã xác", "رمز", "קוד", "कोड"),
        ),
    ),
    Rule(
        "cvv",
        "CVV",
        rf"(?<![A-Za-z0-9])(?:cvv2?|cvc2?|csc|cid|cvn|card verification (?:code|value|number)|security code)(?:[ -]?(?:code|number))?"
        rf"(?![A-Za-z0-9]){LINK}(?P<value>[0-9]{{3,4}})(?![0-9%]|[.,][0-9]|[A-Za-z])",
        0.9,
        ("security code on the back is «921»", "cvv «123»", "the CVC is «0931»", "security code: «731»"),
        ("csc 12 units", "cvv is on the back"),
        gates=("digit",),
        words=("cvv", "cvc", "csc", "cid", "cvn", "verification", "security code"),
    ),
)
"""One-time codes, PINs, card verification codes."""
