"""One handler for every question: it is told the input type and the choices, and shows the right control."""

from typing import Literal

from sealgate.gateway import Agent, HumanMessage, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel


def routed_handler(prompt: str, input_type: str = "text", choices: list[str] | None = None) -> str:
    if input_type == "choice" and choices:
        print(f"[picker]  {prompt} {choices}")
        return choices[1]
    if input_type == "boolean":
        print(f"[toggle]  {prompt}")
        return "yes"
    print(f"[{input_type} box] {prompt}")
    return "3" if input_type == "number" else "blue"


model = ScriptedModel([ToolCall(id="1", name="order_shirt"), "Ordered."])
agent = Agent("shop_agent", model=model)


@agent.toolify(description="Order a shirt")
@depends_on_interrupt("size", routed_handler, "Which size?")
@depends_on_interrupt("count", routed_handler, "How many?")
@depends_on_interrupt("color", routed_handler, "Which color?")
@depends_on_interrupt("gift", routed_handler, "Wrap it as a gift?")
def order_shirt(size: Literal["S", "M", "L"], count: int, color: str, gift: bool) -> str:
    print("Ordering", {"size": size, "count": count, "color": color, "gift": gift})
    return "ordered"


with agent:
    response = agent.invoke([HumanMessage("I would like a shirt.")])
    print(response.status, "-", response.response)
