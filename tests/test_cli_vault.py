"""``sealgate vault``: what each subcommand does, says and refuses; no value in any argument, output or error."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from sealgate.gateway.cli import confirm
from sealgate.models.grants import Restore
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import SealRequest
from sealgate.models.secretvalue import secret_of
from sealgate.vault import Vault

Command: TypeAlias = Callable[..., subprocess.CompletedProcess[bytes]]

VALUE = "Ann Example 4111"


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "vault.db")


@pytest.fixture
def run(sealgate_command: Command, place: str) -> Callable[..., Any]:
    """``run("status")`` runs ``sealgate vault status`` on the test's vault and gives its JSON."""

    def run(*arguments: str, input: bytes = b"", code: int = 0) -> Any:
        done = sealgate_command("vault", *arguments, "--vault", place, "--json", input=input)
        assert done.returncode == code, done.stderr
        assert VALUE.encode() not in done.stdout + done.stderr
        return json.loads(done.stdout) if code == 0 else done.stderr.decode()

    return run


def seal(place: str, *values: str, session: str = "default") -> list[Placeholder]:
    with Vault.open(place) as vault:
        return vault.session(session).seal([SealRequest(secret_of(value), "CUSTOM", "person") for value in values])


def texts(place: str, placeholders: list[Placeholder]) -> list[str]:
    with Vault.open(place) as vault:
        opened = vault.session("default").open(placeholders, Restore())
    return [opened[one].text() for one in placeholders if one in opened]


def test_a_vault_is_made_once(run: Callable[..., Any], place: str) -> None:
    made = run("init")
    assert len(made["vault"]) == 32
    assert stat.S_IMODE(Path(place).stat().st_mode) == 0o600
    assert "already" in run("init", code=2)
    assert made["place"] == place
    assert made["vault"] in Path(made["key"]).read_text()
    assert run("status") == {**made, "sessions": 0, "older": 0, "keys": 1, "audit": 0}


@pytest.mark.parametrize("arguments", [["status"], ["rotate"], ["verify"], ["shred", "--yes"], ["forget", "--yes"]])
def test_nothing_is_made_by_looking(run: Callable[..., Any], place: str, arguments: list[str]) -> None:
    assert "no vault" in run(*arguments, code=3)
    assert not Path(place).exists()


def test_keys_are_rotated_and_destroyed(run: Callable[..., Any], place: str) -> None:
    placeholders = seal(place, VALUE)
    assert run("rotate") == {"sessions": 1, "destroyed": 0}
    assert run("status")["keys"] == 2
    assert run("rotate", "--destroy-old", "--yes") == {"sessions": 1, "destroyed": 2}
    assert run("status")["keys"] == 1
    assert texts(place, placeholders) == [VALUE]


def test_values_are_forgotten_by_placeholder(run: Callable[..., Any], place: str) -> None:
    gone, kept = seal(place, VALUE, "other")
    text = f"mail {gone}, and [PERSON_00000000] that nobody issued\n".encode()
    assert run("forget", "--yes", input=text) == {"forgotten": [str(gone)]}
    assert texts(place, [gone, kept]) == ["other"]
    assert run("forget", "--yes", input=text) == {"forgotten": []}


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_value_is_forgotten_from_standard_input(run: Callable[..., Any], place: str, end: bytes) -> None:
    gone, kept = seal(place, VALUE, "other")
    assert run("forget", "--value", "--yes", input=VALUE.encode() + end) == {"forgotten": [str(gone)]}
    assert texts(place, [gone, kept]) == ["other"]
    assert run("forget", "--value", "--yes", input=b"unknown") == {"forgotten": []}


def test_a_session_is_shredded(run: Callable[..., Any], place: str) -> None:
    seal(place, VALUE, session="s1")
    assert run("shred", "--session", "s1", "--yes")["purged"] is True
    assert "shredded" in run("shred", "--session", "s1", "--yes", code=3)
    assert run("status")["sessions"] == 0
    assert "no such session" in run("shred", "--session", "s2", "--yes", code=3)


def test_sweeping_and_verifying(run: Callable[..., Any], place: str) -> None:
    seal(place, VALUE, "other")
    assert run("sweep") == {"sessions": 0, "values": 0, "purged": True}
    assert run("verify") == {"sessions": 1, "values": 2, "records": 0, "audit": 2}


