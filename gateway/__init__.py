"""The gateway: everything that a user needs imports from here."""

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
    LeakPrevented,
    LimitExceeded,
    MalformedPlaceholder,
    ModelFailed,
    NotAVault,
    NoTerminal,
    NotJson,
    ReplayDiverged,
    RunningLoop,
    SealgateError,
    SessionBusy,
    SessionShredded,
    StoreFull,
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
from .interrupts.config import (
    InterruptConfig,
)
from .interrupts.manager import (
    InterruptManager,
)
from .interrupts.memo import (
    EffectCache,
)
from .interrupts.scratchpad import (
    GraphInterrupt,
    InterruptScratchpad,
    interrupt,
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
)
from .openai_chat import (
    OpenAIChat,
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
    "AIMessage",
    "Accepts",
    "ActionRequest",
    "Agent",
    "AppEvent",
    "ApprovalDecision",
    "AuditBroken",
    "AuditError",
    "AuditUnavailable",
    "Destination",
    "DetectionFailed",
    "EffectCache",
    "EventBridge",
    "Expectation",
    "Finding",
    "Gateway",
    "GrantRefused",
    "GraphInterrupt",
    "HumanInterrupt",
    "HumanInterruptConfig",
    "HumanMessage",
    "HumanResponse",
    "InterruptCancelReceipt",
    "InterruptCancelled",
    "InterruptConfig",
    "InterruptDecision",
    "InterruptDecisionRecord",
    "InterruptDescriptor",
    "InterruptDestroyReceipt",
    "InterruptDiverged",
    "InterruptError",
    "InterruptManager",
    "InterruptNotPending",
    "InterruptRequest",
    "InterruptResolveReceipt",
    "InterruptScratchpad",
    "InterruptSwallowed",
    "InterruptTimeout",
    "InterruptToolCall",
    "InvalidAnswer",
    "InvalidArguments",
    "InvalidEnvelope",
    "InvalidInput",
    "InvalidName",
    "InvalidPolicy",
    "KeyMissing",
    "KeyRefused",
    "LeakPrevented",
    "LimitExceeded",
    "Limits",
    "LogGuard",
    "MalformedPlaceholder",
    "Model",
    "ModelFailed",
    "NoTerminal",
    "NotAVault",
    "NotJson",
    "OpenAIChat",
    "PerToolApproval",
    "PerToolDispatchConfig",
    "Policy",
    "PrivateData",
    "RedactedMessage",
    "Redaction",
    "ReplayDiverged",
    "RestoredText",
    "Rule",
    "RunningLoop",
    "SealedFacts",
    "SealedMessage",
    "SealgateError",
    "Session",
    "SessionBusy",
    "SessionResponse",
    "SessionShredded",
    "StoreFull",
    "StoreUnavailable",
    "SystemMessage",
    "TamperDetected",
    "TextTooLong",
    "TooManyInterrupts",
    "TooManyRefusals",
    "TooManySteps",
    "TooManyValues",
    "ToolCall",
    "ToolFailed",
    "ToolMessage",
    "ToolOutcomeUnknown",
    "ToolSpec",
    "TurnCancelled",
    "TurnError",
    "UnknownEntityType",
    "UnknownPlaceholder",
    "UnknownSession",
    "UnknownTool",
    "ValueGone",
    "VaultError",
    "VaultMissing",
    "VaultTooNew",
    "WrongKey",
    "annotations",
    "anormalize_stream",
    "default_terminal_interrupt",
    "depends_on_interrupt",
    "depends_on_private_data",
    "depends_on_tool",
    "interrupt",
    "log_scope",
    "normalize_stream",
    "protect_logs",
    "structlog_processor",
]
