from __future__ import annotations

from sealgate.gateway.tools.hooks import hook_payload
from sealgate.models.jsonvalue import JsonValue


def test_the_payload_has_the_fields_of_the_contract() -> None:
    assert hook_payload("after", "pay", "c1", {"to": "[IBAN_CODE_K7Q2MXB4]"}, {"ok": True}, "ToolFailed") == {
        "stage": "after",
        "tool": "pay",
        "tool_id": "c1",
        "arguments": {"to": "[IBAN_CODE_K7Q2MXB4]"},
        "result": {"ok": True},
        "error": "ToolFailed",
    }


def test_a_hook_that_writes_into_its_payload_changes_nothing_else() -> None:
    arguments: dict[str, JsonValue] = {"lines": [{"price": 1}]}
    result: JsonValue = {"ids": [1]}
    payload = hook_payload("before", "pay", "c1", arguments, result)
    payload["arguments"]["lines"][0]["price"] = 2
    payload["result"]["ids"].append(2)
    assert arguments == {"lines": [{"price": 1}]}
    assert result == {"ids": [1]}
