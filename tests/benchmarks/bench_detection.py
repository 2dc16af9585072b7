"""Detection measured: ``python tests/benchmarks/bench_detection.py FOLDER …``.

Reads every ``*.jsonl`` of the folders. Rows with ``spans`` are labelled texts ``{text, spans: [{start, end, label}]}``;
rows with ``expected`` are reports ``{input, expected: {redact, keep}}``; ``probes.py`` has a list ``P`` of (kind, text,
must hide, must keep). Per set it prints, in percent,

- leak: gold characters of core classes that stay visible,
- precision: hidden characters that lie in any gold span,
- over: hidden characters outside of gold, of all characters outside of gold,

and CPU milliseconds a text. ``--missed N`` shows N missed and N wrongly hidden strings of each set.
"""

from __future__ import annotations

import argparse
import json
import runpy
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from sealgate.models.findings import Finding
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import Built, LiveValue, SealRequest
from sealgate.redaction import Detector
from sealgate.redaction.planner import Planner

CORE: Final = frozenset(
    {"PERSON", "EMAIL", "PHONE", "ADDRESS", "CREDIT_CARD", "BANK", "NATIONAL_ID", "IP", "SECRET", "ID"}
)
"""Classes whose visible characters count as a leak."""

CODE_EXPECTATIONS: Final[tuple[tuple[str, list[str]], ...]] = (
    ("I didn't get a code", []),
    ("order 482913, code 4 8 2 9 1 4", ["4 8 2 9 1 4"]),
    ("resend it, it was 12 minutes", []),
)
"""What a reply to "enter the code" holds; any miss makes the benchmark fail."""


class NothingSealed:
    """A vault that keeps nothing, for measuring detection alone."""

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        raise NotImplementedError

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        return build(())


Find = Callable[[str], list[Finding]]


def finder(detector: Detector) -> Find:
    """What the redactor would hide in a text."""
    planner = Planner(detector, NothingSealed())
    scope = planner.scope()
    return lambda text: [item.finding for item in planner.plan(text, scope).items]


def mask(text: str, spans: Sequence[tuple[int, int]]) -> bytearray:
    """One byte a code point, 1 where a span covers it."""
    covered = bytearray(len(text))
    for start, end in spans:
        covered[start:end] = b"\1" * (end - start)
    return covered


def measure(rows: list[dict[str, Any]], find: Find, show: int) -> str:
    """The line of one labelled set."""
    gold = leaked = hidden = right = other = over = 0
    spent = 0.0
    missed: list[str] = []
    wrong: list[str] = []
    for row in rows:
        text = row["text"]
        began = time.thread_time()
        found = find(text)
        spent += time.thread_time() - began
        covered = mask(text, [(item.start, item.end) for item in found])
        anything = mask(text, [(span["start"], span["end"]) for span in row["spans"]])
        for span in row["spans"]:
            if span["label"] in CORE:
                visible = sum(1 for at in range(span["start"], span["end"]) if not covered[at])
                gold += span["end"] - span["start"]
                leaked += visible
                if visible:
                    missed.append(f"{span['label']} {text[span['start'] : span['end']]!r} in {text[:160]!r}")
        hidden += sum(covered)
        right += sum(one & two for one, two in zip(covered, anything, strict=True))
        other += len(text) - sum(anything)
        over += sum(one & ~two & 1 for one, two in zip(covered, anything, strict=True))
        for item in found:
            if not any(anything[item.start : item.end]):
                wrong.append(f"{item.entity_type} {item.recognizer} {text[item.start : item.end]!r} in {text[:100]!r}")
    shares = f"leak {percent(leaked, gold)}  precision {percent(right, hidden)}  over {percent(over, other)}"
    lines = [f"{shares}  {1000 * spent / max(1, len(rows)):7.2f} ms/text  {len(rows):5d} texts"]
    step = max(1, len(missed) // show) if show else 1
    lines += [f"      missed {line}" for line in missed[::step][:show]]
    step = max(1, len(wrong) // show) if show else 1
    lines += [f"      wrong  {line}" for line in wrong[::step][:show]]
    return "\n".join(lines)


def percent(part: int, whole: int) -> str:
    """A share, or a dash where there is nothing."""
    return f"{100 * part / whole:6.2f}" if whole else "     -"


def strings(cases: list[tuple[str, str, list[str], list[str]]], find: Find, show: int) -> str:
    """The line of a set of strings to hide and to keep. Separators inside a value need not be covered."""
    hide = hidden = keep = kept = passed = 0
    faults: list[str] = []
    for kind, text, to_hide, to_keep in cases:
        found = find(text)
        covered = mask(text, [(item.start, item.end) for item in found])
        before = len(faults)
        for value in to_hide:
            at = text.find(value)
            good = at >= 0 and all(covered[at + n] for n, char in enumerate(value) if char.isalnum())
            hide, hidden = hide + 1, hidden + good
            if not good:
                faults.append(f"      visible {kind}: {value!r} in {text[:120]!r}")
        for value in to_keep:
            at = text.find(value)
            good = at < 0 or not any(covered[at : at + len(value)])
            keep, kept = keep + 1, kept + good
            if not good:
                faults.append(f"      hidden {kind}: {value!r} in {text[:120]!r}")
        passed += len(faults) == before
    lines = [f"hidden {hidden}/{hide}  kept {kept}/{keep}  cases {passed}/{len(cases)}"]
    return "\n".join(lines + faults[: 200 if show else 0])


def expectations() -> list[str]:
    """What was misread of the three replies; empty when all is right."""
    from sealgate.models.expectation import Expectation  # noqa: PLC0415
    from sealgate.redaction.expectation import read_answer  # noqa: PLC0415

    expect = Expectation(kind="otp")
    read = [(text, [hit.text() for hit in read_answer(text, expect)], wanted) for text, wanted in CODE_EXPECTATIONS]
    return [f"{text!r}: {found}" for text, found, wanted in read if found != wanted]


def report_cases(rows: list[dict[str, Any]]) -> list[tuple[str, str, list[str], list[str]]]:
    """Reports as (id, input, must hide, must keep)."""
    return [(row["id"], row["input"], row["expected"]["redact"], row["expected"]["keep"]) for row in rows]


def main() -> int:
    """Prints the table; 1 if an expectation was misread."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="sets whose name holds this")
    parser.add_argument("--rules", action="store_true", help="without models")
    parser.add_argument("--missed", type=int, default=0, metavar="N")
    options = parser.parse_args()
    find = finder(Detector(names=not options.rules))
    find("Warm up with John Smith, please.")
    for folder in options.folders:
        for path in sorted(folder.glob("*.jsonl")):
            if options.only not in path.stem:
                continue
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
            if "spans" in rows[0]:
                print(f"{path.stem:26s}", measure(rows, find, options.missed), flush=True)
            elif "expected" in rows[0] and isinstance(rows[0].get("input"), str):
                print(f"{path.stem:26s}", strings(report_cases(rows), find, options.missed), flush=True)
        probes = folder / "probes.py"
        if probes.exists() and options.only in "probes":
            print(f"{'probes':26s}", strings(runpy.run_path(str(probes))["P"], find, options.missed), flush=True)
    misread = expectations()
    print(f"{'code expectations':26s}", "as they must be" if not misread else "; ".join(misread))
    return bool(misread)


if __name__ == "__main__":
    raise SystemExit(main())