def test_a_changed_vault_does_not_verify(run: Callable[..., Any], place: str) -> None:
    [placeholder] = seal(place, VALUE)
    with Vault.open(place) as vault, vault._shared.store.write() as transaction:
        [row] = transaction.entries.by_code(1, placeholder.code)
        transaction.entries.replace([row._replace(ct=row.ct[:-1] + bytes([row.ct[-1] ^ 1]))])
    assert "does not authenticate" in run("verify", code=3)


def test_a_vault_is_backed_up_and_restored(run: Callable[..., Any], place: str, tmp_path: Path) -> None:
    seal(place, VALUE)
    copy = tmp_path / "copy"
    assert run("backup", str(copy))["bytes"] == copy.stat().st_size
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert VALUE.encode() not in copy.read_bytes()
    assert "FILE is there already" in run("backup", str(copy), code=2)
    run("restore", str(copy), code=3)
    for name in ("", "-wal", "-shm"):
        Path(f"{place}{name}").unlink(missing_ok=True)
    copy.write_bytes(copy.read_bytes()[:-1])
    run("restore", str(copy), code=3)
    assert not Path(place).exists()


def test_a_file_that_cannot_be_used_is_said_to_be_file(run: Callable[..., Any], place: str, tmp_path: Path) -> None:
    seal(place, VALUE)
    for command, verb in (("backup", "written"), ("restore", "read")):
        said = run(command, str(tmp_path / "no" / VALUE), code=2)
        assert said == f"sealgate: FILE cannot be {verb}: no such file or directory\n"


def test_a_restored_vault_holds_the_values(run: Callable[..., Any], place: str, tmp_path: Path) -> None:
    placeholders = seal(place, VALUE)
    run("backup", str(tmp_path / "copy"))
    for name in ("", "-wal", "-shm"):
        Path(f"{place}{name}").unlink(missing_ok=True)
    assert run("restore", str(tmp_path / "copy"))["sessions"] == 1
    assert texts(place, placeholders) == [VALUE]


def test_a_backup_that_fails_leaves_nothing(
    run: Callable[..., Any], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(place, VALUE)

    def fail(self: Vault, target: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Vault, "backup", fail)
    assert "no space left" in run("backup", str(tmp_path / "copy"), code=4)
    assert not (tmp_path / "copy").exists()


DANGEROUS = (["rotate", "--destroy-old"], ["shred"], ["forget"])


@pytest.mark.parametrize("arguments", DANGEROUS)
def test_where_nobody_can_be_asked_yes_has_to_be_said(
    run: Callable[..., Any], place: str, arguments: list[str]
) -> None:
    placeholders = seal(place, VALUE)
    assert "--yes" in run(*arguments, input=str(placeholders[0]).encode(), code=2)
    assert texts(place, placeholders) == [VALUE]
    assert run("status")["keys"] == 1


@pytest.mark.parametrize("arguments", DANGEROUS[:2])
@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 130), (b"\n", 130), (b"y\n", 0)])
def test_a_person_is_asked(
    run: Callable[..., Any], place: str, arguments: list[str], answer: bytes, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm, "_is_terminal", lambda stream: True)
    placeholders = seal(place, VALUE)
    run(*arguments, input=answer, code=code)
    if code:
        assert texts(place, placeholders) == [VALUE]


@pytest.fixture
def anchor(tmp_path: Path) -> str:
    """Where an anchor may lie."""
    (tmp_path / "kept").mkdir(mode=0o700)
    return str(tmp_path / "kept" / "anchor")


@pytest.fixture
def older(run: Callable[..., Any], place: str, anchor: str) -> list[Placeholder]:
    """An older copy of an anchored vault is put back; the placeholders of what it holds."""
    placeholders = seal(place, VALUE)
    run("status", "--anchor", anchor)
    image = Path(place).read_bytes()
    run("rotate", "--anchor", anchor)
    Path(place).write_bytes(image)
    return placeholders


@pytest.mark.parametrize(
    "arguments", [["status"], ["rotate"], ["verify"], ["shred", "--yes"], ["forget", "--yes"], ["backup", "copy"]]
)
def test_an_older_copy_is_refused(
    run: Callable[..., Any], older: list[Placeholder], anchor: str, arguments: list[str]
) -> None:
    said = run(*arguments, "--anchor", anchor, code=3)
    assert "older than its anchor" in said
    assert "`sealgate vault anchor`" in said
    assert "`sealgate vault anchor --give-up`" in run(*arguments, code=3)


