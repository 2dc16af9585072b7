"""Loading spaCy's recognizer: no more of spaCy than it needs, and a spaCy that others find whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sealgate.redaction.names.ner import load_ner

LOADED = "import sys\nfrom sealgate.redaction.names.ner import load_ner\nload_ner()\nimport spacy\n"


def fresh(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, check=True, text=True)
    return done.stdout.strip()


def test_spacys_command_line_is_not_loaded() -> None:
    names = fresh(f"{LOADED}print(*sys.modules)").split()
    assert "spacy" in names
    assert not {"spacy.cli", "spacy.cli.info", "typer", "weasel", "requests", "presidio_analyzer"} & set(names)


@pytest.mark.parametrize(
    "asked",
    [
        "print(callable(spacy.cli.download))",
        "import spacy.cli; print(callable(spacy.cli.download))",
        "from spacy.cli import info; print('spacy_version' in info(silent=True))",
        "print('spacy_version' in spacy.info(silent=True))",
        "print(not hasattr(spacy, 'no_such_thing'))",
    ],
)
def test_spacys_command_line_is_there_for_who_asks(asked: str) -> None:
    assert fresh(LOADED + asked) == "True"


def test_a_spacy_that_was_there_before_is_left_alone() -> None:
    names = fresh(f"import spacy\n{LOADED}print('__getattr__' in vars(spacy), spacy.cli.info is spacy.info)")
    assert names.split()[0] == "False"


def test_words_are_not_kept() -> None:
    """Neither those of the training nor those of a text."""
    pipeline = load_ner().pipeline
    before = len(pipeline.vocab.strings)
    with pipeline.memory_zone():
        pipeline.tokenizer("Wystawa Krzysztofa Zażółć Gęślą")
    assert len(pipeline.vocab.strings) == before < 10_000
    assert "Zażółć" not in pipeline.vocab.strings
