"""TLS, client certificates, and that nothing is open to a network without TLS and accounts."""

from __future__ import annotations

import shutil
import ssl
from pathlib import Path

import httpx
import pytest

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.config import load
from pitwatch.floor.web.config import is_loopback
from tests.floor.web.certificates import Authority
from tests.floor.web.house import House
from tests.floor.web.test_live import LIMIT, served

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


class Place:
    """A house with TLS, whose people sign in by certificate."""

    def __init__(self, folder: Path):
        self.ours, self.strangers = Authority(folder / "ours"), Authority(folder / "strangers")
        cert, key = self.ours.issue("web", "web", "IP:127.0.0.1")
        self.house = House(folder, cert=cert, key=key, client_ca=str(self.ours.certificate))
        self.house.account("ann", "viewer")

    def client(self, base: str, certificate: tuple[str, str] | None = None) -> httpx.AsyncClient:
        context = ssl.create_default_context(cafile=str(self.ours.certificate))
        if certificate is not None:
            context.load_cert_chain(*certificate)
        return httpx.AsyncClient(verify=context, base_url=base.replace("http:", "https:"), timeout=LIMIT)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def signed_in_by_certificate(client: httpx.AsyncClient) -> httpx.Response:
    text = (await client.get("/sign-in")).text
    csrf = text.partition('name="csrf" value="')[2].partition('"')[0]
    return await client.post("/sign-in/certificate", data={"csrf": csrf, "next": "/account"})


async def test_a_certificate_of_the_house_signs_in_the_account_of_its_name(place: Place) -> None:
    async with served(place.house) as base, place.client(base, place.ours.issue("ann", "ann")) as client:
        assert "Sign in as ann by certificate" in (await client.get("/sign-in")).text
        answer = await signed_in_by_certificate(client)
        assert answer.headers["location"] == "/account"
        assert "__Host-pitwatch=" in answer.headers["set-cookie"]
        assert "Signed in by certificate" in (await client.get("/account")).text
    assert '"how":"certificate"' in place.house.parts.audit.newest(1)[0].detail


async def test_no_certificate_and_one_without_an_account_sign_nobody_in(place: Place) -> None:
    place.house.account("closed", "administrator")
    place.house.parts.accounts.set_closed("closed", True)
    async with served(place.house) as base:
        for certificate in (None, place.ours.issue("eve", "eve"), place.ours.issue("closed", "closed")):
            async with place.client(base, certificate) as client:
                assert (await signed_in_by_certificate(client)).status_code == 403
                assert (await client.get("/account")).status_code == 303


async def test_a_certificate_of_a_stranger_with_the_right_name_is_refused(place: Place) -> None:
    async with served(place.house) as base, place.client(base, place.strangers.issue("ann", "ann")) as client:
        with pytest.raises(httpx.TransportError):
            await client.get("/sign-in")


async def test_nobody_can_put_a_name_into_the_headers(place: Place) -> None:
    headers = {"x-ssl-client-s-dn": "CN=ann", "x-client-cert": "ann", "ssl-client-cn": "ann", "x-forwarded-user": "ann"}
    async with served(place.house) as base, place.client(base) as client:
        client.headers.update(headers)
        assert (await signed_in_by_certificate(client)).status_code == 403


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
async def test_old_tls_is_refused(place: Place) -> None:
    async with served(place.house) as base, place.client(base) as client:
        assert (await client.get("/sign-in")).status_code == 200
        context = ssl.create_default_context(cafile=str(place.ours.certificate))
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        async with httpx.AsyncClient(verify=context, timeout=LIMIT) as old:
            with pytest.raises(httpx.TransportError):
                await old.get(base.replace("http:", "https:") + "/sign-in")


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ('listen = "0.0.0.0:8470"', "open to the network"),
        ('listen = "192.0.2.1:8470"', "open to the network"),
        ('listen = "eye.example:8470"', "open to the network"),
        ('listen = "127.0.0.1"', "is no address"),
        ('listen = "127.0.0.1:99999"', "is no address"),
        ('cert = "web.crt"', "belong together"),
        ('client_ca = "ca.crt"', "needs cert and key"),
        ('hosts = ["a/b"]', "is no host name"),
        ('lisen = "127.0.0.1:1"', 'did you mean "listen"'),
    ],
)
def test_a_mistake_in_web_is_one_line_with_its_key(tmp_path: Path, lines: str, what: str) -> None:
    file = tmp_path / "FLOOR.toml"
    file.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1:1"\n[web]\n{lines}\n')
    with pytest.raises(ConfigError, match=what) as error:
        load(file)
    assert "web" in str(error.value)
    assert "\n" not in str(error.value)


def test_loopback_is_this_machine_alone() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "", "localhost.example", "192.0.2.1", "::ffff:192.0.2.1")))
