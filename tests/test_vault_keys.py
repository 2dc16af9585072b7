from __future__ import annotations

import base64
import json
import os
import pickle
import stat
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from sealgate.models.errors import KeyMissing, KeyRefused, WrongKey
from sealgate.vault.keys.file import KeyDirectory, KeyFileProvider, read
from sealgate.vault.keys.provider import EnvironmentKeys, KeyProvider, LocalKeys
from sealgate.vault.vault import Vault

KEY = bytes(range(32))
OTHER = bytes(range(1, 33))


def test_the_newest_key_wraps_and_all_unwrap() -> None:
    old, both = LocalKeys([KEY]), LocalKeys([KEY, OTHER])
    assert both.unwrap(old.wrap(b"secret", b"context"), b"context") == b"secret"
    blob = both.wrap(b"secret", b"context")
    assert LocalKeys([OTHER]).unwrap(blob, b"context") == b"secret"
    with pytest.raises(WrongKey):
        old.unwrap(blob, b"context")


def test_a_blob_is_bound_to_its_context() -> None:
    keys = LocalKeys([KEY])
    with pytest.raises(WrongKey):
        keys.unwrap(keys.wrap(b"secret", b"one"), b"two")


@pytest.mark.parametrize("key", [b"", b"k", KEY[:31], KEY + b"\n", KEY.hex().encode()])
def test_v49_keys_that_are_no_32_random_bytes_are_refused(key: bytes) -> None:
    with pytest.raises(KeyRefused):
        LocalKeys([key])
    with pytest.raises(KeyRefused):
        Vault.open(":memory:", key)


def test_a_refused_key_stands_in_no_frame_of_ours() -> None:
    marker = b"MARKER-of-a-key-that-is-too-long-for-us"
    try:
        Vault.open(":memory:", marker)
    except KeyRefused as error:
        frames = traceback.TracebackException.from_exception(error, capture_locals=True).stack
        inner = [frame for frame in frames if "test_vault_keys" not in frame.filename]
        assert inner
        assert not any("MARKER" in value for frame in inner for value in (frame.locals or {}).values())
    else:
        pytest.fail("a key of 39 bytes was accepted")


def test_local_keys_are_a_provider_that_shows_nothing() -> None:
    keys = LocalKeys([KEY])
    assert isinstance(keys, KeyProvider)
    assert repr(keys) == "LocalKeys(…)"
    with pytest.raises(TypeError):
        pickle.dumps(keys)


def test_environment_keys_leave_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = ",".join(base64.b64encode(key).decode() for key in (KEY, OTHER))
    monkeypatch.setenv("SEALGATE_KEY", encoded)
    keys = EnvironmentKeys()
    assert "SEALGATE_KEY" not in os.environ
    assert keys.unwrap(LocalKeys([KEY]).wrap(b"secret", b""), b"") == b"secret"


@pytest.mark.parametrize(
    ("text", "error"), [("", KeyMissing), ("  ", KeyMissing), ("nonsense!", KeyRefused), ("QUJD", KeyRefused)]
)
def test_blank_or_wrong_environment_keys_are_errors(
    monkeypatch: pytest.MonkeyPatch, text: str, error: type[Exception]
) -> None:
    monkeypatch.setenv("SEALGATE_KEY", text)
    with pytest.raises(error) as caught:
        EnvironmentKeys()
    assert not text.strip() or text not in str(caught.value)


def test_an_absent_environment_key_is_missing() -> None:
    with pytest.raises(KeyMissing):
        EnvironmentKeys("SEALGATE_KEY_THAT_IS_NOT_SET")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "keys"


@pytest.fixture
def path(directory: Path) -> Path:
    KeyDirectory(str(directory)).make("ab" * 16, "/somewhere/vault.db")
    return directory / f"{'ab' * 16}.key.json"


