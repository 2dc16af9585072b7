"""Secrets by what stands before them: passwords, key-value pairs, authorization headers, connection strings."""

from __future__ import annotations

import re
from typing import Final

from .rule import Rule
from .tokens import is_random

_NAMED: Final = (
    r"(?:passw(?:or)?d|passwd|pwd|pass(?:phrase|code)|secret|token|api[_ -]?key|apikey|access[_ -]?key|account[_ -]?key|auth[_ -]?key"
    r"|auth[_-]?token|signing[_ -]?key|encryption[_ -]?key|private[_ -]?key|master[_ -]?key|shared[_ -]?key|license[_ -]?key|service[_ -]?key|write[_ -]?key"
    r"|client[_ -]?secret|credentials?|webhook)(?!i[sz][aei]|ar[iy]|ion|ory|less|ing)"
)
"""Names of secrets, and not of what only starts like one: a tokenizer, a secretary."""

_ASSIGN: Final = r"[\\\"'`\])]{0,4}[ \t]{0,4}(?:=>|:{1,3}=|\?=|\.=|\|\|=?|=|:|,)[ \t]{0,4}(?:bearer |basic |token |str\(|string\(|b|f|r|u)?[\\\"'`(]{0,4}"
PLACEHOLDER: Final = re.compile(
    r"(?:\$\{|\$\(|<|%\(|\{\{|os\.|env\.|process\.|self\.|config\.|settings\.|get|input\(|https?://|None\b|null\b|true\b|false\b|undefined\b"
    r"|your[-_]|my[-_]?|example|changeme|placeholder|redacted|x{4,}|\*{3,}|\.{3}|todo\b|string\b|str\b|optional|required|required\b|var\b)",
    re.IGNORECASE,
)
_PROSE: Final = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?[.,!?;:]*\Z|[a-z_.]+\(?\)?\Z|[A-Z_]+\Z")
_CODE: Final = re.compile(
    r"[A-Za-z_][A-Za-z_.]{2,60}(?:\([^0-9]{0,200}\)?|\[[A-Za-z_.,|\[\] ]{0,200})\Z|[a-z]{2,30}(?::[a-z]{2,30}){1,8}\Z"
    r"|/?(?:[a-z_.-]{2,30}/){1,8}[a-z_.-]{2,30}\Z"
)
"""A call, an index or the type of a name, words with colons between, a path: what code has after a name of a secret."""

_SAYING: Final = frozenset(
    [
        "your",
        "the",
        "a",
        "an",
        "is",
        "are",
        "be",
        "must",
        "should",
        "may",
        "can",
        "not",
        "enter",
        "please",
        "required",
        "at",
        "of",
        "for",
        "and",
        "or",
        "to",
    ]
)
"""Words of a sentence about a password; a passphrase has none of them."""


def is_secret_value(value: str) -> bool:
    """Whether a value after "password =" looks like one: mixed symbols, not a word, a call or a variable."""
    core = value.rstrip(".,;!?)")
    if len(core) < 4 or PLACEHOLDER.match(core) or _PROSE.match(core) or _CODE.match(core):
        return False
    return any(char.isdigit() for char in core) or any(not char.isalnum() and char not in "_.-" for char in core)


_DATE_OR_NUMBER: Final = re.compile(
    r"[0-9.,:/+()-]+\Z|[0-9]{4}-[0-9]{2}-[0-9]{2}T.*|[^@]+@[^@]+\.[a-z]+\Z|[a-z]+://.*|[A-Z]{2,5}-?[0-9]{1,8}\Z"
)


def is_strong(value: str) -> bool:
    """Whether a word reads as a password by itself: letters with a digit or a mark inside, and no date, address or plain
    number."""
    core = value.rstrip(".,;:!?") if len(value.rstrip(".,;:!?")) >= 6 else value
    if PLACEHOLDER.match(core) or _DATE_OR_NUMBER.match(core) or not any(char.isalpha() for char in core):
        return False
    marks = sum(not char.isalnum() and char not in "_-.'" for char in core)
    digits = any(char.isdigit() for char in core)
    mixed = core != core.lower() and core != core.upper()
    return (marks > 0 and (digits or mixed)) or (digits and (mixed or "_" in core)) or (marks > 0 and core[0] == "!")


