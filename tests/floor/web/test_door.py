"""Sessions, forms and headers, attacked: by another site, by a stranger, by a browser that sends what it likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwatch.floor.web.passwords import matches, weak
from pitwatch.floor.web.visit import MOST_FORM
from tests.floor.web.house import PASSWORD, House


async def test_a_session_is_a_new_one_whatever_the_browser_held(house: House) -> None:
    house.account("ann", "viewer")
    browser = house.browser()
    browser.hold("chosen-by-an-attacker")
    answer = await browser.sign_in("ann")
    assert answer.status_code == 303
    assert browser.held != "chosen-by-an-attacker"
    attacker = house.browser()
    attacker.hold("chosen-by-an-attacker")
    assert (await attacker.get("/account")).status_code == 303


async def test_signing_in_again_ends_the_session_before(house: House) -> None:
    house.account("ann", "viewer")
    browser = house.browser("ann")
    before = browser.held
    await browser.sign_in("ann")
    browser.hold(before)
    assert (await browser.get("/account")).status_code == 303


async def test_a_session_that_was_signed_out_is_worth_nothing(house: House) -> None:
    house.account("ann", "viewer")
    browser = house.browser("ann")
    kept = browser.held
    assert (await browser.post("/sign-out")).status_code == 303
    browser.hold(kept)
    assert (await browser.get("/account")).status_code == 303


@pytest.mark.parametrize("tls", [False, True])
async def test_the_cookie_can_be_read_by_no_script_and_sent_by_no_other_site(tmp_path: Path, tls: bool) -> None:
    house = House(tmp_path, **({"cert": "x", "key": "x"} if tls else {}))
    house.account("ann", "viewer")
    answer = await house.browser().sign_in("ann")
    session = next(each for each in answer.headers.get_list("set-cookie") if each.startswith(house_cookie(tls)))
    flags = {part.strip().lower() for part in session.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= flags
    assert ("secure" in flags) is tls
    assert not any(flag.startswith("domain") for flag in flags)
    assert ("strict-transport-security" in answer.headers) is tls


def house_cookie(tls: bool) -> str:
    return "__Host-pitwatch=" if tls else "pitwatch="


async def test_the_file_of_accounts_holds_no_secret_of_a_session_or_a_link(house: House) -> None:
    house.account("ann", "viewer")
    browser = house.browser("ann")
    link = house.parts.accounts.invite("bob", ["viewer"])
    house.parts.books.ask("PRAGMA wal_checkpoint(TRUNCATE)")
    content = house.parts.books.path.read_bytes()
    assert browser.held.encode() not in content
    assert link.encode() not in content
    assert PASSWORD.encode() not in content
    assert house.parts.books.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8470.evil.example"},
        {"content-type": "text/plain"},
    ],
)
async def test_a_form_of_another_site_changes_nothing(house: House, headers: dict[str, str]) -> None:
    house.account("ann", "administrator")
    answer = await house.browser("ann").post("/people", on="/people", headers=headers, name="bob", role="administrator")
    assert answer.status_code == 403
    assert "Nothing was changed" in answer.text
    assert house.parts.audit.newest(10) == []


@pytest.mark.parametrize("csrf", [None, "", "wrong", "é"])
async def test_a_form_without_its_secret_changes_nothing(house: House, csrf: str | None) -> None:
    house.account("ann", "administrator")
    browser = house.browser("ann")
    assert (await browser.post("/people", csrf=csrf, name="bob", role="viewer")).status_code == 403
    assert (await browser.post("/sign-out", csrf=csrf)).status_code == 403
    assert (await browser.get("/people")).status_code == 200


async def test_the_secret_of_one_session_is_none_for_another(house: House) -> None:
    house.account("ann", "administrator")
    house.account("eve", "viewer")
    eves = await house.browser("eve").csrf()
    answer = await house.browser("ann").client.post(
        "/people", data={"csrf": eves, "name": "eve", "role": "administrator"}
    )
    assert answer.status_code == 403


async def test_nobody_can_be_signed_in_by_another_site(house: House) -> None:
    """Which would have a person work under an attacker's account."""
    house.account("eve", "viewer")
    attackers = house.browser()
    csrf = await attackers.csrf("/sign-in")
    victim = house.browser()
    answer = await victim.client.post("/sign-in", data={"csrf": csrf, "name": "eve", "password": PASSWORD})
    assert answer.status_code == 403
    assert victim.held == ""


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/ü", "/a\r\nX: 1", "\\\\x"],
)
async def test_nobody_is_led_elsewhere(house: House, target: str) -> None:
    house.account("ann", "viewer")
    answer = await house.browser().sign_in("ann", next=target)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    assert "x" not in answer.headers


