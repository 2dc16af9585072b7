"""Secrets where protocols and command lines put them: headers, cookies, options of a command, recovery phrases."""

from __future__ import annotations

import re
from typing import Final

from .cues import LINK
from .rule import Rule
from .secrets import PLACEHOLDER, is_quoted_password, is_secret_value, is_strong

_QUOTES: Final = r"[\\\"'`]{0,4}"
_AUTHORIZATION: Final = rf"(?<![A-Za-z])(?:proxy-)?authorization{_QUOTES}[ ]{{0,2}}[:=>][ ]{{0,2}}{_QUOTES}"
_SYMBOL: Final = r"(?:[^\s\"'`<>\\,;]|\\(?![\"'`nrt]))"
_PARAMETER: Final = r"[\w-]{1,40}=[\\\"']{0,3}[^\s\"'\\,]{0,1024}[\\\"']{0,3}"

_PORT: Final = re.compile(r"[0-9:./-]+|[a-z0-9_-]{1,3}")
"""Ports and mounts, which other options of the same letter take."""


def is_header_value(value: str) -> bool:
    """Whether what stands in an authorization header is a credential: not a word, and not a template."""
    mixed = len(value) >= 16 and value != value.lower() and value != value.upper()
    return is_secret_value(value) or (mixed and PLACEHOLDER.match(value) is None)


def is_given(value: str) -> bool:
    """Whether what an option for a password is given is one: no variable, template, port or further option."""
    return (
        not value.startswith(("$", "-", "{", "<", "%")) and not PLACEHOLDER.match(value) and not _PORT.fullmatch(value)
    )


