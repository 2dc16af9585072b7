"""An asynchronous handler: the event loop goes on while the person thinks."""

import asyncio

from sealgate.gateway import Agent, HumanMessage, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import ScriptedModel

model = ScriptedModel([ToolCall(id="1", name="verify"), "Verified."])
agent = Agent("login_agent", model=model)
prompts: asyncio.Queue[str] = asyncio.Queue()
replies: asyncio.Queue[str] = asyncio.Queue()


async def ask_frontend(prompt: str) -> str:
    await prompts.put(prompt)
    return await replies.get()


@agent.toolify(description="Verify the one-time code")
@depends_on_interrupt("otp_code", ask_frontend, "The code we texted you: ", sensitive="OTP_CODE")
async def verify(otp_code: str) -> bool:
    print("The tool got", otp_code)
    return otp_code == "482913"


async def frontend() -> None:
    print("The frontend shows:", await prompts.get())
    await replies.put("my code is 482913")


async def main() -> None:
    with agent:
        asked = asyncio.create_task(frontend())
        response = await agent.ainvoke([HumanMessage("Log me in.")])
        await asked
        print(response.status, "-", response.response)


asyncio.run(main())
