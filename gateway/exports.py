"""What ``sealgate.gateway`` offers."""

from __future__ import annotations

from sealgate.models.approvals import (
    ApprovalDecision,
    InterruptDecision,
    InterruptRequest,
    InterruptToolCall,
    PerToolApproval,
    PerToolDispatchConfig,
)
from sealgate.models.errors import (
    AnchorMissing,
    AnchorRefused,
    AuditBroken,
    AuditError,
    AuditUnavailable,
    DetectionFailed,
    GrantRefused,
    InterruptCancelled,
    InterruptDiverged,
    InterruptError,
    InterruptNotPending,
    InterruptSwallowed,
    InterruptTimeout,
    InvalidAnswer,
    InvalidArguments,
    InvalidEnvelope,
    InvalidInput,
    InvalidName,
    InvalidPolicy,
    KeyMissing,
    KeyRefused,
    KeyUnavailable,
    LeakPrevented,
    LimitExceeded,
    MalformedPlaceholder,
    ModelFailed,
    NotAVault,
    NoTerminal,
    NotJson,
    ReplayDiverged,
    RollbackDetected,
    RunningLoop,
    SealgateError,
    SessionBusy,
    SessionShredded,
    StoreFull,
    StoreRefused,
    StoreUnavailable,
    TamperDetected,
    TextTooLong,
    ToolFailed,
    ToolOutcomeUnknown,
    TooManyInterrupts,
    TooManyRefusals,
    TooManySteps,
    TooManyValues,
    TurnCancelled,
    TurnError,
    UnknownEntityType,
    UnknownPlaceholder,
    UnknownSession,
    UnknownTool,
    ValueGone,
    VaultError,
    VaultMissing,
    VaultTooNew,
    WrongKey,
)
from sealgate.models.events import (
    AppEvent,
)
from sealgate.models.expectation import (
    Expectation,
)
from sealgate.models.facts import (
    SealedFacts,
)
from sealgate.models.findings import (
    Finding,
    Redaction,
    RestoredText,
)
from sealgate.models.grants import (
    Accepts,
)
from sealgate.models.interrupts import (
    ActionRequest,
    HumanInterrupt,
    HumanInterruptConfig,
    HumanResponse,
    InterruptDescriptor,
)
from sealgate.models.limits import (
    Limits,
)
from sealgate.models.messages import (
    AIMessage,
    HumanMessage,
    PrivateData,
    RedactedMessage,
    SealedMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from sealgate.models.policy import (
    Destination,
    Policy,
    Rule,
)
from sealgate.models.receipts import (
    InterruptCancelReceipt,
    InterruptDecisionRecord,
    InterruptDestroyReceipt,
    InterruptResolveReceipt,
)
from sealgate.models.response import (
    SessionResponse,
)
from sealgate.models.tools import (
    ToolSpec,
)
from sealgate.redaction import Coverage, Detector, Explanation, Operator

from .agent import (
    Agent,
)
from .events.bridge import (
    EventBridge,
)
from .events.normalize import (
    anormalize_stream,
    normalize_stream,
)
from .gateway import (
    Gateway,
)
from .interrupts.approver import (
    terminal_approvals,
)
from .interrupts.bus import (
    InterruptBus,
    new_interrupt_id,
)
from .interrupts.config import (
    InterruptConfig,
)
from .interrupts.guest import (
    await_interrupt_decision,
    pop_interrupt_request,
    publish_interrupt_request,
    record_interrupt_decision,
    set_guest_interrupt_store,
    wait_for_interrupt_decision,
)
from .interrupts.guest_store import (
    GuestInterruptStore,
    MemoryGuestStore,
    VaultGuestStore,
)
from .interrupts.manager import (
    InterruptManager,
)
from .interrupts.memo import (
    EffectCache,
)
from .interrupts.outcomes import (
    Aborted,
    Decided,
    TimedOut,
)
from .interrupts.scratchpad import (
    GraphInterrupt,
    InterruptScratchpad,
    interrupt,
)
from .interrupts.shipped import (
    Asked,
    FutureHandler,
    QueueHandler,
    callback_handler,
)
from .interrupts.terminal import (
    default_terminal_interrupt,
)
from .logs import (
    LogGuard,
    log_scope,
    protect_logs,
    structlog_processor,
)
from .model import (
    Model,
    StreamingModel,
)
from .session import (
    Session,
)
from .tools.dependencies import (
    depends_on_interrupt,
    depends_on_private_data,
    depends_on_tool,
)

__all__ = [
    "AIMessage", "Aborted", "Accepts", "ActionRequest", "Agent", "AnchorMissing", "AnchorRefused", "AppEvent",
    "ApprovalDecision", "Asked", "AuditBroken", "AuditError", "AuditUnavailable", "Coverage", "Decided", "Destination",
    "DetectionFailed", "Detector", "EffectCache", "EventBridge", "Expectation", "Explanation", "Finding",
    "FutureHandler", "Gateway", "GrantRefused", "GraphInterrupt", "GuestInterruptStore", "HumanInterrupt",
    "HumanInterruptConfig", "HumanMessage", "HumanResponse", "InterruptBus", "InterruptCancelReceipt",
    "InterruptCancelled", "InterruptConfig", "InterruptDecision", "InterruptDecisionRecord", "InterruptDescriptor",
    "InterruptDestroyReceipt", "InterruptDiverged", "InterruptError", "InterruptManager", "InterruptNotPending",
    "InterruptRequest", "InterruptResolveReceipt", "InterruptScratchpad", "InterruptSwallowed", "InterruptTimeout",
    "InterruptToolCall", "InvalidAnswer", "InvalidArguments", "InvalidEnvelope", "InvalidInput", "InvalidName",
    "InvalidPolicy", "KeyMissing", "KeyRefused", "KeyUnavailable", "LeakPrevented", "LimitExceeded", "Limits",
    "LogGuard", "MalformedPlaceholder", "MemoryGuestStore", "Model", "ModelFailed", "NoTerminal", "NotAVault",
    "NotJson", "Operator", "PerToolApproval", "PerToolDispatchConfig", "Policy", "PrivateData", "QueueHandler",
    "RedactedMessage", "Redaction", "ReplayDiverged", "RestoredText", "RollbackDetected", "Rule", "RunningLoop",
    "SealedFacts", "SealedMessage", "SealgateError", "Session", "SessionBusy", "SessionResponse", "SessionShredded",
    "StoreFull", "StoreRefused", "StoreUnavailable", "StreamingModel", "SystemMessage", "TamperDetected", "TextTooLong",
    "TimedOut", "TooManyInterrupts", "TooManyRefusals", "TooManySteps", "TooManyValues", "ToolCall", "ToolFailed",
    "ToolMessage", "ToolOutcomeUnknown", "ToolSpec", "TurnCancelled", "TurnError", "UnknownEntityType",
    "UnknownPlaceholder", "UnknownSession", "UnknownTool", "ValueGone", "VaultError", "VaultGuestStore", "VaultMissing",
    "VaultTooNew", "WrongKey", "anormalize_stream", "await_interrupt_decision", "callback_handler",
    "default_terminal_interrupt", "depends_on_interrupt", "depends_on_private_data", "depends_on_tool", "interrupt",
    "log_scope", "new_interrupt_id", "normalize_stream", "pop_interrupt_request", "protect_logs",
    "publish_interrupt_request", "record_interrupt_decision", "set_guest_interrupt_store", "structlog_processor",
    "terminal_approvals", "wait_for_interrupt_decision",
]  # fmt: skip
