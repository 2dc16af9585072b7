"""Keeps sealed values: keys, envelope, stores, sessions and the audit chain."""

from .audit import AuditEvent, AuditLog
from .backups import restore_backup
from .clock import SYSTEM_CLOCK, Clock
from .hardening import harden
from .keyfile import KeyDirectory, KeyFile
from .keys import EnvironmentKeys, KeyProvider, LocalKeys, RotatingProvider
from .passphrase import PassphraseKeys
from .records import Record, Records
from .secretbytes import SecretBytes
from .session import VaultSession
from .status import Status
from .sweep import Swept, sweep
from .vault import Vault
from .verify import Verified

__all__ = [
    "SYSTEM_CLOCK",
    "AuditEvent",
    "AuditLog",
    "Clock",
    "EnvironmentKeys",
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
    "restore_backup",
    "sweep",
]
