"""`pitwatch web` as a process: the first start's link, what is open to whom, links from the command line, the end."""

from __future__ import annotations

import re
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from pitwatch.daemon import cli
from pitwatch.floor.config import load
from tests.e2e.mosquitto import wait_for
from tests.floor.web.certificates import Authority
from tests.floor.web.house import PASSWORD

COMMAND = [sys.executable, "-m", "pitwatch.daemon.cli", "web"]


class Process:
    def __init__(self, folder: Path, *arguments: str):
        self.log = folder / "web.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen([*COMMAND, *arguments], stdout=log, stderr=log, cwd=folder)

    def said(self, pattern: str) -> str:
        """The first group of what the log says, once it does."""
        found: list[str] = []

        def there() -> bool:
            assert self._process.poll() is None, self.log.read_text()
            found.extend(re.findall(pattern, self.log.read_text()))
            return bool(found)

        wait_for(there, seconds=60, what=f"the log does not say {pattern}")
        return found[0]

    def end(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(60)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def toml(folder: Path, lines: str = "") -> str:
    file = folder / "FLOOR.toml"
    file.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1:1"\n[web]\n{lines}\n')
    return str(file)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_until_the_first_account_is_made_only_this_machine_can_connect(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "ca")
    cert, key = authority.issue("web", "web", "IP:127.0.0.1")
    file = toml(tmp_path, f'listen = "0.0.0.0:0"\ncert = "{cert}"\nkey = "{key}"')
    process = Process(tmp_path, file)
    try:
        assert process.said(r"listening on (https://127\.0\.0\.1:\d+)")
        link = process.said(r"(https://127\.0\.0\.1:\d+/join/\S+) makes the first, once")
        context = ssl.create_default_context(cafile=str(authority.certificate))
        with httpx.Client(verify=context, timeout=60) as client:
            csrf = client.get(link).text.partition('name="csrf" value="')[2].partition('"')[0]
            form = {"csrf": csrf, "password": PASSWORD, "again": PASSWORD}
            assert client.post(link, data=form).status_code == 303
            assert client.get(link).status_code == 404
            assert client.get(link.partition("/join/")[0] + "/people").status_code == 200
        assert process.end() == 0
    finally:
        process.kill()
    again = Process(tmp_path, file)
    try:
        assert again.said(r"listening on (https://0\.0\.0\.0:\d+)")
        assert "/join/" not in again.log.read_text()
        assert again.end() == 0
    finally:
        again.kill()


def test_a_link_is_made_at_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["web", toml(tmp_path), "--link", "ann", "--role", "viewer", "--role", "live-cards"]) == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:8470/join/\S{43}\n", capsys.readouterr().out)
    wrong = ("--link ann", "--role viewer", "--link a/b --role viewer", "--link a --role x", "--listen 0.0.0.0:80",
             "--listen nowhere")  # fmt: skip
    for each in wrong:
        assert cli.main(["web", toml(tmp_path), *each.split()]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_accounts_stand_where_the_file_says_or_in_the_working_folder(tmp_path: Path) -> None:
    assert load(toml(tmp_path)).web.accounts == "pitwatch-web.db"
    assert load(toml(tmp_path, 'accounts = "a.db"')).web.accounts == str(tmp_path / "a.db")


def test_another_database_is_no_file_of_accounts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    arguments = ["web", toml(tmp_path, 'accounts = "a.db"'), "--link", "ann", "--role", "viewer"]
    assert cli.main(arguments) == 2
    assert "is another database" in capsys.readouterr().err
