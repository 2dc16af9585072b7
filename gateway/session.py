"""One conversation of one subject: its placeholders, history, private data, interrupts and events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn, TypeVar

from sealgate.models.events import AppEvent, Audience
from sealgate.models.expectation import Expectation
from sealgate.models.facts import SealedFacts
from sealgate.models.findings import Redaction, RestoredText
from sealgate.models.jsonvalue import JsonValue
from sealgate.models.messages import PrivateData, SealedMessage, ToolCall, ToolMessage
from sealgate.models.origins import INTERRUPT
from sealgate.models.placeholder import STRICT, Placeholder
from sealgate.models.response import SessionResponse
from sealgate.models.sealing import EntryFacts
from sealgate.redaction import Explanation, StreamRedactor, StreamRestorer

from .bridges import Bridges
from .conversation import Conversation, redact_messages
from .events.bridge import EventBridge
from .facts import FactReader
from .frames import without_locals
from .given import an, expectation, known_values
from .interrupts.bus import InterruptBus
from .interrupts.config import InterruptConfig
from .interrupts.guest_store import GuestInterruptStore, VaultGuestStore
from .interrupts.manager import InterruptManager
from .interrupts.memo import EffectCache
from .logs.scope import forget
from .model import Model
from .private_data import SessionPrivateData
from .reveal import revealed
from .services import Services
from .tools.toolkit import Toolkit
from .turn.portal import Portal
from .turns import Messages, Player, Turns
from .watchers import Cleanup, Observer

Result = TypeVar("Result")


@without_locals
class Session:
    """A session of a gateway; ``gateway.session(name)`` opens it.

    Safe to use from many threads and tasks; it runs one turn at a time. What waits has an async twin with the prefix
    ``a``; the blocking one raises ``RunningLoop`` inside an event loop. It refuses to be pickled, and its ``repr``
    says its name only.
    """

    def __init__(
        self, services: Services, toolkit: Toolkit, bridges: Bridges, portal: Portal, config: InterruptConfig
    ) -> None:
        self._services = services
        self._bridges = bridges
        self._conversation = Conversation(services)
        self._interrupts = InterruptManager(services, config)
        self._nobody = Player(toolkit, config=config)
        self.turns = Turns(services, self._conversation, portal, self._interrupts, self._nobody, bridges.get())
        self._cache = EffectCache(services.vault, services.redactor, services.restorer)

    @property
    def name(self) -> str:
        """The name that the application gave it."""
        return self._services.vault.name

    @property
    def subject(self) -> str | None:
        """Whose conversation it is."""
        return self._services.vault.subject

    @property
    def private_data(self) -> SessionPrivateData:
        """Values that the application put in, by name."""
        return self._services.private_data

    @property
    def interrupts(self) -> InterruptManager:
        """The session's pauses: which wait, and how one is answered, decided, extended or cancelled."""
        return self._interrupts

    @property
    def cache(self) -> EffectCache:
        """What a tool's body that may pause does once, although it runs again from its top."""
        return self._cache

    def redact(
        self,
        text: str,
        *,
        known: Sequence[str | PrivateData] = (),
        expect: Expectation | None = None,
        origin: str = "person",
    ) -> Redaction:
        """``text`` with a placeholder for every value that is known, expected, detected or already sealed here.

        Raises ``InvalidInput``, ``TextTooLong``, ``TooManyValues``, ``DetectionFailed`` or a ``VaultError``; nothing is
        stored then.
        """
        known, expect, origin = known_values(known), expectation(expect), an(str, origin, "origin")
        return self._services.redactor.redact(text, known=known, expect=expect, origin=origin)

    def explain(
        self, text: str, *, known: Sequence[str | PrivateData] = (), expect: Expectation | None = None
    ) -> list[Explanation]:
        """All that would be found in ``text``, what of it counts, and why. It holds no text, and nothing is stored."""
        return self._services.redactor.explain(text, known=known_values(known), expect=expectation(expect))

    def restore(self, text: str) -> RestoredText:
        """The text that ``redact`` was given, exactly, while its values live. Placeholders that are not this
        session's, or whose value is gone, stay and are listed in ``unresolved``. Audited.
        """
        return self._services.restorer.restore(text)

    def restore_reply(self, text: str) -> RestoredText:
        """A model's reply for the person's eyes: mangled placeholders are read too, never a guessed one. Audited."""
        restored = self._services.restorer.restore_reply(text)
        closed = [one for one in restored.unresolved if STRICT.fullmatch(one)]
        if closed:
            self._services.audit("refused", {"kind": "restore", "cause": "ClosedPlace", "placeholders": closed})
        emitted = self._services.emitted.recognise("assistant", text)
        if emitted is not None:
            self._services.emitted.remember("assistant", restored, emitted)
        return restored

    def redact_json(
        self, value: JsonValue, *, known: Sequence[str | PrivateData] = (), origin: str = "person"
    ) -> JsonValue:
        """A JSON value with placeholders in strings, numbers and keys. Raises ``NotJson`` for anything else."""
        known, origin = known_values(known), an(str, origin, "origin")
        return self._services.redactor.redact_json(value, known=known, origin=origin)

    def restore_json(self, value: JsonValue) -> JsonValue:
        """The JSON value that ``redact_json`` was given: a number comes back as that number. Audited."""
        return self._services.restorer.restore_json(value)

    def redact_messages(self, messages: Messages) -> list[SealedMessage]:
        """Messages with placeholders in every role, part and tool call; what this gateway emitted is recognised."""
        return redact_messages(self._services, messages)

    def entry_facts(self, placeholder: Placeholder) -> EntryFacts | None:
        """What may be known of a value without opening it: types, origins, uses and lifetime; ``None`` for what this
        session did not issue. Raises ``InvalidInput`` for a text: ``Redaction.findings`` has placeholders.
        """
        an(Placeholder, placeholder, "placeholder")
        return self._services.vault.facts([placeholder]).get(placeholder)

    def sealed_facts(self, placeholder: str) -> SealedFacts:
        """What may be said instead of a value: its format, a card's brand, an IBAN's country, the age of majority. None
        for secrets, audited. Raises ``MalformedPlaceholder``, ``UnknownPlaceholder``, ``ValueGone``, ``GrantRefused``.
        """
        an(str, placeholder, "placeholder")
        return FactReader(self._services.vault, self._services.policy, self._services.now).read(placeholder)

    def stream_redactor(self) -> StreamRedactor:
        """A redactor for text that comes in chunks: ``feed(chunk) -> str``, ``flush() -> str``."""
        return StreamRedactor(self._services.redactor)

    def stream_restorer(self) -> StreamRestorer:
        """A lenient restorer for a reply that comes in chunks: ``feed(chunk) -> str``, ``flush() -> str``."""
        return StreamRestorer(self._services.restorer)

    def events(self, *, audience: Audience = "frontend_safe", owner: str | None = None) -> EventBridge:
        """The bridge to a browser (default) or to an operator's view (``internal``); the same one each time."""
        return self._bridges.get(audience, owner)

    def sent_to_model(self) -> list[list[SealedMessage]]:
        """The messages of each call of a model in this session, oldest first."""
        return self._services.sent.messages()

    def history(self) -> tuple[SealedMessage, ...]:
        """The conversation so far, with placeholders."""
        return self._conversation.messages()

    @contextmanager
    def reveal(self, result: Result) -> Iterator[Result]:
        """The real object behind ``response.result``, for this block; the sealed one is not touched. Audited, needs no
        grant.

        Python cannot take the object back after the block: keep no reference to it. Raises ``ValueGone`` for burnt
        values.
        """
        yield revealed(self._services.restorer, result)

    def invoke(self, messages: Messages, *, model: Model) -> SessionResponse:
        """Run a turn with the gateway's tools to its end, or to a pause (``status == "interrupted"``), in this thread.

        Raises ``SessionBusy`` while another turn runs or waits, ``ModelFailed``, ``TooManySteps``, ``LeakPrevented`` or
        what vault, audit and detection raise. What a tool or a handler does wrong is in the response, not raised.
        """
        return self.turns.invoke(messages, self._player(model))

    async def ainvoke(self, messages: Messages, *, model: Model) -> SessionResponse:
        """``invoke`` for an event loop."""
        return await self.turns.ainvoke(messages, self._player(model))

    def stream(self, messages: Messages, *, model: Model) -> Iterator[AppEvent]:
        """Run a turn and yield its events as they come, safe for a browser. Raises as ``invoke`` does.

        A model that has a ``stream`` is asked for its answer piece by piece: ``assistant.chunk`` events bring the text
        of the ``assistant.message`` with the same ``message_id`` in their data, sentence by sentence. One that says
        ``discard: true`` there, without text, takes back what came before it: show what follows, or nothing.
        """
        return self.turns.stream(messages, self._player(model))

    def astream(self, messages: Messages, *, model: Model) -> AsyncIterator[AppEvent]:
        """``stream`` for an event loop."""
        return self.turns.astream(messages, self._player(model))

    def resume(
        self,
        interrupt_id: str | None = None,
        answer: object = None,
        *,
        again: object = None,
        model: Model | None = None,
    ) -> SessionResponse:
        """File an answer or a decision, and go on with the turn that waited for it, in this or another process.

        Without an id: go on with the turn that a crash left, or whose answers were filed through ``interrupts``. A
        decision is ``True``, ``False``, ``{"approved": …}`` (without ``approved``: no) or another shape that
        ``interrupts.resolve`` takes. ``again`` is an answer's second typing. ``model`` is needed where this process has
        not run the turn. Raises ``InterruptNotPending`` with the receipt, ``InvalidAnswer`` (it stays pending), and as
        ``invoke``.
        """
        return self.turns.resume(interrupt_id, answer, self.turns.with_model(model), again)

    async def aresume(
        self,
        interrupt_id: str | None = None,
        answer: object = None,
        *,
        again: object = None,
        model: Model | None = None,
    ) -> SessionResponse:
        """``resume`` for an event loop."""
        return await self.turns.aresume(interrupt_id, answer, self.turns.with_model(model), again)

    def on_interrupt(self, observer: Observer) -> Observer:
        """Call ``observer`` with the redacted ``InterruptRequest`` of each pause that this process files.

        It may settle the pause at once through ``interrupts``; then ``invoke`` goes on without returning. What it
        raises is dropped. Returns the observer, so that it may stand as a decorator.
        """
        return self._services.watchers.on_interrupt(observer)

    def interrupt_bus(self, store: GuestInterruptStore | None = None) -> InterruptBus:
        """A bus that publishes this session's pauses and takes decisions, on its vault unless a ``store`` is given."""
        services = self._services
        kept = store or VaultGuestStore(services.vault, services.now)
        bus = InterruptBus(kept, lambda _chat, value: services.redactor.redact_json(value, origin=INTERRUPT))
        bus.attach(self)
        return bus

    def on_abort(self, cleanup: Cleanup) -> Cleanup:
        """Call ``cleanup`` when a turn is cancelled in this process: the place for what a tool must put back."""
        return self._services.watchers.on_abort(cleanup)

    def replay(self) -> SessionResponse | None:
        """The response that the session's log adds up to. Nobody is asked, no tool runs, no model is called.

        ``None`` before the first turn. Raises ``ReplayDiverged``, and ``SessionShredded`` after a shred.
        """
        return self.turns.replay()

    def run_tool(self, call: ToolCall) -> ToolMessage:
        """Run one registered tool outside of a turn: inject, call, redact. Refusals and failures are in the message."""
        an(ToolCall, call, "call")
        return self.turns.run_tool(call, self._nobody)

    async def arun_tool(self, call: ToolCall) -> ToolMessage:
        """``run_tool`` for an event loop."""
        an(ToolCall, call, "call")
        return await self.turns.arun_tool(call, self._nobody)

    def shred(self) -> bool:
        """Destroy the session's keys. Nothing of it can be opened again, here or in another process, and its name
        is never used again. Backups are reached once the key they were made under is destroyed.

        ``False`` while a reader of the store still keeps the deleted rows on the disk: repeat ``Gateway.purge`` until
        it is ``True``.
        """
        self._services.publish(AppEvent(type="session.ended", session_id=self.name, timestamp=self._services.now()))
        self._bridges.close()
        purged = self._services.vault.shred()
        forget(self._services.vault)
        return purged

    def __repr__(self) -> str:
        return f"Session({self.name!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Session cannot be pickled")

    def _player(self, model: Model) -> Player:
        return replace(self._nobody, model=model)
