"""Keeps sealed values: keys, envelope, stores, sessions and the audit chain."""

from .audit import AuditEvent, AuditLog
from .clock import SYSTEM_CLOCK, Clock
from .keyfile import KeyDirectory, KeyFile
from .keys import EnvironmentKeys, KeyProvider, LocalKeys
from .records import Record, Records
from .session import VaultSession
from .vault import Vault

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
    "Record",
    "Records",
    "Vault",
    "VaultSession",
]
