"""Keeps sealed values: keys, envelope, stores, sessions and the audit chain."""

from .anchors.anchor import Anchor, FileAnchor
from .anchors.reanchor import reanchor
from .audit import AuditEvent, AuditLog
from .backups import restore_backup
from .clock import SYSTEM_CLOCK, Clock
from .hardening import harden
from .keys.file import KeyDirectory, KeyFile
from .keys.passphrase import PassphraseKeys
from .keys.provider import EnvironmentKeys, ExpiringProvider, KeyProvider, LocalKeys, RotatingProvider
from .records import Record, Records
from .secretbytes import SecretBytes
from .session import VaultSession
from .status import Status
from .sweep import Swept, sweep
from .vault import Vault
from .verify import Verified

__all__ = [
    "SYSTEM_CLOCK",
    "Anchor",
    "AuditEvent",
    "AuditLog",
    "Clock",
    "EnvironmentKeys",
    "ExpiringProvider",
    "FileAnchor",
    "KeyDirectory",
    "KeyFile",
    "KeyProvider",
    "LocalKeys",
    "PassphraseKeys",
    "Record",
    "Records",
    "RotatingProvider",
    "SecretBytes",
    "Status",
    "Swept",
    "Vault",
    "VaultSession",
    "Verified",
    "harden",
    "reanchor",
    "restore_backup",
    "sweep",
]
