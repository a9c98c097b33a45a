"""Every route of the web server with every role: what is not listed here is refused, and a route that is not fails."""

from __future__ import annotations

import re

import pytest

from pitwatch.floor.web.app import every_page
from pitwatch.floor.web.rendering import PLACES
from pitwatch.floor.web.rights import ROLES, Right
from tests.floor.web.house import House

ANYBODY, SIGNED_IN = "anybody", "signed in"
LOOKERS = ("viewer", "surveillance", "manager", "technician", "administrator")
CASES = ("viewer", "surveillance", "manager")
ACTORS = ("surveillance", "manager")

ALLOWED: dict[tuple[str, str], str | tuple[str, ...]] = {
    ("GET", "/"): LOOKERS,
    ("GET", "/live/floor"): LOOKERS,
    ("GET", "/table/{site}/{table}"): LOOKERS,
    ("GET", "/live/table"): LOOKERS,
    ("POST", "/table/{site}/{table}/ask"): ACTORS,
    ("POST", "/table/{site}/{table}/acknowledge"): ACTORS,
    ("GET", "/irregularity/{site}/{table}/{sequence:int}"): CASES,
    ("GET", "/live/irregularity"): CASES,
    ("POST", "/irregularity/{site}/{table}/{sequence:int}/acknowledge"): ACTORS,
    ("POST", "/irregularity/{site}/{table}/{sequence:int}/act"): ACTORS,
    ("POST", "/irregularity/{site}/{table}/{sequence:int}/verify"): ACTORS,
    ("POST", "/irregularity/{site}/{table}/{sequence:int}/package"): ACTORS,
    ("GET", "/cases"): CASES,
    ("GET", "/cases/{case:int}"): CASES,
    ("POST", "/cases/{case:int}"): ACTORS,
    ("GET", "/history"): CASES,
    ("GET", "/reports"): ACTORS,
    ("GET", "/reports/{kind}"): ACTORS,
    ("GET", "/fairness"): LOOKERS,
    ("GET", "/fairness/{site}/{table}/{monitor}"): LOOKERS,
    ("GET", "/devices"): LOOKERS,
    ("GET", "/live/devices"): LOOKERS,
    ("GET", "/rules"): LOOKERS,
    ("GET", "/rules/{book}/{game}"): LOOKERS,
    ("GET", "/account"): SIGNED_IN,
    ("POST", "/account/password"): SIGNED_IN,
    ("POST", "/account/codes"): SIGNED_IN,
    ("POST", "/account/sessions"): SIGNED_IN,
    ("GET", "/people"): ("administrator",),
    ("POST", "/people"): ("administrator",),
    ("POST", "/people/{name}"): ("administrator",),
    ("GET", "/audit"): ("manager", "administrator"),
    ("GET", "/sign-in"): ANYBODY,
    ("GET", "/sign-in/provider"): ANYBODY,
    ("GET", "/sign-in/returned"): ANYBODY,
    ("POST", "/sign-in"): ANYBODY,
    ("POST", "/sign-in/certificate"): ANYBODY,
    ("GET", "/live/state"): SIGNED_IN,
    ("GET", "/signed-in"): SIGNED_IN,
    ("POST", "/sign-out"): SIGNED_IN,
    ("GET", "/join/{secret}"): ANYBODY,
    ("POST", "/join/{secret}"): ANYBODY,
    ("GET", "/static/{mark}/{name}"): ANYBODY,
}  # fmt: skip

NOT_RIGHT = "Your account has no right for this page"
EVERY = [(page.method, page.path) for page in every_page()]


def test_each_route_is_listed_here_and_no_other() -> None:
    assert sorted(EVERY) == sorted(ALLOWED)


def test_each_page_says_which_right_it_needs() -> None:
    assert all(isinstance(page.right, Right) for page in every_page())


def test_the_head_of_a_page_leads_to_pages_that_the_right_opens() -> None:
    rights = {page.path: page.right for page in every_page() if page.method == "GET"}
    assert all(rights[path] is right for path, _, right in PLACES)


def test_a_form_changes_something_and_is_no_page_for_anybody_but_to_sign_in() -> None:
    anybody = {path for (method, path), who in ALLOWED.items() if who == ANYBODY and method == "POST"}
    assert anybody == {"/sign-in", "/sign-in/certificate", "/join/{secret}"}


def filled(path: str) -> str:
    return re.sub(r"\{(\w+)(:int)?\}", lambda found: "7" if found[2] else "nobody", path)


@pytest.mark.parametrize("role", ["", *ROLES])
async def test_a_role_reaches_what_it_may_and_nothing_else(house: House, role: str) -> None:
    wrong = []
    for method, path in EVERY:
        if role:
            house.account("somebody", role)
        browser = house.browser("somebody" if role else "")
        who = ALLOWED[method, path]
        may = who == ANYBODY or (bool(role) and (who == SIGNED_IN or role in who))
        if path.startswith("/live/") and may:
            continue  # these do not end; test_live opens them
        if method == "GET":
            answer = await browser.get(filled(path))
        else:
            answer = await browser.post(filled(path), on="/account" if role else "/sign-in")
        refused = answer.status_code == 401 or answer.headers.get("location", "").startswith("/sign-in?next=")
        refused = refused or (path == "/" and not role and answer.headers.get("location") == "/sign-in")
        refused = refused or NOT_RIGHT in answer.text
        if refused is may or answer.status_code == 500:
            wrong.append((method, path, answer.status_code))
    assert wrong == []


async def test_rights_that_are_taken_away_are_gone_with_the_next_request(house: House) -> None:
    house.account("ann", "administrator")
    browser = house.browser("ann")
    assert (await browser.get("/people")).status_code == 200
    house.parts.accounts.set_roles("ann", ["viewer"])
    assert (await browser.get("/people")).status_code == 403
    house.parts.accounts.set_closed("ann", True)
    assert (await browser.get("/")).headers["location"] == "/sign-in"


async def test_nobody_gives_rights_to_himself(house: House) -> None:
    """Whatever is sent to the pages that everybody has."""
    house.account("eve", "viewer")
    browser = house.browser("eve")
    for path in ("/account/password", "/account/codes", "/people", "/people/eve"):
        await browser.post(path, role="administrator", roles="administrator", act="roles", name="eve")
    found = house.parts.accounts.find("eve")
    assert found is not None
    assert found.roles == ("viewer",)
