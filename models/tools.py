"""What a model is told about a tool."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ToolSpec(BaseModel):
    """A tool as a model sees it: name, redacted description, JSON schema of the arguments that the model may fill.

    Arguments that a person, private data or another tool fills are not in it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
