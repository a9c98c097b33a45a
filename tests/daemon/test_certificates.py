"""A certificate that ends soon is an alert of the table, since nobody asks doctor at a board that is left alone."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from pitwatch.daemon.config import config
from pitwatch.daemon.service import certificates
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.service.certificates import CertificateWatch
from pitwatch.hal.sim import SimClock, SimFactory
from tests.roulette import roulette

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


@pytest.fixture
def made(tmp_path):
    def make(days):
        kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days)]
        files = ["-keyout", str(tmp_path / "client.key"), "-out", str(tmp_path / "client.crt"), "-subj", "/CN=x"]
        subprocess.run(["openssl", "req", *kind, *files], check=True, capture_output=True)

    return make


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_it_is_told_once_and_again_when_it_was_renewed(tmp_path, made, monkeypatch):
    monkeypatch.setattr(certificates, "LOOK_EVERY", 0.01)
    told = []
    made(400)
    watch = CertificateWatch(["", str(tmp_path / "client.crt")], told.append)
    watch.start()
    await asyncio.sleep(0.2)
    assert told == []
    made(10)
    await until(lambda: told)
    await asyncio.sleep(0.2)
    assert [text.startswith(f"{tmp_path}/client.crt ends ") for text in told] == [True]
    made(400)
    await until(lambda: told[1:])
    assert told[1:] == [None]
    await watch.stop()


@pytest.mark.parametrize(("days", "alert"), [(10, True), (400, False)])
async def test_it_is_an_alert_of_the_table(tmp_path, made, days, alert):
    made(days)
    text = roulette("sim:", "mqtts://127.0.0.1:1", "journal.db")
    text = text.replace("[mqtt]\n", '[mqtt]\ncert = "client.crt"\nkey = "client.key"\n')
    (tmp_path / "table.toml").write_text(text)
    clock = SimClock()
    daemon = Daemon(config.load(tmp_path / "table.toml"), clock, SimFactory(clock))
    await daemon.start()
    if alert:
        await until(lambda: "alert/certificate" in daemon.journal.retained)
        said = json.loads(daemon.journal.retained["alert/certificate"].body)
        assert (said["raised"], said["condition"]) == (True, "certificate ends")
        assert said["detail"]["reason"].startswith(f"{tmp_path}/client.crt ends ")
    else:
        await asyncio.sleep(0.3)
        assert "alert/certificate" not in daemon.journal.retained
    await daemon.stop()


async def test_the_end_of_the_first_one_is_in_health(tmp_path, made):
    made(400)
    (tmp_path / "ca.crt").write_bytes((tmp_path / "client.crt").read_bytes())
    made(100)
    text = roulette("sim:", "mqtts://127.0.0.1:1", "journal.db")
    text = text.replace("[mqtt]\n", '[mqtt]\nca = "ca.crt"\ncert = "client.crt"\nkey = "client.key"\n')
    (tmp_path / "table.toml").write_text(text)
    clock = SimClock()
    daemon = Daemon(config.load(tmp_path / "table.toml"), clock, SimFactory(clock))
    await daemon.start()
    await until(lambda: daemon._health().certificate_ends)
    ends = datetime.fromisoformat(daemon._health().certificate_ends)
    assert abs(ends - datetime.now(UTC) - timedelta(days=100)) < timedelta(hours=1)
    await daemon.stop()
