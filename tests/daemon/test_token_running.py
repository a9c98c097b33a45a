"""A table whose signing key is in a token: it is pulled out and put back, replaces a file, is used by commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from pitwatch.daemon.config.token_key import parse
from pitwatch.daemon.journal import checkpoints as checkpoints_module
from pitwatch.daemon.journal import retention, writing
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.held import Held
from pitwatch.daemon.journal.journal import Journal
from pitwatch.daemon.journal.keys import signer_of
from pitwatch.daemon.journal.signing import Signer, SigningError, key_path
from pitwatch.daemon.journal.statements import is_genuine
from pitwatch.daemon.journal.store import Store
from pitwatch.daemon.journal.token_signer import TokenSigner
from pitwatch.daemon.journal.verifying import verify
from pitwatch.hal.sim import SimClock
from tests.daemon.soft_token import SoftToken, needs_softhsm
from tests.daemon.test_open_end import TABLE, forged, grown, seen, until
from tests.daemon.test_retention import OLD, begins, filled

pytestmark = needs_softhsm


@pytest.fixture(autouse=True)
def swift(monkeypatch):
    monkeypatch.setattr(checkpoints_module, "LOOK_EVERY", 0.02)


@pytest.fixture
def token(tmp_path_factory, monkeypatch) -> SoftToken:
    made = SoftToken(tmp_path_factory.mktemp("softhsm"), monkeypatch)
    made.make()
    return made


class Table:
    """A journal signed by a token."""

    def __init__(self, path, token: SoftToken):
        self.journal = Journal(path, SimClock(), "second", signer_of(path, parse(token.uri())))
        self.signing = Checkpoints(self.journal, SimClock(), TABLE)
        self.signing.sign_first()
        self.journal.start()
        self.journal.note("started", {})

    @property
    def set_aside(self) -> list[str]:
        return [r.body.decode() for r in tuple(self.journal._tail) if b"journal_set_aside" in r.body]

    async def end(self) -> None:
        await self.signing.stop()
        await until(lambda: self.journal.committed == self.journal.last)
        await self.journal.close()


async def test_a_token_that_is_pulled_out_leaves_the_table_watched_and_signs_again(tmp_path, token, monkeypatch):
    monkeypatch.setattr(checkpoints_module, "EVERY", 0.02)
    path = tmp_path / "j.db"
    table = Table(path, token)
    table.signing.start()
    await until(lambda: table.signing._signed)
    token.unplug()
    table.journal.append("observation", "observation/a", 0, {})
    await until(lambda: table.signing.trouble is not None)
    assert "no such token is plugged in" in table.signing.trouble
    before = table.signing._signed
    seq = table.journal.append("observation", "observation/a", 0, {})
    await until(lambda: table.journal.committed >= seq)  # goes on being written
    assert table.signing._signed == before
    token.plug()
    await until(lambda: table.signing.trouble is None and table.signing._signed > seq)
    await table.end()
    found = verify(path, table.signing.signer.public)
    assert found.fault is None
    assert found.signed >= seq
    assert not key_path(path).exists()


async def test_a_token_that_comes_after_the_first_start_signs_what_was_written(tmp_path, token):
    path = tmp_path / "j.db"
    token.unplug()
    table = Table(path, token)
    table.signing.start()
    await until(lambda: table.signing.trouble is not None)
    assert table.signing.signer.public is None
    token.plug()
    await until(lambda: table.signing._signed)
    await table.end()
    assert verify(path, table.signing.signer.public).fault is None


async def test_a_journal_of_another_key_is_not_signed_and_not_set_aside_and_a_new_one_is(tmp_path, token):
    path = tmp_path / "j.db"
    old = grown(path, 1500, 1500)
    with pytest.raises(SigningError, match=r"its key is not that of .*j\.pub; .* move the journal away with its"):
        TokenSigner(key_path(path), parse(token.uri())).prepare()
    store = Store(path)
    store.write([seen(n) for n in range(store.last + 1, store.last + 900)], 0)
    store.close()
    kept = tmp_path / "old"
    kept.mkdir()
    for file in (old.path, old.public_path):
        shutil.move(file, kept)
    for _ in range(2):  # a restart changes nothing
        table = Table(path, token)
        table.signing.start()
        await until(lambda table=table: table.signing.trouble or table.signing._signed)
        assert "another key has signed it, and a journal has one key" in table.signing.trouble
        assert table.set_aside == []
        await table.end()
        assert not old.public_path.exists()
    for file in tmp_path.glob("j.*"):
        shutil.move(file, kept)
    table = Table(path, token)
    table.signing.start()
    await until(lambda: table.signing.trouble or table.signing._signed)
    assert table.signing.trouble is None
    await table.end()
    assert verify(path, table.signing.signer.public).fault is None
    assert verify(kept / "j.db", Signer(kept / "j.key").public).fault is None


async def test_a_forged_end_is_set_aside_even_if_the_public_half_is_removed(tmp_path, token):
    path = tmp_path / "j.db"
    signer = grown(path, 1000, signer=TokenSigner(key_path(path), parse(token.uri())))
    forged(path, 1000, 2500)
    signer.public_path.unlink()
    table = Table(path, token)
    assert "are unsigned" in table.set_aside[0]
    table.signing.start()
    await until(lambda: table.signing._signed)
    await table.end()


async def test_what_is_old_waits_for_a_token_that_is_away(tmp_path, token, monkeypatch, caplog):
    for name, value in (("LOOK_EVERY", 0.02), ("FIRST", 0.0), ("EVERY", 0.1)):
        monkeypatch.setattr(retention, name, value)
    monkeypatch.setattr(writing, "REMOVE_EVERY", 0.0)
    caplog.set_level("DEBUG", "pitwatch.journal")
    path = tmp_path / "j.db"
    filled(path)
    token.unplug()
    table = Table(path, token)
    table.signing.start()
    removing = retention.Retention(table.journal, table.signing, SimClock(), TABLE, 14, Held(table.journal, SimClock()))
    removing.start()
    await until(lambda: "nothing is removed" in caplog.text)
    assert begins(path) == 1
    token.plug()
    await until(lambda: begins(path) == OLD + 1)
    await removing.stop()
    await table.end()
    cut = verify(path, table.signing.signer.public).cut
    assert cut is not None
    assert is_genuine(cut)


def test_the_daemon_signs_with_the_token_and_makes_no_key(tmp_path, token):
    file = toml(tmp_path, token.uri(), '[mqtt]\nurl = "mqtt://127.0.0.1:9"\n')
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "run", str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as daemon:
        try:
            deadline = time.monotonic() + 60
            while not (tmp_path / "j.pub").exists() and daemon.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
        finally:
            daemon.terminate()
    assert daemon.returncode == 0
    assert not (tmp_path / "j.key").exists()
    key = TokenSigner(tmp_path / "other.key", parse(token.uri())).prepare()
    found = verify(tmp_path / "j.db", key)
    assert found.fault is None
    assert found.signed > 0
    assert found.key == key


def pitwatch(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pitwatch.daemon.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))


def toml(folder, uri: str, more: str = ""):
    file = folder / "RL-07.toml"
    file.write_text(
        '[table]\nsite = "toledo"\nid = "RL-07"\ngame = "toledo-2020/roulette"\n\n'
        f'{more}[journal]\npath = "j.db"\nkey = "{uri}"\n\n'
        '[[device]]\nid = "wheel"\ntype = "wheel"\nprotocol = "slingshot2"\nlink = "tcp:127.0.0.1:9"\n'
    )
    return file


def test_doctor_signs_on_trial_and_reports_why_it_cannot(tmp_path, token):
    file = toml(tmp_path, token.uri())

    def found() -> dict:
        told = [
            json.loads(line) for line in pitwatch("doctor", str(file), "--json", "--listen", "1").stdout.splitlines()
        ]
        return next(each for each in told if each["what"].startswith("signing key in token "))

    well = found()
    assert well["well"]
    assert well["seen"] == f"signs, key {TokenSigner(tmp_path / 'other.key', parse(token.uri())).prepare()}"
    assert not (tmp_path / "j.pub").exists()
    token.unplug()
    assert "no such token is plugged in" in found()["seen"]
    token.plug()
    token.pin_file.chmod(0o644)
    assert "others may read the token's PIN; chmod 600" in found()["seen"]


def test_an_export_is_signed_by_the_token_that_the_configuration_names(tmp_path, token):
    path = tmp_path / "j.db"
    grown(path, 50, signer=TokenSigner(key_path(path), parse(token.uri())))
    out = tmp_path / "export.jsonl"
    refused = pitwatch("journal", "export", str(path), "--out", str(out))
    assert refused.returncode != 0
    assert "name TABLE.toml instead of the journal" in refused.stderr
    done = pitwatch("journal", "export", str(toml(tmp_path, token.uri())), "--out", str(out))
    assert done.returncode == 0, done.stderr
    check = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", f"{out}.pub", "-rawin", "-in", str(out)]
    assert subprocess.run([*check, "-sigfile", f"{out}.sig"], capture_output=True).returncode == 0


def test_a_wrong_uri_is_one_line_that_names_file_and_key(tmp_path):
    done = pitwatch("check", str(toml(tmp_path, "pkcs11:token=board;object=pitwatch")))
    assert done.returncode == 2
    assert "RL-07.toml: journal.key: names no module, the token's PKCS#11 library" in done.stdout + done.stderr
