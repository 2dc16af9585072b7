"""Several questions in a fixed order: a final tool depends on each tool that asks one."""

from pydantic import BaseModel

from sealgate.gateway import Agent, HumanMessage, ToolCall, depends_on_interrupt, depends_on_tool
from sealgate.gateway.testing import ScriptedHuman, ScriptedModel

# The model asks for the profile alone; what it depends on runs first, top to bottom.
model = ScriptedModel([ToolCall(id="1", name="save_profile", arguments={"plan": "basic"})])
agent = Agent("profile_agent", model=model, system_prompt="Collect the name, then the e-mail address.")
person = ScriptedHuman(["Ada Lovelace", "ada@example.org"])


@agent.toolify(description="Ask for the name")
@depends_on_interrupt("name", person, "What is your name? ", sensitive="PERSON")
def collect_name(name: str) -> str:
    return name


@agent.toolify(description="Ask for the e-mail address")
@depends_on_interrupt("email", person, "What is your e-mail address? ", sensitive="EMAIL_ADDRESS")
def collect_email(email: str) -> str:
    return email


@agent.toolify(name="save_profile", description="Save the profile", final_tool=True)
@depends_on_tool(collect_name, "name")
@depends_on_tool(collect_email, "email")
class Profile(BaseModel):
    """What is saved; the model chose the plan, the person said the rest."""

    plan: str
    name: str
    email: str


with agent:
    session = agent.gateway.session("profile")
    response = agent.invoke([HumanMessage("Set up my profile.")], session=session)
    print("Asked:", person.asked)
    print("The application holds:", response.result.name, response.result.email)
    with session.reveal(response.result) as profile:
        print("Behind it:", profile.name, profile.email, profile.plan)
