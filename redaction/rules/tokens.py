"""Secrets by their own shape: the well-known prefixes of keys, JWTs, PEM blocks, random words beside a cue."""

from __future__ import annotations

import math
import re
from typing import Final

from .rule import Rule

_TAIL: Final = r"[A-Za-z0-9_./+=~-]"


def entropy(value: str) -> float:
    """Shannon entropy of a value's symbols, in bits a symbol."""
    size = len(value)
    return -sum(value.count(char) / size * math.log2(value.count(char) / size) for char in set(value))


def is_random(value: str) -> bool:
    """Whether a word of key symbols reads as random: letters and digits mixed, over 3 bits a symbol, no words."""
    if not any(char.isdigit() for char in value) or not any(char.isalpha() for char in value):
        return False
    if re.fullmatch(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", value):
        return False
    return entropy(value) > 3.0 and not re.search(r"[a-z]{4,}[_/-][a-z]{4,}", value)


def has_digit_or_is_long(value: str) -> bool:
    """For words that already have a key's prefix: not just a name that starts alike."""
    if len(value) >= 20 and not _WORDS.fullmatch(value):
        return True
    return any(char.isdigit() for char in value)


_WORDS: Final = re.compile(r"[a-z]{1,12}(?:[-_][a-z]{1,16}){2,24}")
"""Words with hyphens between, as names of classes and branches have."""


def _prefixed(name: str, prefixes: str, tail: str, examples: tuple[str, ...], *counter: str) -> Rule:
    return Rule(
        name,
        "API_KEY",
        rf"(?<![A-Za-z0-9])(?P<value>(?:{prefixes}){tail})",
        0.97,
        examples,
        counter,
        gates=("long",),
        flags=0,
        valid=has_digit_or_is_long,
    )


TOKENS: Final[tuple[Rule, ...]] = (
    _prefixed(
        "key-aws",
        r"AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9]",
        r"[A-Z0-9]{16}(?![A-Za-z0-9])",
        ("key «AKIAIOSFODNN7EXAMPLE»",),
        "AKIA1234",
    ),
    _prefixed(
        "key-git",
        r"gh[pousr]_|github_pat_|glpat-|gldt-|glrt-|glptt-|glcbt-|glagent-|glft-|glimt-|glsoat-|glffct-|GR1348941|_gitlab_session=|ATBB|bkua_|tfp_",
        r"[A-Za-z0-9_=-]{16,255}",
        ("token «ghp_16C7e42F292c6912E7710c838347Ae178B4a»",),
        "ghp_short",
    ),
    _prefixed(
        "key-ai",
        r"sk-(?:proj-|svcacct-|admin-|ant-|or-v1-|live-)?|hf_|api_org_|r8_|gsk_|pplx-|xai-|AIza|ya29\.|pcsk_",
        r"[A-Za-z0-9_-]{20,300}",
        (
            "«sk-proj-abcdEFGH1234567890abcdEFGH1234567890abcdEFGH12»",
            "x.test/«hf_abcdefghijklmnopqrstuvwxyzABCDEF»/more",
        ),
        "sk-button-primary",
        "sk-button-primary-large-outline",
    ),
    _prefixed(
        "key-payment",
        r"(?:sk|rk|pk)_(?:live|test|prod)_|whsec_|sq0(?:atp|csp|idp)-|EAAA|EAAC|access_token\$production\$|shp(?:at|ca|pa|ss)_|FLWSECK(?:_TEST)?-|FLWPUBK(?:_TEST)?-",
        r"[A-Za-z0-9_$=-]{10,255}",
        ("«sk_live_4eC39HqLyjWDarjtT1zdp7dc»",),
        "sk_live_x",
    ),
    _prefixed(
        "key-chat",
        r"xox[abposer](?:\.xox[bp])?-|xapp-|xoxe-|https://hooks\.slack\.com/(?:services|workflows)/|https://discord(?:app)?\.com/api/webhooks/"
        r"|https://[a-z0-9]+\.webhook\.office\.com/webhookb2/|SG\.|key-|pubkey-|sk\.eyJ|pk\.eyJ|T3BlbkFJ",
        r"[A-Za-z0-9_./@=-]{16,400}",
        ("«xoxb-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1»",),
        "key-value-pairs",
    ),
    _prefixed(
        "key-cloud",
        r"dop_v1_|doo_v1_|dor_v1_|npm_|pypi-AgE|rubygems_|glsa_|glc_|eyJrIjoi|dckr_(?:pat|oat)_|lin_api_|NRAK-|NRJS-|NRII-|NRIQ-|NRSP-|PMAK-|pscale_(?:tkn|oauth|pw)_|pul-"
        r"|dp\.(?:pt|st|sa|ct|scim|audit)\.|hvs\.|hvb\.|s\.[a-zA-Z0-9]|ops_ey|A3-[A-Z0-9]{6}-|EZ[AT]K|shippo_(?:live|test)_|sntr[ysu]_?|secret_|ntn_|figd_|fio-u-|fo1_|fm1[ar]_"
        r"|atlasv1|HRKU-|FlyV1 |dapi|ddp_|nfp_|sbp_|sb_secret_|ocp_|CLOJARS_|AGE-SECRET-KEY-1|p8e-|duffel_(?:test|live)_|dt0[a-zA-Z][0-9]{2}\.|patch?[A-Za-z0-9]{14}\.|LTAI|AKLT|AKID|cmFtbWl0|t1\.[A-Z0-9a-z]|AQVN|YC[A-Z]"
        r"|defined_|intra-s-s4t2ud-|sdk-|api-[0-9a-f]{8}-|ATATT3|ATCTT3|CFPAT-|lin_|phc_|phx_|rdme_|perf_|settlemint_|sl\.|sq0|tk-us-|v1\.[0-9a-f]{8}|vercel_|waka_|xkeysib-|HOP-|RGAPI-",
        r"[A-Za-z0-9_./+=~-]{14,512}",
        ("«npm_1a2b3c4d5e6f7g8h9i0jk1l2m3n4o5p6q7r8»", "«A3-W7B3PD-HX4PY8GPAN0-LYKEI-IIAAN-KKSUM»"),
        "sdk-core",
    ),
    Rule(
        "key-shapes",
        "API_KEY",
        r"(?<![A-Za-z0-9_.-])(?P<value>[MNOA][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_!-]{27,45}|[0-9]{8,10}:[A-Za-z0-9_-]{35}|[0-9a-f]{32}-us[0-9]{1,2}"
        r"|SK[0-9a-fA-Fx]{32}|AC[0-9a-f]{32}|(?:AKC|AP[0-9A-F])[A-Za-z0-9]{10,90}|[0-9]{1,2}/[0-9a-f]{20,40}:[0-9a-f]{20,40}|[A-Z0-9]{26,40}\.[A-Za-z0-9_-]{20,100})(?![A-Za-z0-9_])",
        0.9,
        ("«110201543:AAHdqTcvCH1vGWJxfSe1ofSAs0K5PALDsaw»", "«343ea45721923ed956e2b38c31db76aa-us30»"),
        ("a.b.c", "12:30:45"),
        gates=("long",),
        flags=0,
    ),
    Rule(
        "auth-token",
        "API_KEY",
        r"_auth(?:Token)?=[\"']?(?P<value>[^\s\"']{10,256})",
        0.9,
        ("//registry.acme.test/:_authToken=«743b294a-cd03-11ec-9d64-0242ac120002»",),
        ("_authToken=${NPM}",),
        words=("_auth",),
        gates=("equals",),
        valid=lambda value: not value.startswith(("$", "{", "<")),
    ),
    Rule(
        "jwt",
        "JWT",
        r"(?<![A-Za-z0-9_-])(?P<value>ey[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{8,16384}(?:\.[A-Za-z0-9_-]{0,16384}){0,3}|ZXlK[A-Za-z0-9+/_=-]{40,8192})",
        1.0,
        ("Bearer «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk»",),
        ("eyJ.abc", "keyboard.layout"),
        gates=("long",),
        flags=0,
    ),
    Rule(
        "pem",
        "PRIVATE_KEY",
        r"-----BEGIN[A-Z0-9 ]{1,40}(?:PRIVATE KEY|PGP MESSAGE|SECRET)[A-Z ]{0,20}-----[^-]{0,16384}(?:-----END[A-Z0-9 ]{1,60}-----)?",
        1.0,
        ("«-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----»",),
        ("-----BEGIN CERTIFICATE-----",),
        words=("-----begin",),
        flags=0,
    ),
    Rule(
        "random-with-cue",
        "API_KEY",
        r"(?<![A-Za-z0-9_/+.-])(?P<value>[A-Za-z0-9_+/.~-]{16,512}={0,2})(?![A-Za-z0-9_/+])",
        0.7,
        ("the key is «8f14e45fceea167a5a36dedd4bea2543»", "token «a8Fj29Kd03mXz71Q»"),
        ("commit 3f786850e387550fdab836ed7e6dc881de23001b", "uuid 123e4567-e89b-12d3-a456-426614174000"),
        gates=("long", "digit"),
        before=r"(?:key|token|secret|credential|auth|password|bearer|pat\b|apikey|session|cookie|signature)\w{0,12}[\"'`\])]{0,2}(?:[ \t]{0,3}(?:is|was|are|=|:|=>|,|string)){0,3}[ \t]{0,3}[\"'`(\[]{0,3}\Z",
        unless=r"(?:commit|sha|sha256|sha1|md5|hash|digest|checksum|etag|revision|public)\W{0,4}(?:key|is|=|:)?\W{0,4}\Z",
        valid=is_random,
    ),
)
"""Secrets by their shape."""
