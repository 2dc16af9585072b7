"""A page that follows a turn and answers its question: server-sent events out, a POST back. The server is plain ASGI.

With FastAPI or Starlette, ``mount_events(app, session.events(), authorize=…)`` does what ``follow`` does here.
"""

import asyncio
import json
from contextlib import aclosing
from typing import Any

from sealgate.gateway import Agent, HumanMessage, InvalidAnswer, ToolCall, depends_on_interrupt
from sealgate.gateway.testing import StreamingScriptedModel

PAGE = """<!doctype html><title>Help desk</title><p id="said"></p>
<form id="ask" hidden><label><span></span> <input name="answer" autocomplete="off"></label></form>
<script>
  let texts = {}, asked = null;  // the texts by message
  const form = document.getElementById("ask");
  const events = new EventSource("/events");  // comes back by itself, and says which event it saw last
  const on = (type, show) => events.addEventListener(type, frame => show(JSON.parse(frame.data)));
  const say = () => { document.getElementById("said").textContent = Object.values(texts).join(" "); };
  on("resync", () => { texts = {}; say(); });  // what it missed is gone: everything that is left follows
  on("assistant.chunk", ({text, data: {message_id: id, discard}}) => {
    texts[id] = discard ? "" : (texts[id] ?? "") + (text ?? ""); say(); });
  on("assistant.message", ({text, data: {message_id: id}}) => { texts[id] = text; say(); });
  on("interrupt.requested", ({interrupt}) => {
    asked = interrupt.id; form.hidden = false; form.querySelector("span").textContent = interrupt.prompt; });
  for (const end of ["resolved", "timeout", "cancelled"])
    on("interrupt." + end, ({interrupt}) => { form.hidden = form.hidden || interrupt.id === asked; });
  form.onsubmit = submitted => {  // 422 says that the answer does not fit, and the question stays
    submitted.preventDefault();
    fetch("/answers/" + asked, {method: "POST", body: form.answer.value});
    form.reset(); };
</script>"""

# In your application: model=OpenAIChat(…), a gateway on a file, and a session for whoever is logged in.
model = StreamingScriptedModel([ToolCall(id="1", name="unlock", arguments={}), "Your account is open again."])
agent = Agent("help_desk", model=model)
session = agent.gateway.session("case-17")


@agent.toolify(description="Unlock the account")
@depends_on_interrupt("code", prompt="The code we texted you:", sensitive="OTP_CODE")
def unlock(code: str) -> str:
    print("The tool got", code)
    return "unlocked"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """``uvicorn browser_events:app`` would serve it. Not shown: who may see this session, and answer for it."""
    if scope["path"] == "/events":
        cursor = dict(scope["headers"]).get(b"last-event-id", b"").decode("latin-1")
        await follow(receive, send, session.events().generate_sse(cursor or None))
    elif scope["method"] == "POST":
        answer = (await receive())["body"].decode()
        try:
            receipt = session.interrupts.answer(scope["path"].removeprefix("/answers/"), answer)
        except InvalidAnswer:
            await respond(send, 422)
        else:
            await respond(send, 204 if receipt.handled else 409)
    else:
        await respond(send, 200, b"text/html", PAGE.encode())


async def respond(send: Any, status: int, kind: bytes = b"text/plain", body: bytes = b"", more: bool = False) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]})
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def follow(receive: Any, send: Any, frames: Any) -> None:
    """The frames until the browser has gone; nothing is left behind then."""

    async def write() -> None:
        await respond(send, 200, b"text/event-stream", more=True)
        async with aclosing(frames):
            async for frame in frames:
                await send({"type": "http.response.body", "body": frame.encode(), "more_body": True})

    writing = asyncio.create_task(write())
    while not writing.done() and (await receive())["type"] != "http.disconnect":
        pass
    writing.cancel()
    await asyncio.wait([writing])


async def browser(gone: asyncio.Event) -> None:
    """What the page above does, without a browser."""
    frames: asyncio.Queue[Any] = asyncio.Queue()

    async def until_gone() -> Any:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def typed() -> Any:
        return {"type": "http.request", "body": b"it is 482913"}

    async def nothing(message: Any) -> None:
        return None

    scope = {"type": "http", "method": "GET", "path": "/events", "headers": []}
    following = asyncio.create_task(app(scope, until_gone, frames.put))
    while not gone.is_set():
        for line in (await frames.get()).get("body", b"").decode().splitlines():
            event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            if event.get("type") == "interrupt.requested":
                print("The page asks:", event["interrupt"]["prompt"])
                path = f"/answers/{event['interrupt']['id']}"
                await app({"type": "http", "method": "POST", "path": path, "headers": []}, typed, nothing)
            elif event.get("type") in ("tool.completed", "assistant.message"):
                print("The page shows:", event["type"], event.get("text") or event["tool"]["name"])
            elif event.get("type") == "final":
                gone.set()
    await following


async def main() -> None:
    with agent:
        page = asyncio.create_task(browser(asyncio.Event()))
        async for _event in agent.astream([HumanMessage("Unlock me.")], session=session):
            pass  # The page follows by itself: the same events are in session.events().
        await page
        print(
            "The page got the code:", any("482913" in event.model_dump_json() for event in session.events().history())
        )


asyncio.run(main())
