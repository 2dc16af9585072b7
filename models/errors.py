"""Every error of sealgate. No message and no attribute ever holds a value.

::

    SealgateError
    ├── InvalidInput (also ValueError)      what the caller gave has the wrong shape
    │   ├── UnknownEntityType
    │   ├── MalformedPlaceholder
    │   ├── InvalidName
    │   ├── NotJson
    │   ├── InvalidAnswer
    │   ├── InvalidArguments
    │   ├── InvalidEnvelope
    │   └── InvalidPolicy
    ├── LimitExceeded                        an input or a wait beyond its bound
    │   ├── TextTooLong
    │   ├── TooManyValues
    │   ├── TooManyInterrupts
    │   ├── TooManyRefusals
    │   └── TooManySteps
    ├── VaultError                           keys and stored data
    │   ├── KeyMissing
    │   │   └── KeyUnavailable
    │   ├── KeyRefused
    │   ├── WrongKey
    │   ├── NotAVault
    │   ├── VaultMissing
    │   ├── VaultTooNew
    │   ├── TamperDetected
    │   │   └── RollbackDetected
    │   ├── AnchorMissing
    │   ├── AnchorRefused
    │   ├── StoreFull
    │   ├── StoreRefused
    │   ├── StoreUnavailable
    │   ├── UnknownSession
    │   └── SessionShredded
    ├── UnknownPlaceholder
    ├── ValueGone                            burnt, expired or forgotten
    ├── GrantRefused                         a placeholder that may not open here
    ├── DetectionFailed                      a recognizer failed; the text went nowhere
    ├── LeakPrevented                        the last check found a value on its way out
    ├── AuditError
    │   ├── AuditBroken
    │   └── AuditUnavailable
    ├── TurnError
    │   ├── SessionBusy
    │   ├── ModelFailed
    │   ├── ToolFailed
    │   ├── UnknownTool
    │   ├── ToolOutcomeUnknown
    │   ├── TurnCancelled
    │   ├── ReplayDiverged
    │   └── RunningLoop
    └── InterruptError
        ├── InterruptCancelled
        ├── InterruptTimeout
        ├── InterruptNotPending
        ├── InterruptSwallowed
        ├── InterruptDiverged
        └── NoTerminal

``SealgateError`` itself is never raised. Catch it to catch all of them.
"""

from __future__ import annotations

from .refusals import *  # noqa: F403 - the first two families of the tree
from .refusals import SealgateError


class VaultError(SealgateError):
    """Keys or stored data."""


class KeyMissing(VaultError):
    """No key where the key provider looked for one."""


class KeyUnavailable(KeyMissing):
    """A key service that did not answer, or will not use its key.

    ``retryable`` (bool): whether the same request may succeed later without anybody changing anything.
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class KeyRefused(VaultError):
    """A key source that is not safe to use: wrong length, owner, mode or backend."""


class WrongKey(VaultError):
    """A key that is not the one this vault was made with; nothing was read or written."""


class NotAVault(VaultError):
    """A file that exists and is no vault of this product."""


class VaultMissing(VaultError):
    """A key exists for a vault that is empty or gone."""


class VaultTooNew(VaultError):
    """A vault written by a newer version of sealgate."""


class TamperDetected(VaultError):
    """Stored data that was changed, moved or replayed by somebody else."""


class RollbackDetected(TamperDetected):
    """Stored data that is whole but older than what was there before: a copy that somebody put back."""


class AnchorMissing(VaultError):
    """A vault that is kept by an anchor, opened without it."""


class AnchorRefused(VaultError):
    """An anchor that cannot be used: an unsafe place, no answer, changed contents, or those of another vault."""


class StoreFull(VaultError):
    """No room left on the store; the batch was not written."""


class StoreRefused(VaultError):
    """A store that would lose what it acknowledged, or send it where others read along."""


class StoreUnavailable(VaultError):
    """The store could not be read or written, or stayed locked past its deadline."""


class UnknownSession(VaultError):
    """No such session, and it was not to be created."""


class SessionShredded(VaultError):
    """The session's keys are destroyed; its name is never used again."""


