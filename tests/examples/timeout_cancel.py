"""A timeout that cancels: nobody answers, the tool fails, and the model takes another path."""

import queue
from typing import Any

from sealgate.gateway import Agent, HumanMessage, InterruptCancelled, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel

replies: queue.Queue[str] = queue.Queue()


def wait_a_moment(prompt: str) -> str:
    try:
        return replies.get(timeout=0.05)
    except queue.Empty:
        raise InterruptCancelled("the user did not answer in time") from None


def after(call: dict[str, Any]) -> None:
    print("After-hook:", call["tool"], "failed with", call["error"])


model = ScriptedModel([ToolCall(id="1", name="cancel_account"), "I did not cancel anything, as nobody confirmed it."])
agent = Agent("support_agent", model=model)


@agent.toolify(description="Cancel the account", after_execute=after)
@depends_on_interrupt("confirmation", wait_a_moment, "Type CANCEL to confirm: ", attempts=1)
def cancel_account(confirmation: str) -> str:
    raise AssertionError("the tool does not run without its answer")


with agent:
    response = agent.invoke([HumanMessage("Cancel my account.")])
    print(response.status, "-", response.response)