async def test_after_signing_in_the_page_that_was_asked_for_is_shown(house: House) -> None:
    house.account("ann", "viewer")
    browser = house.browser()
    assert (await browser.get("/audit?before=7")).headers["location"] == "/sign-in?next=/audit%3Fbefore%3D7"
    assert (await browser.sign_in("ann", next="/audit?before=7")).headers["location"] == "/audit?before=7"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "eye.example.", "evil.example:8470"])
async def test_another_host_name_is_refused(tmp_path: Path, host: str) -> None:
    house = House(tmp_path, hosts=["eye.example"])
    answer = await house.browser().get("/sign-in", headers={"host": host})
    assert answer.status_code == 400
    for name in ("eye.example", "EYE.example:443", "localhost:8470", "[::1]:8470"):
        assert (await house.browser().get("/sign-in", headers={"host": name})).status_code == 200


async def test_every_answer_has_the_headers(house: House) -> None:
    house.account("ann", "viewer")
    static = "/static/0/style.css"
    for path in ("/", "/sign-in", "/nowhere", "/account", static, "/join/x"):
        answer = await house.browser("ann").get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"


async def test_pages_have_no_inline_script_and_no_inline_style(house: House) -> None:
    house.account("ann", *("administrator", "surveillance"))
    for path in ("/", "/account", "/people", "/audit", "/sign-in"):
        text = (await house.browser("ann").get(path)).text
        assert "style=" not in text
        assert "<style" not in text
        assert text.count("<script") == text.count("<script src=") == 1
        assert " on" not in "".join(part.partition(">")[0] for part in text.split("<")[1:] if "=" in part).replace(
            " one", ""
        )


async def test_the_first_page_is_small(house: House) -> None:
    house.account("ann", "surveillance")
    browser = house.browser("ann")
    text = (await browser.get("/")).text
    size = len(text)
    for path in {part.partition('"')[0] for part in text.split('"/static/')[1:]}:
        answer = await browser.get(f"/static/{path}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        size += len(answer.content)
    assert size < 200_000


@pytest.mark.parametrize(
    "name", ["../config.py", "..%2f..%2fapp.py", "%2e%2e/books.py", "style.css/../../app.py", "live.js%00"]
)
async def test_no_other_file_is_served(house: House, name: str) -> None:
    assert (await house.browser().get(f"/static/0/{name}")).status_code in (404, 303)


async def test_a_form_that_is_too_large_is_refused(house: House) -> None:
    house.account("ann", "viewer")
    browser = house.browser("ann")
    assert (await browser.post("/sign-out", note="x" * MOST_FORM)).status_code == 413
    many = "&".join(f"a{number}=1" for number in range(1_000))
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert (await browser.client.post("/sign-out", content=many, headers=form)).status_code == 413
    assert (await browser.get("/account")).status_code == 200


async def test_an_account_is_locked_after_wrong_passwords_and_says_nothing_else(house: House) -> None:
    house.account("ann", "viewer")
    unknown = await house.browser(address="192.0.2.9").sign_in("nobody-here", "x")
    browsers = [house.browser(address=f"192.0.2.{number}") for number in range(6)]
    answers = [await browser.sign_in("ann", "wrong password") for browser in browsers]
    right = await house.browser(address="192.0.2.99").sign_in("ann")
    assert [answer.status_code for answer in (*answers, right, unknown)] == [403] * 8
    told = {answer.text.partition('role="alert">')[2].partition("<")[0] for answer in (*answers, right, unknown)}
    assert len(told) == 1
    acts = [entry.act for entry in house.parts.audit.newest(20)]
    assert acts.count("lock") == 1
    assert acts.count("fail to sign in") == 4
    house.parts.books.change("UPDATE accounts SET locked_until = 1")
    assert (await house.browser(address="192.0.2.99").sign_in("ann")).status_code == 303
    found = house.parts.accounts.find("ann")
    assert found is not None
    assert found.locked_until == 0


async def test_one_address_cannot_try_for_ever(house: House) -> None:
    browser = house.browser(address="192.0.2.7")
    answers = [(await browser.sign_in("nobody", "x")).status_code for _ in range(14)]
    assert answers[0] == 403
    assert answers[-1] == 429
    house.account("ann", "viewer")
    assert (await house.browser(address="192.0.2.8").sign_in("ann")).status_code == 303


async def test_one_address_cannot_ask_for_ever(house: House) -> None:
    browser = house.browser(address="192.0.2.7")
    answers = [(await browser.get("/nowhere")).status_code for _ in range(300)]
    assert answers[0] != 429
    assert 429 in answers
    assert (await house.browser(address="192.0.2.8").get("/sign-in")).status_code == 200


def test_weak_passwords_are_refused() -> None:
    for password in ("short", "aaaaaaaaaaaaaaaa", "ann-bergmann-1", "passwordpassword", "casinoPitwatch1", "x" * 129):
        assert weak(password, "bergmann"), password
    assert weak(PASSWORD, "bergmann") == ""
    assert not matches("", "")
    assert not matches("no hash", "x")
