"""The demo's turn: a scripted model plays a bank assistant whose tool needs an account number and a one-time code.

Everybody's view is recorded by the one who has it, not read back from the gateway.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from sealgate.models.grants import Accepts
from sealgate.models.messages import RedactedMessage, SealedMessage, ToolCall
from sealgate.models.response import SessionResponse
from sealgate.models.tools import ToolSpec

from ..events.bridge import EventBridge
from ..gateway import Gateway
from ..sent import payload_json
from ..session import Session
from ..testing import ScriptedModel
from ..tools.dependencies import depends_on_interrupt
from .answers import ACCOUNT, OTP, Answers

SESSION: Final = "demo"
EMAIL: Final = "ada@example.org"
REQUEST: Final = f"Please pay my bill of 84.20 euros and mail the receipt to {EMAIL}."

_PLACEHOLDER: Final = r"\[{}_[0-9A-Z]+(?:\.[0-9A-Z]+)?\]"


@dataclass(slots=True)
class Witnesses:
    """What each party of the turn got, as it got it: payloads of the model as JSON, calls of the tools with their real
    arguments, frames at the browser, and what the hooks saw."""

    model: list[str] = field(default_factory=list, repr=False)
    tools: list[tuple[str, dict[str, Any]]] = field(default_factory=list, repr=False)
    browser: list[str] = field(default_factory=list, repr=False)
    hooks: list[dict[str, Any]] = field(default_factory=list, repr=False)


def play(gateway: Gateway, answers: Answers, witnesses: Witnesses) -> tuple[Session, SessionResponse]:
    """Run the turn with a browser that watches it live."""
    session = gateway.session(SESSION)
    _register_pay(gateway, session, answers, witnesses)
    _register_send_mail(gateway, witnesses)
    model = _assistant()
    with _browser(session.events(), witnesses.browser):
        response = session.invoke([RedactedMessage(REQUEST)], model=model)
    witnesses.model += [payload_json(*seen).decode("utf-8", "surrogatepass") for seen in model.seen]
    return session, response


def _register_pay(gateway: Gateway, session: Session, answers: Answers, witnesses: Witnesses) -> None:
    @gateway.toolify(
        description="Pay a bill from the person's account.",
        before_execute=witnesses.hooks.append,
        after_execute=witnesses.hooks.append,
    )
    @depends_on_interrupt(ACCOUNT, answers.handler(ACCOUNT), "Account number: ", sensitive="ACCOUNT_NUMBER")
    @depends_on_interrupt(OTP, answers.handler(OTP), "6-digit code we texted: ", sensitive="OTP_CODE")
    def pay(amount: float, account_number: str, otp_code: str) -> str:
        witnesses.tools.append(("pay", {"amount": amount, ACCOUNT: account_number, OTP: otp_code}))
        # An application may well be careless in what it tells a browser or gives back to the model.
        session.events().emit("status", {"text": f"paying from account {account_number}"})
        return f"The payment of {amount:.2f} from account {account_number} was confirmed with code {otp_code}."


def _register_send_mail(gateway: Gateway, witnesses: Witnesses) -> None:
    @gateway.toolify(description="Send an e-mail.")
    def send_mail(to: Annotated[str, Accepts("EMAIL_ADDRESS")], body: str) -> str:
        witnesses.tools.append(("send_mail", {"to": to, "body": body}))
        return "sent"


def _assistant() -> ScriptedModel:
    """Pays, tries to mail the account number (which nothing granted), mails without it, and reports."""

    def overshare(messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> ToolCall | str:
        account = _shown("ACCOUNT_NUMBER", messages)
        if account is None:
            return "I could not pay: the account number or the code was not given."
        return _mail("call-2", messages, f"Paid from {account}.")

    def mail(messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> ToolCall:
        return _mail("call-3", messages, "Your bill is paid.")

    def report(messages: Sequence[SealedMessage], tools: Sequence[ToolSpec]) -> str:
        return f"Your bill is paid from {_shown('ACCOUNT_NUMBER', messages)}; the receipt is in your mail."

    pay = ToolCall(id="call-1", name="pay", arguments={"amount": 84.2})
    return ScriptedModel([pay, overshare, mail, report])


def _mail(call_id: str, messages: Sequence[SealedMessage], body: str) -> ToolCall:
    address = _shown("EMAIL_ADDRESS", messages) or EMAIL
    return ToolCall(id=call_id, name="send_mail", arguments={"to": address, "body": body})


def _shown(entity_type: str, messages: Sequence[SealedMessage]) -> str | None:
    """The first placeholder of a type that the model was shown."""
    pattern = re.compile(_PLACEHOLDER.format(entity_type))
    found = (pattern.search(message.text()) for message in messages)
    return next((match[0] for match in found if match), None)


@contextmanager
def _browser(bridge: EventBridge, frames: list[str]) -> Iterator[None]:
    """A browser on the bridge for this block: keeps each frame as it comes, and hangs up when the bridge closes."""

    async def watch() -> None:
        async for frame in bridge.generate_sse():
            frames.append(frame)

    thread = threading.Thread(target=lambda: asyncio.run(watch()), name="sealgate-demo-browser", daemon=True)
    thread.start()
    try:
        yield
    finally:
        bridge.close()
        thread.join()


def browser_events(frames: Sequence[str]) -> list[dict[str, Any]]:
    """The events in those frames, as a browser's ``EventSource`` would give them."""
    lines = "".join(frames).splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