def is_quoted_password(value: str) -> bool:
    """Whether a value in quotes after "password" is one: anything but a placeholder, a template or a sentence."""
    if len(value) < 4 or PLACEHOLDER.match(value) or (value.startswith("/") and _CODE.match(value)):
        return False
    return _SAYING.isdisjoint(value.lower().split())


def is_quoted_secret(value: str) -> bool:
    """Whether a value in quotes after the name of a secret is one."""
    if value.isdigit() or not is_quoted_password(value):
        return False
    return is_secret_value(value) if " " not in value else any(map(is_strong, value.split()))


def is_chosen(value: str) -> bool:
    """Whether a word after "password" was chosen as one: letters, then digits, and no name of an algorithm."""
    return _CHOSEN.fullmatch(value) is not None


_CHOSEN: Final = re.compile(
    r"(?!(?:sha|md|aes|rsa|bcrypt|scrypt|argon|version|step|chapter|section)[0-9])[A-Za-z]{4,30}[0-9]{2,12}"
)
_QUOTED: Final = r"(?P<quote>\\{0,2}[\"'`])(?P<value>(?:(?!(?P=quote))(?:\\[^\n]|[^\n\\<>])){4,512})(?:(?P=quote)|\Z)"
"""A value in quotes, with whatever is escaped in it; the quotes may be escaped themselves, as in JSON in JSON. What the
end of the text closes is a JSON string after its key."""