def test_a_key_file_is_private_and_comes_back(directory: Path, path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    found = KeyDirectory(str(directory)).find("ab" * 16)
    assert (found.vault, found.store, found.pending) == ("ab" * 16, "/somewhere/vault.db", True)
    assert len(found.keys[0]) == 32
    assert found.keys[0].hex() not in repr(found)
    assert KeyDirectory(str(directory)).of_store("/somewhere/vault.db") == [found]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_v49_a_key_file_that_others_may_read_is_refused(path: Path, mode: int) -> None:
    path.chmod(mode)
    with pytest.raises(KeyRefused):
        read(str(path))


def test_v49_a_read_only_key_file_is_accepted(path: Path) -> None:
    path.chmod(0o400)
    assert len(read(str(path)).keys) == 1


def test_v49_links_pipes_and_second_names_are_refused(path: Path) -> None:
    symlink, pipe, second = (path.with_name(name) for name in ("symlink", "pipe", "second"))
    symlink.symlink_to(path)
    os.mkfifo(pipe, 0o600)
    for one in (symlink, pipe, path.parent):
        with pytest.raises(KeyRefused):
            read(str(one))
    second.hardlink_to(path)
    with pytest.raises(KeyRefused):
        read(str(path))


def test_v49_a_directory_that_others_may_write_is_refused(path: Path) -> None:
    path.parent.chmod(0o777)
    with pytest.raises(KeyRefused):
        read(str(path))
    with pytest.raises(KeyRefused):
        KeyDirectory(str(path.parent)).make("cd" * 16, "/elsewhere")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 2}',
        '{"version": 1, "keys": ["QUJD"], "vault": "", "store": "", "pending": 0}',
    ],
)
def test_v49_a_key_file_with_other_content_is_refused_without_quoting_it(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(KeyRefused) as caught:
        KeyFileProvider(KeyDirectory(str(path.parent)), read(str(path)))
    assert not content or content not in str(caught.value)


KEY_TEXTS = {
    "short": base64.b64encode(KEY[:31]).decode(),
    "long": base64.b64encode(KEY + b"\n").decode(),
    "one byte": base64.b64encode(b"k").decode(),
    "hex": KEY.hex(),
    "not encoded": "k" * 32,
    "zeros": base64.b64encode(bytes(32)).decode(),
    "empty": "",
}


@pytest.mark.parametrize("name", KEY_TEXTS)
def test_v49_what_is_no_key_is_refused_wherever_it_lies(path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    text = KEY_TEXTS[name]
    fields = json.loads(path.read_text()) | {"keys": [text]}
    path.write_text(json.dumps(fields))
    monkeypatch.setenv("SEALGATE_KEY", f"{base64.b64encode(KEY).decode()},{text}")
    for attempt in (lambda: KeyFileProvider(KeyDirectory(str(path.parent)), read(str(path))), EnvironmentKeys):
        with pytest.raises(KeyRefused) as caught:
            attempt()
        assert not text or text not in str(caught.value)


def test_v49_a_key_with_a_newline_behind_it_is_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEALGATE_KEY", f" {base64.b64encode(KEY).decode()}\n")
    assert EnvironmentKeys().unwrap(LocalKeys([KEY]).wrap(b"secret", b""), b"") == b"secret"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_v49_a_key_file_of_somebody_else_is_refused(path: Path) -> None:
    os.chown(path, 65534, 65534)
    with pytest.raises(KeyRefused, match="another user"):
        read(str(path))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.chmod(0o644), "0600"),
        (lambda path: path.parent.chmod(0o777), "director"),
        (lambda path: (path.with_name("second")).hardlink_to(path), "one name"),
        (lambda path: path.write_text("{"), "cannot be read"),
    ],
)
def test_v49_a_vault_does_not_open_with_an_unsafe_key_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], object], said: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    place = tmp_path / "vault.db"
    Vault.open(place).close()
    before = place.read_bytes()
    [key_file] = (tmp_path / "config" / "sealgate" / "keys").iterdir()
    spoil(key_file)
    with pytest.raises(KeyRefused, match=said):
        Vault.open(place)
    assert place.read_bytes() == before


def test_a_missing_key_file_is_missing(directory: Path) -> None:
    with pytest.raises(KeyMissing):
        KeyDirectory(str(directory)).find("00" * 16)
