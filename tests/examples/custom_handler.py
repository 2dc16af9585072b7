"""A handler of your own: anything that takes the prompt and gives the answer, here a file dialog."""

from sealgate.gateway import Agent, HumanMessage, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel


def show_file_dialog() -> str:
    return "/home/ada/taxes-2025.pdf"


def pick_file(prompt: str) -> str:
    return show_file_dialog()  # it has its own words, so the prompt is not used


model = ScriptedModel([ToolCall(id="1", name="process_file", arguments={"path": "/etc/passwd"}), "Done."])
agent = Agent("file_agent", model=model)


@agent.toolify(description="Process the chosen file")
@depends_on_interrupt(arg_name="path", input_handler=pick_file)
def process_file(path: str) -> dict[str, int]:
    print("Processing", path)  # what the model wrote for this argument is ignored
    return {"pages": 12}


with agent:
    response = agent.invoke([HumanMessage("Process a file.")])
    print(response.status, "-", response.response)
