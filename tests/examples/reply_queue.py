"""A closure over a queue: the handler waits on its own thread until the application's endpoint gets the answer."""

import queue
import threading
from collections.abc import Callable

from sealgate.gateway import Agent, HumanMessage, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel

prompts: queue.Queue[str] = queue.Queue()
pending: dict[str, queue.Queue[str]] = {}


def make_reply_handler(session_id: str) -> Callable[[str], str]:
    """A handler that knows its session although it is given the prompt alone."""
    replies = pending.setdefault(session_id, queue.Queue())

    def handler(prompt: str) -> str:
        prompts.put(prompt)
        return replies.get(timeout=30)

    return handler


def resume_session(session_id: str, answer: str) -> None:
    """What your endpoint calls when the user has answered."""
    pending[session_id].put(answer)


session_id = "order-4821"
model = ScriptedModel([ToolCall(id="1", name="confirm_charge", arguments={"amount": 12.5}), "The invoice is paid."])
agent = Agent("billing_agent", model=model)


@agent.toolify(description="Confirm before charging the card")
@depends_on_interrupt("confirmation", make_reply_handler(session_id), "Confirm the charge? (yes/no) ")
def confirm_charge(confirmation: str, amount: float) -> dict[str, bool]:
    charged = confirmation.strip().lower() in ("yes", "y")
    print("Charged" if charged else "Declined", amount)
    return {"charged": charged}


def browser() -> None:
    print("The browser shows:", prompts.get(timeout=30))
    resume_session(session_id, "yes")


with agent:
    user = threading.Thread(target=browser)
    user.start()
    response = agent.invoke([HumanMessage("Pay invoice 4821.")], session=agent.gateway.session(session_id))
    user.join()
    print(response.status, "-", response.response)
