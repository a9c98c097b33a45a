"""Signing in by OpenID Connect: a conforming provider over HTTP, and answers that no conforming provider gives us."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.floor.config import load
from pitwatch.floor.web.config import ProviderSection, WebSection
from pitwatch.floor.web.server import listening, serve
from tests.floor.web.house import Browser, House
from tests.floor.web.openid import CLIENT, SECRET, OpenId, by_hand


class Place:
    def __init__(self, house: House, provider: OpenId):
        self.house, self.provider = house, provider

    async def sent(self, browser: Browser, back: str = "/account") -> dict[str, str]:
        """What the browser is sent to the provider with."""
        answer = await browser.get(f"/sign-in/provider?next={back}")
        assert answer.status_code == 303
        to = urlsplit(answer.headers["location"])
        assert f"{to.scheme}://{to.netloc}{to.path}" == f"{self.provider.issuer}/authorize"
        return {name: values[0] for name, values in parse_qs(to.query).items()}

    async def come_back(self, browser: Browser, asked: dict[str, str], code: str) -> Any:
        return await browser.client.get("/sign-in/returned", params={"state": asked["state"], "code": code})


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    provider = OpenId()
    listener = listening("127.0.0.1", 0)
    provider.issuer = f"http://127.0.0.1:{listener.getsockname()[1]}"
    serving = asyncio.create_task(serve(provider.app, WebSection(), listener))
    (tmp_path / "secret").write_text(SECRET + "\n")
    section = ProviderSection(
        issuer=provider.issuer, client_id=CLIENT, secret_file=str(tmp_path / "secret"), name="Casino login"
    )
    house = House(tmp_path, provider=section)
    house.account("ann", "viewer")
    yield Place(house, provider)
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


async def test_the_provider_says_who_and_the_account_says_what(place: Place) -> None:
    browser = place.house.browser()
    assert "Sign in by Casino login" in (await browser.get("/sign-in")).text
    asked = await place.sent(browser)
    assert (asked["code_challenge_method"], asked["response_type"]) == ("S256", "code")
    code = place.provider.issue(asked, preferred_username="ann", roles=["administrator"])
    answer = await place.come_back(browser, asked, code)
    assert answer.status_code == 200
    assert 'content="0;url=/account"' in answer.text
    assert "Signed in by provider" in (await browser.get("/account")).text
    assert (await browser.get("/people")).status_code == 403
    assert '"how":"provider"' in place.house.parts.audit.newest(1)[0].detail


@pytest.mark.parametrize("name", ["nobody", "closed", "", None, 7, ["ann"], "ANN", "ann\n"])
async def test_a_name_without_an_open_account_signs_nobody_in(place: Place, name: Any) -> None:
    place.house.account("closed", "viewer")
    place.house.parts.accounts.set_closed("closed", True)
    browser = place.house.browser()
    asked = await place.sent(browser)
    code = place.provider.issue(asked, preferred_username=name)
    assert (await place.come_back(browser, asked, code)).status_code == 403
    assert browser.held == ""


@pytest.mark.parametrize(
    "twist",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["pitwatch", "another"]},
        {"azp": "another"},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": int(time.time()) - 3_600},
        {"exp": None},
        {"iat": int(time.time()) + 7_200},
    ],
)
async def test_an_answer_that_is_not_for_this_visit_is_refused(place: Place, twist: dict[str, Any]) -> None:
    place.provider.twist = twist
    browser = place.house.browser()
    asked = await place.sent(browser)
    code = place.provider.issue(asked, preferred_username="ann")
    assert (await place.come_back(browser, asked, code)).status_code == 403
    assert browser.held == ""


async def test_another_key_and_a_weaker_signature_are_refused(place: Place) -> None:
    other = ECKey.generate_key("P-256")
    public = place.provider.key.as_pem(private=False)
    for sign in (
        lambda claims: jwt.encode({"alg": "ES256", "kid": "1"}, claims, other),
        lambda claims: by_hand(claims, "HS256", public),
        lambda claims: by_hand(claims, "HS256", SECRET.encode()),
        lambda claims: by_hand(claims, "none", b""),
        lambda claims: "no.token.atall",
    ):
        place.provider.sign = sign
        browser = place.house.browser()
        asked = await place.sent(browser)
        code = place.provider.issue(asked, preferred_username="ann")
        assert (await place.come_back(browser, asked, code)).status_code == 403
        assert browser.held == ""


async def test_what_was_begun_in_another_browser_or_twice_is_refused(place: Place) -> None:
    """So nobody can be signed in under an attacker's account, and no code is used twice."""
    attacker, victim = place.house.browser(), place.house.browser()
    asked = await place.sent(attacker)
    code = place.provider.issue(asked, preferred_username="ann")
    assert (await place.come_back(victim, asked, code)).status_code == 403
    assert victim.held == ""
    browser = place.house.browser()
    asked = await place.sent(browser)
    assert (
        await place.come_back(browser, asked, place.provider.issue(asked, preferred_username="ann"))
    ).status_code == 200
    browser = place.house.browser()
    assert (await place.come_back(browser, asked, "code-1")).status_code == 403
    assert (await browser.get("/sign-in/returned")).status_code == 403
    assert (await browser.get("/sign-in/returned?error=access_denied&state=x")).status_code == 403


async def test_a_provider_that_is_away_is_said_and_passwords_still_work(place: Place) -> None:
    provider = place.house.parts.provider
    assert provider is not None
    provider._section = ProviderSection(issuer="http://127.0.0.1:1", client_id=CLIENT, secret_file="x")
    answer = await place.house.browser().get("/sign-in/provider")
    assert answer.status_code == 503
    assert "cannot be asked" in answer.text
    assert (await place.house.browser().sign_in("ann")).status_code == 303


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ('issuer = "http://id.example"\nclient_id = "p"\nsecret_file = "s"', "is no address"),
        ('issuer = "https://id.example"\nclient_id = "p"', "secret_file: missing"),
        ('issuer = "https://id.example"\nclientid = "p"', "did you mean"),
    ],
)
def test_a_mistake_in_the_provider_is_one_line(tmp_path: Path, lines: str, what: str) -> None:
    file = tmp_path / "FLOOR.toml"
    file.write_text(f'[mqtt]\nurl = "mqtt://127.0.0.1:1"\n[web.provider]\n{lines}\n')
    with pytest.raises(ConfigError, match=what):
        load(file)