def test_an_older_copy_is_accepted_on_purpose(
    run: Callable[..., Any], older: list[Placeholder], anchor: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in (["anchor"], ["anchor", "--anchor", anchor, "--give-up"]):
        assert "--give-up" in run(*wrong, "--yes", code=2)
    assert "--yes" in run("anchor", "--anchor", anchor, code=2)
    monkeypatch.setattr(confirm, "_is_terminal", lambda stream: True)
    run("anchor", "--anchor", anchor, input=b"n\n", code=130)
    run("status", "--anchor", anchor, code=3)
    assert run("anchor", "--anchor", anchor, input=b"y\n")["anchored"] is True
    assert run("verify", "--anchor", anchor)["values"] == 1
    assert run("anchor", "--give-up", "--yes")["anchored"] is False
    assert texts(place, older) == [VALUE]


def test_a_vault_is_made_and_restored_with_its_anchor(
    run: Callable[..., Any], place: str, anchor: str, tmp_path: Path
) -> None:
    run("init", "--anchor", anchor)
    run("backup", str(tmp_path / "copy"), "--anchor", anchor)
    run("rotate", "--anchor", anchor)
    for file in tmp_path.glob("vault.db*"):
        file.unlink()
    assert "put the store back" in run("init", "--anchor", anchor, code=3)
    assert run("restore", str(tmp_path / "copy"), "--anchor", anchor)["keys"] == 1
    assert run("status", "--anchor", anchor)["keys"] == 1


def test_pipes_go_through_an_anchored_vault(sealgate_command: Command, place: str, anchor: str) -> None:
    options = ["--vault", place, "--anchor", anchor]
    sealed = sealgate_command("redact", *options, input=b"Mail ada@example.org").stdout
    assert b"ada" not in sealed
    assert sealgate_command("restore", *options, input=sealed).stdout == b"Mail ada@example.org"
    assert sealgate_command("restore", "--vault", place, input=sealed).returncode == 3


def test_an_anchor_in_a_key_store_has_a_name(run: Callable[..., Any], place: str) -> None:
    seal(place, VALUE)
    assert "operating system" in run("status", "--anchor", "keyring:mine", code=3)
    assert run("status")["sessions"] == 1


def test_progress_is_shown_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm.progress("sessions")(5_000)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(confirm, "_is_terminal", lambda stream: stream is sys.stderr)
    show = confirm.progress("sessions")
    for done in (999, 1_000, 1_500, 2_000):
        show(done)
    assert capsys.readouterr() == ("", "\r1,000 sessions\r2,000 sessions")


def test_the_list_of_commands_says_whole_sentences(sealgate_command: Command) -> None:
    shown = sealgate_command("vault", "--help").stdout.decode().partition("Commands:")[2]
    assert "..." not in shown
    assert "audit chain against itself." in " ".join(shown.split())


def test_one_is_not_many(sealgate_command: Command, place: str) -> None:
    seal(place, VALUE)
    assert sealgate_command("vault", "verify", "--vault", place).stdout.startswith(b"1 session, 1 value, 0 records, ")
    assert sealgate_command("vault", "rotate", "--vault", place).stdout.startswith(b"1 session put under a new key; 0 ")


def test_without_json_a_sentence_is_said(sealgate_command: Command, place: str) -> None:
    seal(place, VALUE)
    for arguments, said in ((["status"], b"sessions  1"), (["verify"], b"all in order"), (["sweep"], b"0 sessions")):
        assert said in sealgate_command("vault", *arguments, "--vault", place).stdout


@pytest.mark.parametrize("url", ["postgresql://u:hunter2@h/db", "postgresql://h/db?password=hunter2"])
def test_a_password_is_no_argument(sealgate_command: Command, url: str) -> None:
    done = sealgate_command("vault", "status", "--vault", url)
    assert done.returncode == 2
    assert b"hunter2" not in done.stderr
    assert b"password" in done.stderr


def test_a_vault_on_a_server_is_operated_likewise(sealgate_command: Command, postgres_url: str) -> None:
    assert sealgate_command("vault", "status", "--vault", postgres_url).returncode == 3
    assert sealgate_command("vault", "init", "--vault", postgres_url).returncode == 0
    assert sealgate_command("vault", "init", "--vault", postgres_url).returncode == 2
    done = sealgate_command("vault", "rotate", "--vault", postgres_url, "--json")
    assert json.loads(done.stdout) == {"sessions": 0, "destroyed": 0}
