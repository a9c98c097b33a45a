"""Secrets that others may read, and certificates that end soon, are told by check and doctor."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config import config
from pitwatch.daemon.doctor.secrets import loose, secret_files
from pitwatch.daemon.journal.checkpoints import key_path
from pitwatch.daemon.service.certificates import ends_soon

TABLE = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
[mqtt]
url = "mqtts://127.0.0.1:9"
username = "someone"
password_file = "password"
cert = "c.crt"
key = "c.key"
[journal]
path = "journal.db"
[[device]]
id = "wheel"
type = "wheel"
protocol = "slingshot2"
link = "serial:/dev/does-not-exist"
[[device]]
id = "keys"
type = "key_reader"
protocol = "osdp"
link = "osdp:serial:/dev/does-not-exist-either?key_file=SCBK"
[[device]]
id = "box"
type = "enclosure"
protocol = "lines"
link = "onvif:127.0.0.1:9/IO7?user=table&password_file=MODULE"
lines = { lid = { line = 2 } }
"""


@pytest.fixture
def table(tmp_path):
    for name in ("password", "c.key", "c.crt", "journal.key", "scbk", "module"):
        (tmp_path / name).write_text("s3cret")
        (tmp_path / name).chmod(0o600)
    path = tmp_path / "table.toml"
    path.write_text(TABLE.replace("SCBK", str(tmp_path / "scbk")).replace("MODULE", str(tmp_path / "module")))
    return path


@pytest.mark.parametrize("name", ["password", "c.key", "journal.key", "scbk", "module"])
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_check_and_doctor_complain_of_a_secret_that_others_may_read(table, capsys, name, mode):
    assert cli.main(["check", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []
    (table.parent / name).chmod(mode)
    assert loose(table.parent / name)
    assert cli.main(["check", str(table), "--json"]) == 0
    (warning,) = json.loads(capsys.readouterr().out)["warnings"]
    assert f"{table.parent / name}: others may read it; chmod 600" in warning
    cli.main(["doctor", "--listen", "0", str(table)])
    said = capsys.readouterr().out
    assert f"chmod 600 {table.parent / name}" in said
    assert "s3cret" not in said


def test_secrets_that_are_not_there_are_not_loose(table, tmp_path):
    found = dict(secret_files(config.load(table)))
    assert found["signing key"] == key_path(tmp_path / "journal.db")
    (tmp_path / "journal.key").unlink()
    assert not loose(tmp_path / "journal.key")


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
@pytest.mark.parametrize(("days", "soon"), [(10, True), (400, False)])
def test_a_certificate_that_ends_soon_is_told(tmp_path, days, soon):
    made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days)]
    files = ["-keyout", str(tmp_path / "k"), "-out", str(tmp_path / "c"), "-subj", "/CN=x"]
    subprocess.run(["openssl", *made, *files], check=True, capture_output=True)
    assert bool(ends_soon(str(tmp_path / "c"))) is soon
    (tmp_path / "c").write_text("no certificate")
    assert ends_soon(str(tmp_path / "c")) is None
