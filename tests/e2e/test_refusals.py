"""Who is not let in is told why, in words: by doctor, by a table's daemon and by every subscriber, and nothing raw."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import aiomqtt
import pytest

from pitwatch.daemon.config.broker_url import BrokerAddress
from pitwatch.daemon.config.mqtt_config import MqttSection
from pitwatch.daemon.doctor import broker as doctor_broker
from pitwatch.daemon.doctor.finding import Finding
from pitwatch.daemon.publishing import broker_client, telling_client
from pitwatch.daemon.publishing.envelope import Envelope
from pitwatch.floor import feed as feed_module
from pitwatch.floor.feed import Feed
from tests.e2e.mosquitto import Mosquitto

pytest.importorskip("cryptography")
from tests.e2e.test_access import Floor

pytestmark = pytest.mark.skipif(not Mosquitto.installed(), reason="mosquitto is not installed")

ENVELOPE = Envelope("toledo", "RL-07", "pitwatch/1/toledo/RL-07", "doctor", False)

OTHER = "the broker does not accept this certificate: it is of another house"
NOT_ACCEPTED = "the broker's certificate is not accepted here"
CASES = {
    "no certificate": "the broker wants a client certificate: cert and key",
    "of another house": OTHER,
    "no encryption": "the broker speaks TLS here: mqtts://",
    "another's authority": f"{NOT_ACCEPTED}: self-signed certificate in certificate chain",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = Floor(tmp_path_factory.mktemp("refusals"))
    yield house
    house.close()


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another house's folder; its broker is not needed."""
    other = Floor(tmp_path_factory.mktemp("other"))
    other.close()
    return other


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(broker_client, "ANSWERED_WITHIN", 1.2)


def files(folder: Path) -> dict[str, str]:
    return {name: str(folder / f"{file}") for name, file in (("cert", "client.crt"), ("key", "client.key"))}


async def tried(mqtt: MqttSection, url: str, address: BrokerAddress) -> Finding:
    """What doctor finds first."""
    return (await doctor_broker.broker(mqtt, url, address, "pitwatch-toledo-RL-07", ENVELOPE))[0]


def settings(house: Floor, other: Floor, how: str) -> MqttSection:
    own, foreign = (each.house / "surveillance" / "eye" for each in (house, other))
    shown = {
        "right": {"ca": str(own / "ca.crt"), **files(own)},
        "no certificate": {"ca": str(own / "ca.crt")},
        "of another house": {"ca": str(own / "ca.crt"), **files(foreign)},
        "no encryption": {},
        "another's authority": {"ca": str(foreign / "ca.crt"), **files(own)},
    }[how]
    return MqttSection(url=f"{'mqtts' if shown else 'mqtt'}://127.0.0.1:{house.port}", **shown)


@pytest.mark.parametrize(("how", "told"), CASES.items())
async def test_a_subscriber_says_why_once_and_nothing_raw(house, other, how, told, caplog, capfd, monkeypatch):
    mqtt = settings(house, other, how)
    feed = Feed(mqtt.addresses, mqtt, mqtt.prefix, lambda message: None)
    attempts, attempt = 0, feed_module.client

    async def counted(*arguments, **more):
        nonlocal attempts
        attempts += 1
        return await attempt(*arguments, **more)

    monkeypatch.setattr(feed_module, "client", counted)
    running = asyncio.create_task(feed.run())
    async with asyncio.timeout(30):
        while attempts < 3:  # noqa: ASYNC110 - an attempt has no event; two are over as the third begins
            await asyncio.sleep(0.02)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert feed.trouble == f"broker 127.0.0.1:{house.port}: {told}"
    assert [(record.name, record.getMessage()) for record in caplog.records if "mqtt" in record.name] == []
    assert [record.getMessage() for record in caplog.records if record.name == "pitwatch.feed"] == [
        f"{feed.trouble}; trying again"
    ]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("how", "told"), CASES.items())