SECRETS: Final[tuple[Rule, ...]] = (
    Rule(
        "key-value",
        "API_KEY",
        rf"(?<![A-Za-z])[\w.-]{{0,40}}?(?:{_NAMED}|(?<=_)key|(?<=_)auth)[\w-]{{0,20}}{_ASSIGN}(?P<value>(?:[^\s\"'`,;<>(){{}}&\\]|&(?!\w{{1,40}}=)|\\(?![\"'`nrt])){{6,512}})",
        0.8,
        (
            "aws_secret_access_key=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»",
            "export ADAFRUIT_API_KEY=«mhp3w6w7q3g-xsc1fnv6xjvr8ftutlfj»",
            "'client_secret' => '«p8e-1a9f3c77»'",
        ),
        ("api_key = os.environ['X']", "token = get_token()", "secret: string", "max_tokens: 4096"),
        words=("passw", "pwd", "pass", "secret", "token", "key", "auth", "credential", "webhook"),
        valid=is_secret_value,
    ),
    Rule(
        "key-quoted",
        "API_KEY",
        rf"(?<![A-Za-z])[\w.-]{{0,40}}?(?:{_NAMED}|(?<=_)key|(?<=_)auth)[\w-]{{0,20}}[\\\"'`\])]{{0,4}}[ \t]{{0,4}}(?:=>|:=|=|:)[ \t]{{0,4}}{_QUOTED}",
        0.85,
        (
            "api_key: '«abc\\'def123XYZ»'",
            'secret="«s3cr,et;with{punct}1»"',
            '{"cmd":"export API_KEY=\\"«q8Wz-11Lk-99Xc»\\""}',
        ),
        ("token = 'value'", 'secret: "must be set, see step 2"', 'api_key = "${API_KEY_2}"'),
        words=("passw", "pwd", "pass", "secret", "token", "key", "auth", "credential", "webhook"),
        valid=is_quoted_secret,
    ),
    Rule(
        "password",
        "PASSWORD",
        r"(?<![A-Za-z])(?:passwords?|passwort|passwd|pwd|passphrase|passcode|kennwort|mot de passe|contrase[nñ]a)(?![A-Za-z])"
        r"(?:[\"'`]?[ ]{0,2}(?:is|was|=|:|to|as|will be|should be|now|-|still|for \w{1,20} is)[ ]{0,2}){1,3}[\"'`]{0,2}(?P<value>(?:[^\s\"'`<>&]|&(?!\w{1,40}=)){4,128})",
        0.85,
        ("password: «hunter2!X»", "my password is «Tr0ub4dor&3»", "the password is now «S3cure-Pass»"),
        ("password is required", "password: string", "the password is wrong", "reset your password to continue"),
        words=("passw", "pwd", "passphrase", "passcode", "kennwort", "mot de passe", "contrase"),
        valid=is_secret_value,
    ),
    Rule(
        "password-after",
        "PASSWORD",
        r"(?<![A-Za-z])(?:passwords?|passwd|pwd|passphrase|passcode|credentials?|login|pin|pw|secret|access key|security key|authentication (?:key|code))(?![A-Za-z])"
        r"[ :('\"]{1,3}(?P<value>[^\s\"'`<>,;()]{5,63}[^\s\"'`<>,;().:?])",
        0.75,
        ("her password «!PurpleSky77».", "with password «8nZ!kV4%beta»."),
        ("password reset", "password-protected", "login required", "secret santa"),
        words=("passw", "pwd", "passphrase", "passcode", "credential", "login", "pin", "pw", "secret", "key"),
        valid=is_strong,
    ),
    Rule(
        "password-said",
        "PASSWORD",
        r"(?<![A-Za-z])(?:password|passwd|passphrase|pwd)[ ]{1,2}[\"'`]?(?P<value>[A-Za-z]{4,30}[0-9]{2,12})(?![\w.-]*[\w])",
        0.75,
        ("login with user ada and password «letmein99»",),
        ("password sha256", "password version2.0", "the password bcrypt12 makes"),
        words=("passw", "pwd"),
        gates=("digit",),
        valid=is_chosen,
    ),
    Rule(
        "password-abroad",
        "PASSWORD",
        r"(?:пароль|密码|密碼|口令|パスワード|暗証番号|비밀번호|senha|has[lł]o|wachtwoord|lösenord|adgangskode|passord|salasana|şifre|parola|mật khẩu|รหัสผ่าน|पासवर्ड|סיסמה|كلمة المرور|contrase[nñ]a|mot de passe|passwort|kennwort)(?![A-Za-z])"
        r"[ ]{0,2}(?:(?:=|:|ist|est|es|é|è|jest|är|er|on|là|is|to|это|是|为|為|は|는|이|-)[ ]{0,2}){0,2}[\"'`«(]?(?P<value>[^\s\"'`<>«»(),;\u3000-\u9fff]{4,128})",
        0.8,
        (
            "пароль: «Qwerty!2345»",
            "密码是«Qwerty!2345»，谢谢",
            "mein Passwort ist «Kx9!pQ2z»",
            "mot de passe : «S0leil!44»",
        ),
        ("Забыли пароль?", "Passwort vergessen", "senha obrigatória"),
        words=(
            *("пароль", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "senha", "haslo", "hasło"),
            *("wachtwoord", "lösenord", "adgangskode", "passord", "salasana", "şifre", "parola", "mật khẩu", "รหัสผ่าน"),
            *("पासवर्ड", "סיסמה", "كلمة المرور", "contrase", "mot de passe", "passwort", "kennwort"),
        ),
        valid=is_secret_value,
    ),
    Rule(
        "password-in-quotes",
        "PASSWORD",
        r"(?<![\w])[\"'`](?P<value>[^\s\"'`<>]{6,64})[\"'`](?![\w])",
        0.7,
        ("stored credentials '«UPIsecure2024#»' in logs", "login details and the password '«Root2024$Secure»'"),
        ("the password field 'first_name'", "credentials 'admin'"),
        before=r"(?:passw|pwd|passphrase|passcode|credential|login|log in|sign in|secret|pin\b|logged|code\b|accessed|access)",
        words=(
            "passw",
            "pwd",
            "passphrase",
            "passcode",
            "credential",
            "login",
            "secret",
            "pin",
            "access",
            "code",
            "logged",
        ),
        valid=is_strong,
    ),
    Rule(
        "password-after-login",
        "PASSWORD",
        r"[\w.+-]{1,64}@[\w.-]{1,100}[ ]{0,2}(?:/|\||:|,| and| with)[ ]{1,2}(?:password )?[\"'`]?(?P<value>[^\s\"'`<>,;]{6,64})",
        0.7,
        ("-> ada@tallowbrook.net / «Tr0ub4dor-93x»",),
        ("ada@x.net and bob@x.net", "ada@x.net / 2024-01-02"),
        gates=("at",),
        valid=is_strong,
    ),
    Rule(
        "password-quoted",
        "PASSWORD",
        rf"(?<![A-Za-z])(?:\w{{0,20}}_)?(?:password|passwd|pwd|passphrase)s?[\\\"'`]{{0,4}}[ ]{{0,2}}(?:=>|=|:|is)[ ]{{0,2}}{_QUOTED}",
        0.86,
        (
            "password = '«letmein»'",
            '{"password": "«correcthorse»"}',
            'db_password: "«p@ss w0rd with spaces»"',
            '"{\\"password\\":\\"«Tr0ub4dor-93x»\\"}"',
        ),
        ('"password": "${DB_PASSWORD}"', "password = 'your-password'", '"password": "Enter your password"'),
        words=("passw", "pwd", "passphrase"),
        valid=is_quoted_password,
    ),
    Rule(
        "named-value",
        "API_KEY",
        r"(?:^|(?<=\s))[\"']?[\w.-]{2,40}[\"']?:(?!//)[ ]{0,2}[\"']?(?P<value>(?=[^\s\"']{0,200}[0-9])[^\s\"',<>{}()]{16,512})[\"']?[ ]{0,2}(?:$|(?=\n))",
        0.6,
        ("adobe: «9fbc6b15287ebb940ee7df75eb73e8f8»", "beamer: «b_spc4cwxudb34jhus3pkcmb=ofzxtl3xse3kplnc-1ra3»"),
        (
            "commit: 3f786850e387550fdab836ed7e6dc881de23001b",
            "time: 2024-01-02T03:04:05.678Z",
            "see: https://example.com/a/b/c1",
            "https://example.com/4539578763621486/x?c=1",
        ),
        gates=("colon", "long", "digit"),
        unless=r"(?:commit|sha-?[0-9]*|md5|hash|digest|checksum|etag|revision|version|image|path|file|url|uri|date|time|integrity|resolved|ref|id|uuid|guid|fingerprint|fp|trace|request|span)[\"']?:[ ]{0,2}[\"']?\Z",
        valid=lambda value: is_random(value) and "://" not in value,
    ),
    Rule(
        "named-key",
        "API_KEY",
        r"(?<![A-Za-z])(?:my|the|our|this|a|api|access|secret|\w{2,60})[ _-](?:api )?(?:key|token|secret|credential)s?[ ]{0,2}(?:is|:|=)[ ]{0,2}[\"'`]?(?P<value>(?:[^\s\"'`,;<>&]|&(?!\w{1,40}=)){8,512})",
        0.8,
        (
            "Here is my snyk key: «12345678-ABCD-ABCD-ABCD-1234567890AB» - please use it",
            "contribsys key: «7289818e:f9037bd7»",
        ),
        ("the key is required", "my key: value"),
        words=("key", "token", "secret", "credential"),
        valid=is_secret_value,
    ),
    Rule(
        "password-field",
        "PASSWORD",
        r"<input[^<>]{0,200}type=[\"']?password[\"']?[^<>]{0,200}value=[\"']?(?P<value>[^\s\"'<>]{1,128})",
        0.9,
        ('<input type=password value="«Tr0ub4dor-93x»">',),
        ('<input type=text value="abc">',),
        words=("<input",),
    ),
    Rule(
        "connection-password",
        "PASSWORD",
        r"(?:password|pwd)=(?P<value>(?:[^\s;\"'&]|&(?!\w{1,40}=)){4,128})(?=[;&\"']|\Z)",
        0.9,
        ("Server=db;User Id=sa;Password=«Pa55.word»;",),
        ("Password=;",),
        words=("password=", "pwd="),
        gates=("equals",),
        valid=lambda value: not PLACEHOLDER.match(value),
    ),
)
"""Secrets by their context."""
