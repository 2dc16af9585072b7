"""A terminal prompt: the argument comes from whoever sits at the keyboard."""

from sealgate.gateway import Agent, HumanMessage, ToolCall, default_terminal_interrupt, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel

# Stands in for a language model, so that the example runs anywhere.
model = ScriptedModel([ToolCall(id="1", name="greet"), "The greeting is out."])
agent = Agent("profile_agent", model=model)


@agent.toolify(description="Greet the user by name")
@depends_on_interrupt(
    arg_name="name",
    input_handler=default_terminal_interrupt,
    prompt="Please enter your name: ",
)
def greet(name: str) -> dict[str, str]:
    print(f"\nHello, {name}!")
    return {"greeting": f"Hello, {name}!"}


with agent:
    response = agent.invoke([HumanMessage("Please greet me.")])
    print(response.status, "-", response.response)
    print("The model saw:", model.seen[-1][0][-1].text())
