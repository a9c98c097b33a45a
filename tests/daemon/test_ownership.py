"""Files and folders of another user: one line and exit code 2, and doctor says whose they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.checkpoints import key_path
from pitwatch.daemon.journal.holding import Hold, lock_file
from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.store import Store
from tests.roulette import roulette

PLAIN = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Makes of root a user like any other, who may use only what is his."""

STRANGER = 65534

if os.geteuid() or not shutil.which("setpriv") or subprocess.run([*PLAIN, "true"], capture_output=True).returncode:
    pytest.skip("only root may hand files to others, and setpriv take root's rights", allow_module_level=True)


def pitwatch(*arguments: object) -> tuple[int, str, str]:
    """Exit code, output and errors of a command of a user like any other."""
    command = [*PLAIN, sys.executable, "-m", "pitwatch.daemon.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    return done.returncode, done.stdout, done.stderr


def strange(*files: Path) -> None:
    """Make them another user's alone."""
    for file in files:
        file.chmod(0o700 if file.is_dir() else 0o600)
        os.chown(file, STRANGER, STRANGER)


def journal(path: Path) -> Path:
    store = Store(path)
    store.write([Record(1, "b", 1, 1, True, "system", "system", False, b"{}")], 0)
    store.close()
    Hold(path).release()
    return path


def table(folder: Path, path: Path) -> Path:
    file = folder / "table.toml"
    file.write_text(roulette("none", "mqtt://127.0.0.1:1", str(path)))
    return file


@pytest.fixture
def closed(tmp_path):
    """A folder that may not be entered, with a journal in it."""
    folder = tmp_path / "closed"
    folder.mkdir()
    journal(folder / "j.db")
    strange(folder)
    return folder


@pytest.mark.parametrize("command", ["run", "journal verify", "journal tail", "journal export"])
def test_a_journal_in_a_folder_that_may_not_be_entered_is_one_line(tmp_path, closed, command):
    path = closed / "j.db"
    code, _, error = pitwatch(*command.split(), table(tmp_path, path) if command == "run" else path)
    assert code == 2
    assert error.startswith(str(path))
    assert "Permission denied" in error
    assert error.count("\n") == 1


def test_an_export_into_a_folder_that_may_not_be_entered_is_one_line(tmp_path, closed):
    path = journal(tmp_path / "j.db")
    Signer(key_path(path)).prepare()
    code, _, error = pitwatch("journal", "export", path, "--out", closed / "e.jsonl")
    assert (code, error) == (2, f"{closed / 'e.jsonl'}: cannot be written: Permission denied\n")


def test_doctor_names_a_folder_that_may_not_be_entered(tmp_path, closed):
    code, said, _ = pitwatch("doctor", table(tmp_path, closed / "inner" / "j.db"), "--listen", "0")
    assert code == 1
    assert f"{closed / 'inner'} may not be entered" in said


@pytest.mark.parametrize("command", ["verify", "tail", "export"])
def test_a_journal_that_may_not_be_read_is_unusable_and_not_altered(tmp_path, command):
    path = journal(tmp_path / "j.db")
    strange(path)
    code, _, error = pitwatch("journal", command, path)
    assert (code, error) == (2, f"{path}: may not be read by this user; its owner and root may\n")


def test_what_somebody_else_left_in_the_folder_is_named_by_run_and_by_doctor(tmp_path):
    path = journal(tmp_path / "j.db")
    files = (path, key_path(path), lock_file(path))
    key_path(path).write_text("secret")
    strange(*files)
    name = table(tmp_path, path)
    code, _, error = pitwatch("run", name)
    assert code == 2
    assert error.startswith(f"{path}.lock: cannot be written: Permission denied; it is another user's")
    said = pitwatch("doctor", name, "--listen", "0")[1]
    for file in files:
        assert f"{file} is nobody's and may not be used" in said
        assert f"chown --reference={tmp_path} {file}" in said
        os.chown(file, 0, 0)
    assert "may not be used" not in pitwatch("doctor", name, "--listen", "0")[1]


@pytest.mark.parametrize("barred", ["folder", "file"])
def test_certificates_of_another_user_are_named_by_check_and_by_doctor(tmp_path, barred):
    """A table's folder as root copied it: nothing is missing, it is only not the daemon's."""
    key = tmp_path / "RL-07" / "client.key"
    key.parent.mkdir()
    key.write_text("secret")
    key.chmod(0o600)
    name = tmp_path / "table.toml"
    mqtt = f'[mqtt]\nkey = "{key}"\ncert = "{key}"\n'
    name.write_text(roulette("none", "mqtts://127.0.0.1:1", "j.db").replace("[mqtt]\n", mqtt))
    at_fault = key.parent if barred == "folder" else key
    strange(at_fault)
    told = f"{at_fault} is nobody's and may not be read by this user"
    assert f"mqtt.key: {key}: {told}" in pitwatch("check", name)[1]
    said = pitwatch("doctor", name, "--listen", "0")[1]
    assert f"BAD  mqtt.key {key}: {told}\n     give it to the daemon's user, or put" in said
    os.chown(at_fault, 0, 0)
    assert "may not be read" not in pitwatch("check", name)[1]
    assert f"ok   mqtt.key {key}: readable" in pitwatch("doctor", name, "--listen", "0")[1]


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_only_who_has_the_key_exports_signed(tmp_path):
    path = journal(tmp_path / "j.db")
    out = tmp_path / "e.jsonl"
    code, _, error = pitwatch("journal", "export", path, "--out", out)
    assert (code, error.split(";")[0]) == (2, f"{key_path(path)}: no such key, so nothing can be signed here")
    assert not key_path(path).exists()
    Signer(key_path(path)).prepare()
    strange(key_path(path))
    code, _, error = pitwatch("journal", "export", path, "--out", out)
    assert (code, error.split(";")[0]) == (2, f"{key_path(path)}: is another user's signing key")
    assert not out.exists()
    os.chown(key_path(path), 0, 0)
    assert pitwatch("journal", "export", path, "--out", out)[0] == 0
    assert sorted(file.name for file in tmp_path.glob("e.*")) == ["e.jsonl", "e.jsonl.pub", "e.jsonl.sig"]


@pytest.mark.parametrize("command", ["verify", "tail", "export"])
def test_records_that_cannot_be_read_where_the_journal_lies_are_not_passed_over(tmp_path, command):
    folder = tmp_path / "copy"
    folder.mkdir()
    store = Store(tmp_path / "j.db")
    store.write([Record(1, "b", 1, 1, True, "system", "system", False, b"{}")], 0)
    for name in ("j.db", "j.db-wal"):  # while it is open, as after a power cut
        Path(shutil.copy(tmp_path / name, folder)).chmod(0o644)
    folder.chmod(0o755)  # who may read it may not write there
    store.close()
    os.chown(folder, STRANGER, STRANGER)
    code, said, error = pitwatch("journal", command, folder / "j.db")
    assert (code, said) == (2, "")
    assert error.startswith(f"{folder}/j.db-wal: holds newer records")
    os.chown(folder, 0, 0)
    assert pitwatch("journal", command, folder / "j.db")[0] == 0
    os.chown(folder, STRANGER, STRANGER)
    assert pitwatch("journal", command, journal(folder / "k.db"))[::2] == (0, "")