CREDENTIALS: Final[tuple[Rule, ...]] = (
    Rule(
        "authorization",
        "API_KEY",
        r"(?<![A-Za-z])(?:bearer|basic|apikey|authorization:? token|x-api-key:)[ :=]{1,3}(?P<value>[A-Za-z0-9._~+/=-]{12,1024})",
        0.85,
        ("Authorization: Bearer «mF_9.B5f-4.1JqM12345»",),
        ("bearer token authentication", "basic understanding"),
        words=("bearer", "basic", "apikey", "authorization", "x-api-key"),
        valid=is_secret_value,
    ),
    Rule(
        "authorization-any",
        "API_KEY",
        rf"{_AUTHORIZATION}(?:[A-Za-z][A-Za-z0-9-]{{1,24}}[ ]{{1,2}})?(?P<value>{_SYMBOL}{{6,4096}})",
        0.9,
        (
            "Authorization: Negotiate «YIIZkQYGKwYBBQUCoIIZhTCC»",
            "authorization: Bearer «abc%secretPart1!tail»",
            '{"Authorization": "ApiKey «k-9f2bQ7x1Lm»", "x": 1}',
            '"{\\"authorization\\":\\"Token «q8Wz-11Lk-99Xc»\\"}"',
            "authorization: «AbCdEfGhIjKlMnOpQr»",
        ),
        ("Authorization: Bearer token is required", "Authorization: ${TOKEN_VALUE1}", "authorization: required"),
        words=("authorization",),
        valid=is_header_value,
    ),
    Rule(
        "authorization-parameters",
        "API_KEY",
        rf"{_AUTHORIZATION}[A-Za-z][A-Za-z0-9-]{{1,24}}[ ]{{1,2}}(?P<value>{_PARAMETER}(?:,[ ]{{0,2}}{_PARAMETER}){{0,24}})",
        0.9,
        (
            'Authorization: Digest «username="ada", realm="x", response="6629fae49393a05397450978507c4ef1"»',
            'authorization: OAuth «oauth_token="tok8Xq2Lm9Zr",oauth_signature="wOJIO9A2W5"»',
        ),
        ("Authorization: Digest scheme",),
        words=("authorization",),
        gates=("equals",),
    ),
    Rule(
        "cookie",
        "API_KEY",
        r"(?<![A-Za-z0-9])[\w.-]{0,32}?(?:sess(?:ion)?(?:[_-]?id)?|sid|csrf|xsrf|remember(?:_?me)?|auth|token|jwt)[\w-]{0,12}=(?P<value>[^\s;,\"'<>&\\]{8,4096})",
        0.85,
        ("Cookie: sid=«s%3AqZ81kLmN0pQ2rS4t.abc»; theme=dark", "set-cookie: PHPSESSID=«38afes7a8b2k9d»; HttpOnly"),
        ("cookie: theme=dark-mode-2", "Cookie: session=undefined"),
        words=("cookie",),
        gates=("equals",),
        valid=is_secret_value,
    ),
    Rule(
        "cli-password",
        "PASSWORD",
        r"(?<![\w.-])(?:curl|wget|https?(?=[ ]))[^\n]{0,200}?\s(?:-u|--user|-a)[ =]?[\"']?[^\s:\"'-]{1,64}:(?P<value>[^\s\"']{4,256})",
        0.85,
        ("curl -u admin:«s3cr3t-Pw9» https://x.io",),
        ("curl https://x.io",),
        words=("curl", "wget", "http"),
        valid=is_given,
    ),
    Rule(
        "cli-option",
        "PASSWORD",
        r"(?<![\w.-])(?:(?:sshpass|(?:docker|podman|helm|oras|skopeo|az|oc|buildah|nerdctl)[ ][^\n|;&]{0,80}?login|mongo(?:sh|dump|restore|import|export)?|unzip|zip)(?:[ ][^\n|;&]{0,200}?)?[ ]-[pP][ =]?"
        r"|(?:redis-cli|ldap(?:search|modify|add|delete|whoami))(?:[ ][^\n|;&]{0,200}?)?[ ]-[aw][ =]?|(?:mysql|mariadb)\w{0,12}(?:[ ][^\n|;&]{0,200}?)?[ ]-p|7z\w{0,2}[ ](?:[^\n|;&]{0,200}?[ ])?-p|-pass(?:in|out)?[ ]pass:)"
        r"[\"']?(?P<value>[^\s\"'`|;&]{4,256})",
        0.85,
        (
            "mysql -u root -p«S3cr3tPw9» db",
            "sshpass -p '«Zx9!kLmn»' ssh root@host",
            "docker login -u ada -p «Zx9kLmnQ2» registry.test",
            "redis-cli -h cache -a «fooB4r99» ping",
            "openssl rsa -in k.pem -passin pass:«letmein»",
        ),
        (
            "docker run -p 8080:80 nginx",
            "mysql -u root -p mydatabase",
            "mkdir -p some/folder",
            "redis-cli -a $PASSWORD",
        ),
        words=("sshpass", "login", "mongo", "zip", "redis-cli", "ldap", "mysql", "mariadb", "7z", "pass:"),
        flags=0,
        valid=is_given,
    ),
    Rule(
        "password-element",
        "PASSWORD",
        r"<(?:\w{1,20}:)?[\w-]{0,20}(?:password|passwd|passphrase|pwd)>[ \t]{0,4}(?P<value>[^\s<>]{4,256})[ \t]{0,4}</",
        0.9,
        ("<password>«S3cr3tPw9»</password>", "<wsse:Password>«letmein»</wsse:Password>"),
        ("<password>${PW}</password>", "<password>*****</password>"),
        words=("passw", "passphrase", "pwd"),
        valid=is_quoted_password,
    ),
    Rule(
        "secret-element",
        "API_KEY",
        r"<(?:\w{1,20}:)?[\w-]{0,20}(?:secret|token|api[_-]?key|access[_-]?key)>[ \t]{0,4}(?P<value>[^\s<>]{6,1024})[ \t]{0,4}</",
        0.85,
        ("<apiKey>«q8Wz11Lk99Xcab»</apiKey>",),
        ("<token>string</token>",),
        words=("secret", "token", "key"),
        valid=is_secret_value,
    ),
    Rule(
        "password-below",
        "PASSWORD",
        r"(?<![A-Za-z])(?:password|passwd|passphrase|passcode|pwd)[\"'`*]{0,3}(?:[ ]\([^()\n]{1,30}\))?[ ]{0,2}[:=][*]{0,2}(?:[ \t]{1,8}|[ \t]{0,8}\r?\n[ \t]{0,16})[\"'`]?"
        r"(?P<value>[^\s\"'`<>:]{4,128})[\"'`]?[ \t]{0,4}(?=\r?\n|\Z)",
        0.8,
        ("password:\n  «S3cr3tPw9»", "Password (required): «S3cr3tPw9»", "**Password:**\t«S3cr3tPw9»\n"),
        ("password:\n  type: string", "Password (required): yes", "password:\n\nOther"),
        words=("passw", "passphrase", "passcode", "pwd"),
        valid=is_secret_value,
    ),
    Rule(
        "user-and-password",
        "PASSWORD",
        r"(?<![A-Za-z])(?:(?:user(?:name)?|login|id|email)[ ]?[/|:+&][ ]?(?:pass(?:word)?|pwd|pw)|credentials?|creds?|log-?ins?(?: details)?)(?:[ ](?:is|are))?[ :=-]{1,3}"
        r"[^\s/:|]{1,64}[ ]?[/:|][ ]?(?P<value>[^\s\"'`<>,;/]{4,64})",
        0.8,
        ("user/pass: ada/«S3cr3tPw9»", "creds are ada:«S3cr3tPw9»", "login: ada@x.net / «Hunter2x»"),
        ("login: see https://x.io", "credentials are stored in: a vault", "user/password: required"),
        words=("user", "login", "id", "email", "cred", "log-in"),
        valid=is_strong,
    ),
    Rule(
        "password-of-database",
        "PASSWORD",
        r"identified[ ](?:with[ ][\w'\"]{1,40}[ ])?by[ ](?:password[ ])?[\"'](?P<value>[^\s\"']{1,128})[\"']",
        0.9,
        ("ALTER USER ada IDENTIFIED BY '«S3cr3tPw9»';",),
        ("the record is identified by its id",),
        words=("identified",),
        valid=is_quoted_password,
    ),
    Rule(
        "cli-piped",
        "PASSWORD",
        r"(?:echo|printf)[ ]{1,2}[\"']?(?P<value>[^\s\"'|]{4,128})[\"']?[ ]{0,2}\|[ ]{0,2}(?:sudo[ ][^\n|]{0,40}-S|docker login|[\w-]{1,20}[ ][^\n|]{0,60}--password-stdin)",
        0.85,
        ("echo 'S3cr3tPw9' | sudo -S apt update".replace("S3cr3tPw9", "«S3cr3tPw9»"),),
        ("echo hello | sudo tee x", "echo $PW | sudo -S ls"),
        words=("sudo", "login", "stdin"),
        valid=is_given,
    ),
    Rule(
        "recovery-code",
        "OTP_CODE",
        rf"(?<![A-Za-z])(?:recovery|backup|rescue|scratch|emergency)[ _-]?(?:codes?|keys?){LINK}"
        r"(?P<value>(?=[A-Z0-9-]{0,40}[0-9])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){1,7}(?:[\s,]{1,3}[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){1,7}){0,15})(?![\w-])",
        0.85,
        ("recovery code «ABCD-EFGH-1234»", "my backup codes: «1a2b-3c4d, 5e6f-7g8h»"),
        ("recovery code path is in auth-flow", "backup code-review-notes"),
        gates=("digit",),
        words=("recovery", "backup", "rescue", "scratch", "emergency"),
    ),
    Rule(
        "seed-phrase",
        "PASSWORD",
        r"(?<![A-Za-z])(?:seed|recovery|mnemonic|backup|wallet|secret)[ _-]?(?:phrase|words?)(?:[ ]{0,2}(?:is|are|=|:))?[\s\"'`:=]{1,6}"
        r"(?P<value>[a-z]{3,8}(?:[ ,\n]{1,2}[a-z]{3,8}){11,23})(?![\w-])",
        0.9,
        ("seed phrase: «abandon ability able about above absent absorb abstract absurd abuse access accident»",),
        ("the recovery phrase is a list of words that you keep in a safe place and never show to anybody",),
        words=("seed", "phrase", "mnemonic", "words"),
    ),
)
"""Secrets in protocols and command lines."""