async def test_doctor_says_the_same(house, other, how, told):
    mqtt = settings(house, other, how)
    finding = await tried(mqtt, str(mqtt.url), mqtt.addresses[0])
    assert (finding.well, finding.seen) == (False, told)


async def test_a_refusal_that_was_lost_with_the_connection_is_asked_for_again(house, other, monkeypatch):
    """A broker that closes with something unread resets the connection, and its alert may go with that."""
    monkeypatch.setattr(telling_client._Ear, "emit", lambda ear, record: None)
    mqtt = settings(house, other, "of another house")
    finding = await tried(mqtt, str(mqtt.url), mqtt.addresses[0])
    assert (finding.well, finding.seen) == (False, OTHER)


async def test_who_is_right_is_let_in(house):
    own = house.house / "tables" / "toledo" / "RL-07"
    mqtt = MqttSection(url=f"mqtts://127.0.0.1:{house.port}", ca=str(own / "ca.crt"), **files(own))
    finding = await tried(mqtt, str(mqtt.url), mqtt.addresses[0])
    assert (finding.well, finding.fix) == (True, "")
    assert "passes on 65536 bytes" in finding.seen


async def test_a_broker_without_encryption(house, other, tmp_path):
    """TLS to it is told; who comes without is let in; who is refused by name is told in the broker's own words."""
    broker = Mosquitto(tmp_path)
    broker.start()
    try:
        tls = settings(house, other, "right")
        finding = await tried(tls, broker.url, MqttSection(url=broker.url.replace("mqtt:", "mqtts:")).addresses[0])
        assert finding.seen == "the broker broke the handshake off; it may speak no TLS here: mqtt://"
        plain = MqttSection(url=broker.url)
        assert (await tried(plain, broker.url, plain.addresses[0])).well
    finally:
        broker.close()
    finding = await tried(plain, broker.url, plain.addresses[0])
    assert finding.seen == "[Errno 111] Connection refused"


@pytest.mark.parametrize("version", ["3.1.1", "5"])
async def test_a_table_that_the_access_list_lacks_is_told_by_doctor(tmp_path, version):
    """As after `provision` with another table, before the broker was told to read its lists again."""
    (tmp_path / "acl").write_text("topic read #\n")
    broker = Mosquitto(tmp_path, f"allow_anonymous true\nacl_file {tmp_path}/acl")
    broker.start()
    mqtt = MqttSection(url=broker.url, version=version)
    try:
        finding = await tried(mqtt, broker.url, mqtt.addresses[0])
        assert (finding.well, finding.seen) == (False, "the broker refuses the table's messages: Not authorized")
        assert "its access list must have this name" in finding.fix
        (tmp_path / "acl").write_text("topic readwrite #\n")
        broker.reload()
        assert (await tried(mqtt, broker.url, mqtt.addresses[0])).well
    finally:
        broker.close()


async def test_a_broker_whose_certificate_ends_soon_is_told_by_doctor(house, other, monkeypatch):
    mqtt = settings(house, other, "right")
    monkeypatch.setattr(doctor_broker, "SOON_DAYS", 830)  # provision gives it 825
    finding = await tried(mqtt, str(mqtt.url), mqtt.addresses[0])
    assert not finding.well
    assert finding.seen.startswith("the broker's certificate ends ")


async def test_a_password_that_is_missing_is_the_broker_s_own_word(tmp_path):
    broker = Mosquitto(tmp_path, "allow_anonymous false")
    broker.start()
    try:
        plain = MqttSection(url=broker.url)
        with pytest.raises(aiomqtt.MqttError, match=r"[Nn]ot authori[sz]ed"):
            async with await broker_client.client(plain, plain.addresses[0], "nobody"):
                pass
    finally:
        broker.close()


async def test_a_broker_that_keeps_silent_is_not_taken_for_one_with_tls(tmp_path):
    async def silent(reader, writer):
        await reader.read()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    plain = MqttSection(url=f"mqtt://127.0.0.1:{port}")
    try:
        finding = await tried(plain, str(plain.url), plain.addresses[0])
        assert finding.seen == "Operation timed out"
    finally:
        server.close()
