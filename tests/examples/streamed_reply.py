"""A reply that a frontend shows while the model still writes it."""

from sealgate.gateway import AppEvent, Gateway, HumanMessage
from sealgate.gateway.testing import StreamingScriptedModel

REPLY = (
    "Your order is on its way, and should be with you by the end of this week if nothing comes in between. "
    "I charged the card 4111 1111 1111 1111, and mailed the receipt to ada@example.org a minute ago. "
    "Write to me here if anything about it is not as you expected, and I will look after it at once. "
    "If nobody is at home, the carrier leaves it with a neighbour or at the shop on the corner of your street. "
    "Thank you for your patience, and enjoy what you ordered when it is there in its box on the table."
)

shown: dict[str, str] = {}


def show(event: AppEvent) -> None:
    """What a frontend does with each event of the stream."""
    if event.type == "assistant.chunk":
        message = event.data["message_id"]
        shown[message] = "" if event.data.get("discard") else shown.get(message, "") + (event.text or "")
        print("…", shown[message][-40:])
    elif event.type == "assistant.message":
        print("The whole message is what was shown:", shown[event.data["message_id"]] == event.text)


with Gateway.open(":memory:") as gateway:
    session = gateway.session("order-4824")
    # In your application: model=OpenAIChat(…).
    for event in session.stream([HumanMessage("Where is my order?")], model=StreamingScriptedModel([REPLY], piece=6)):
        show(event)
print("The card was shown:", "4111 1111 1111 1111" in "".join(shown.values()))