class UnknownPlaceholder(SealgateError):
    """A placeholder that this session never issued."""


class ValueGone(SealgateError):
    """A placeholder whose value is burnt, expired or forgotten."""


class GrantRefused(SealgateError):
    """A placeholder that may not open for this argument.

    ``tool``, ``argument`` (str) say where, ``entity_type`` (str) what it is, ``missing`` (str) the grant that would
    open it.
    """

    def __init__(self, tool: str, argument: str, entity_type: str, missing: str) -> None:
        super().__init__(f"argument {argument!r} of tool {tool!r} may not receive {entity_type}: missing {missing}")
        self.tool = tool
        self.argument = argument
        self.entity_type = entity_type
        self.missing = missing


class DetectionFailed(SealgateError):
    """A recognizer raised, is missing or overran; the text went nowhere.

    ``recognizer`` (str) names it, ``cause`` (str) is the name of the exception's type.
    """

    def __init__(self, recognizer: str, cause: str) -> None:
        super().__init__(f"recognizer {recognizer!r} failed with {cause}; nothing was let through")
        self.recognizer = recognizer
        self.cause = cause


class LeakPrevented(SealgateError):
    """The last check found a sealed value in something on its way to a model.

    ``where`` (str) names the place, never the value.
    """

    def __init__(self, where: str) -> None:
        super().__init__(f"a sealed value was found in {where}; nothing was sent")
        self.where = where


class AuditError(SealgateError):
    """The audit chain."""


class AuditBroken(AuditError):
    """The chain does not verify. ``sequence`` (int) is the first row that fails."""

    def __init__(self, message: str, sequence: int) -> None:
        super().__init__(message)
        self.sequence = sequence


class AuditUnavailable(AuditError):
    """The audit row could not be written, so the action was not done."""


class TurnError(SealgateError):
    """A turn could not go on."""


class SessionBusy(TurnError):
    """The session runs another turn."""


class ModelFailed(TurnError):
    """The model raised or answered nonsense. ``cause`` (str) is the name of the exception's type."""

    def __init__(self, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause


class ToolFailed(TurnError):
    """A tool or its handler failed. Its text is redacted before it gets here. ``cause`` (str): the type's name."""

    def __init__(self, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause


class UnknownTool(TurnError):
    """A tool that is not registered here."""


class ToolOutcomeUnknown(TurnError):
    """A call that was started and never reported back; it is not run again."""


class TurnCancelled(TurnError):
    """The turn was cancelled from outside."""


class ReplayDiverged(TurnError):
    """A session's log does not add up to what was recorded. ``sequence`` (int) is the first row that does not."""

    def __init__(self, message: str, sequence: int) -> None:
        super().__init__(message)
        self.sequence = sequence


class RunningLoop(TurnError):
    """A blocking method was called inside a running event loop; the message names its async twin."""


class InterruptError(SealgateError):
    """Asking a person."""


class InterruptCancelled(InterruptError):
    """The person, or the application for them, will not answer."""


class InterruptTimeout(InterruptError):
    """No answer came before the deadline."""


class InterruptNotPending(InterruptError):
    """No pending interrupt has this id: unknown, answered, expired or of another session.

    ``receipt`` (``InterruptResolveReceipt`` or ``None``) is what the manager said of it.
    """

    def __init__(self, message: str, receipt: object = None) -> None:
        super().__init__(message)
        self.receipt = receipt


class InterruptSwallowed(InterruptError):
    """A tool caught the pause and went on."""


class InterruptDiverged(InterruptError):
    """A tool that was resumed asked for something else, or in another order, than before its pause."""


class NoTerminal(InterruptError):
    """A secret was to be asked for and there is no terminal that can hide it."""
