"""Disambiguation: one precise question instead of a guess."""

from sealgate.gateway import Agent, HumanMessage, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel

ACCOUNTS = {"Checking": "1234-5678-9012", "Savings": "2109-8765-4321"}

model = ScriptedModel([ToolCall(id="1", name="balance"), "Your savings account holds 12.50 euros."])
person = ScriptedHuman({"account": ["the blue one", "Savings"]})  # the first answer is no choice, so it is asked again
agent = Agent("bank_agent", model=model)


@agent.toolify(description="Tell the balance of one of the user's accounts")
@depends_on_interrupt(
    "account",
    person.handler("account"),
    "You have two accounts. Which one do you mean?",
    choices=list(ACCOUNTS),
)
def balance(account: str) -> dict[str, float]:
    print("Looking up", account)
    return {"euros": 12.5}


with agent:
    response = agent.invoke([HumanMessage("What is my balance?")])
    print("Asked", len(person.asked), "times")
    print(response.status, "-", response.response)
