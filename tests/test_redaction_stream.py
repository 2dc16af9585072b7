"""Streams give what the whole text gives, wherever they are cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealgate.models.errors import TextTooLong
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import SecretValue
from sealgate.redaction import Detector, Redactor, Restorer, StreamRedactor, StreamRestorer, stream
from sealgate.redaction.reply import closed_ranges

SETTINGS = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PIECES = st.sampled_from(
    [
        "{token}", "{lower}", "{bold}", "{escaped}", "{broken}", "{bare}", "```\n", "`",
        "<a href='", "'>", "</a>", "[see](",
        ")", "https://x.test/", " ", "\n", "\n\n", "word", "a < b", "_", "[", "]", "~~~\n", "**", "www.x.test/",
    ]
)  # fmt: skip


def filled(template: str, sealer: Any) -> str:
    """The template with one sealed value's placeholder in several spellings."""
    token = str(sealer.seal([SealRequest(SecretValue("ada@tallowbrook.net"), "EMAIL_ADDRESS", "person")])[0])
    spellings = {
        "token": token,
        "lower": token.lower(),
        "bold": f"**{token}**",
        "escaped": token.replace("[", "\\[").replace("_", "\\_").replace("]", "\\]"),
        "broken": token.replace("ADDRESS_", "ADDRESS_\n"),
        "bare": token.strip("[]"),
    }
    for name, spelling in spellings.items():
        template = template.replace("{" + name + "}", spelling)
    return template


def streamed(text: str, cuts: list[int], live: StreamRestorer | StreamRedactor) -> str:
    places = sorted({min(cut, len(text)) for cut in cuts})
    chunks = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return "".join(map(live.feed, chunks)) + live.flush()


@SETTINGS
@given(template=st.lists(PIECES, max_size=14).map("".join), cuts=st.lists(st.integers(0, 200), max_size=12))
def test_every_cut_of_a_reply_gives_the_same(template: str, cuts: list[int], memory_sealer: Any) -> None:
    text = filled(template, memory_sealer)
    restorer = Restorer(memory_sealer)
    assert streamed(text, cuts, StreamRestorer(restorer)) == str(restorer.restore_reply(text))


def test_plain_words_do_not_wait(memory_sealer: Any) -> None:
    live = StreamRestorer(Restorer(memory_sealer))
    assert live.feed("Sure, I wrote ") == "Sure, I wrote "
    assert live.feed("to them") == "to "
    assert live.flush() == "them"


@pytest.mark.parametrize("at", range(len("reach ada@tallowbrook.net now")))
def test_a_value_in_two_chunks_is_hidden(at: int, memory_sealer: Any) -> None:
    redactor = Redactor(Detector(names=False), memory_sealer)
    text = "reach ada@tallowbrook.net now"
    assert streamed(text, [at], StreamRedactor(redactor)) == redactor.redact(text).text


def test_what_is_held_has_a_bound(memory_sealer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_HELD", 10)
    live = StreamRestorer(Restorer(memory_sealer))
    with pytest.raises(TextTooLong):
        live.feed("`" + "x" * 10)


def test_a_long_block_of_code_is_not_read_again_for_each_chunk(
    memory_sealer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(text: str) -> list[tuple[int, int]]:
        read.append(len(text))
        return closed_ranges(text)

    monkeypatch.setattr(stream, "closed_ranges", counted)
    live, said = StreamRestorer(Restorer(memory_sealer)), ["```\n", *["a `word` here\n"] * 2_000, "```\n", "after\n"]
    assert "".join([*map(live.feed, said), live.flush()]) == "".join(said)
    assert sum(read) < 30 * len("".join(said)) + 8192 * 8192 / 14
