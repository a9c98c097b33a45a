"""Links that work once, one-time codes, the log of changes, and that somebody is always left to change accounts."""

from __future__ import annotations

import re
import sqlite3
import time

import pytest

from pitwatch.floor.web import totp
from pitwatch.floor.web.accounts import INVITED_FOR_S
from pitwatch.floor.web.books import Books
from tests.floor.web.house import PASSWORD, House

RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""Of the test vectors of RFC 6238, appendix B."""


@pytest.mark.parametrize(
    ("at", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (20000000000, "353130")],
)
def test_codes_are_those_of_the_rfc(at: int, code: str) -> None:
    assert totp.code_at(RFC_SECRET, at // 30) == code
    assert totp.counter_of(RFC_SECRET, f"{code[:3]} {code[3:]}", at + 30) == at // 30
    assert totp.counter_of(RFC_SECRET, code, at + 90) is None
    assert totp.counter_of(RFC_SECRET, "", at) is None


async def test_a_link_makes_an_account_once(house: House) -> None:
    house.account("ann", "administrator")
    answer = await house.browser("ann").post("/people", on="/people", name="bob", role="viewer")
    found = re.search(r'value="http://127.0.0.1:8470(/join/[^"]+)"', answer.text)
    assert found is not None
    stranger = house.browser()
    assert (await stranger.post(found[1], on=found[1], password="short", again="short")).status_code == 422
    assert (await stranger.post(found[1], on=found[1], password=PASSWORD, again="x" * 12)).status_code == 422
    answer = await stranger.post(found[1], on=found[1], password=PASSWORD, again=PASSWORD)
    assert answer.headers["location"] == "/"
    assert (await stranger.get("/")).status_code == 200
    assert (await house.browser().get(found[1])).status_code == 404
    again = await house.browser().post(found[1], on="/sign-in", password=PASSWORD, again=PASSWORD)
    assert again.status_code == 404
    assert [entry.act for entry in house.parts.audit.newest(9)] == ["sign in", "use link", "make link"]


async def test_an_old_link_and_a_replaced_one_are_worth_nothing(house: House) -> None:
    first = house.parts.accounts.invite("bob", ["viewer"])
    second = house.parts.accounts.invite("bob", ["viewer"])
    assert house.parts.accounts.invited(first) is None
    assert house.parts.accounts.invited(second) is not None
    house.parts.books.change("UPDATE invites SET until = until - ?", INVITED_FOR_S + 1)
    assert house.parts.accounts.redeem(second, "hash") is None


async def test_a_link_never_gets_past_one_time_codes(house: House) -> None:
    house.account("bob", "viewer")
    house.parts.accounts.set_totp("bob", RFC_SECRET)
    path = f"/join/{house.parts.accounts.invite('bob', ['viewer'])}"
    browser = house.browser()
    await browser.post(path, on=path, password=PASSWORD, again=PASSWORD)
    assert (await browser.get("/account")).status_code == 303
    found = house.parts.accounts.find("bob")
    assert found is not None
    assert found.totp == RFC_SECRET


async def test_a_one_time_code_is_asked_for_and_works_once(house: House) -> None:
    house.account("bob", "viewer")
    browser = house.browser("bob")
    page = (await browser.get("/account")).text
    secret = re.search(r'<code class="secret">([A-Z2-7]{32})<', page)
    assert secret is not None

    def code() -> str:
        return totp.code_at(secret[1], int(time.time()) // 30)

    wrong = await browser.post("/account/codes", secret=secret[1], code="000000", current=PASSWORD)
    assert wrong.status_code == 422
    stolen = await browser.post("/account/codes", secret=secret[1], code=code(), current="not his")
    assert stolen.status_code == 422
    assert (await browser.post("/account/codes", secret=secret[1], code=code(), current=PASSWORD)).status_code == 303
    assert (await house.browser().sign_in("bob")).status_code == 403
    used = code()
    assert (await house.browser().sign_in("bob", code=used)).status_code == 303
    assert (await house.browser().sign_in("bob", code=used)).status_code == 403


async def test_another_password_ends_the_other_sessions(house: House) -> None:
    house.account("bob", "viewer")
    here, elsewhere = house.browser("bob"), house.browser("bob")
    new = "eight wooden dice tables"
    assert (await here.post("/account/password", current="wrong", password=new, again=new)).status_code == 422
    assert (await here.post("/account/password", current=PASSWORD, password=new, again=new)).status_code == 303
    assert (await here.get("/account")).status_code == 200
    assert (await elsewhere.get("/account")).status_code == 303
    assert (await house.browser().sign_in("bob", new)).status_code == 303


async def test_the_only_administrator_cannot_shut_everybody_out(house: House) -> None:
    house.account("ann", "administrator")
    browser = house.browser("ann")
    for fields in ({"act": "close"}, {"act": "roles", "role": "viewer"}):
        assert (await browser.post("/people/ann", on="/people", **fields)).status_code == 422
    house.account("bob", "administrator")
    assert (await browser.post("/people/bob", on="/people", act="close")).status_code == 303
    assert (await browser.post("/people/ann", on="/people", act="close")).status_code == 422
    assert house.parts.accounts.administrators() == ["ann"]


async def test_each_change_is_in_the_log_with_who_made_it(house: House) -> None:
    house.account("ann", "administrator")
    house.account("bob", "viewer")
    browser = house.browser("ann")
    await browser.post("/people/bob", on="/people", act="roles", role="surveillance")
    await browser.post("/people/bob", on="/people", act="close")
    closed, roles = house.parts.audit.newest(9)
    assert (roles.who, roles.act, roles.subject) == ("ann", "change roles", "bob")
    assert roles.detail == '{"before":["viewer"],"now":["surveillance"]}'
    assert (closed.who, closed.act, closed.subject, closed.address) == ("ann", "close account", "bob", "127.0.0.1")


def test_the_log_can_only_be_added_to_and_shows_who_got_round_that(house: House) -> None:
    for number in range(4):
        house.parts.audit.note("ann", "127.0.0.1", "test", str(number))
    assert house.parts.audit.first_wrong() is None
    for statement in ("UPDATE audit SET who = 'eve' WHERE number = 2", "DELETE FROM audit WHERE number = 3"):
        with pytest.raises(sqlite3.IntegrityError):
            house.parts.books.change(statement)
    house.parts.books.change("DROP TRIGGER audit_stays")
    house.parts.books.change("UPDATE audit SET who = 'eve' WHERE number = 2")
    assert house.parts.audit.first_wrong() == 2
    house.parts.books.change("UPDATE audit SET who = 'ann' WHERE number = 2")
    assert house.parts.audit.first_wrong() is None
    house.parts.books.change("DROP TRIGGER audit_is_kept")
    house.parts.books.change("DELETE FROM audit WHERE number = 3")
    assert house.parts.audit.first_wrong() == 3


def test_what_cannot_be_logged_is_not_done(house: House) -> None:
    house.account("bob", "viewer")
    with pytest.raises(ZeroDivisionError), house.parts.books.together():
        _ = (house.parts.accounts.set_roles("bob", ["administrator"]), 1 // 0)
    found = house.parts.accounts.find("bob")
    assert found is not None
    assert found.roles == ("viewer",)


def test_the_accounts_are_there_after_a_restart(house: House) -> None:
    house.account("bob", "viewer")
    house.parts.books.close()
    assert [row["name"] for row in Books(house.parts.books.path).ask("SELECT name FROM accounts")] == ["bob"]
