"""What everybody may change of their own account: password, one-time codes, sessions."""

from __future__ import annotations

import asyncio
import time

from starlette.responses import Response

from pitwatch.floor.web import passwords, totp
from pitwatch.floor.web.rendering import page
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.visit import Page, Visit, go

HOUSE = "Pitwatch"


async def account(visit: Visit) -> Response:
    return _account(visit)


async def change_password(visit: Visit) -> Response:
    assert visit.session is not None
    own, form = visit.session.account, await visit.form()
    new = (form.get("password") or [""])[0][: passwords.LONGEST + 1]
    if why := await _is_not_own(visit):
        return _account(visit, why)
    if why := passwords.weak(new, own.name) or ("" if new == (form.get("again") or [""])[0] else "The two differ."):
        return _account(visit, why)
    kept = await asyncio.to_thread(passwords.hashed, new)
    with visit.parts.books.together():
        visit.note("change password", own.name)
        visit.parts.accounts.set_password(own.name, kept)
        visit.parts.sessions.end_all(own.name, but=visit.session.key)
    return go("/account")


async def set_codes(visit: Visit) -> Response:
    """Begin to use one-time codes, once the app has shown that it has the secret; or stop."""
    assert visit.session is not None
    own, form = visit.session.account, await visit.form()
    if why := await _is_not_own(visit):
        return _account(visit, why)
    secret = "" if form.text("act") == "stop" else form.text("secret", 64)
    if secret:
        try:
            counter = totp.counter_of(secret, form.text("code"), time.time())
        except ValueError:
            counter = None
        if counter is None or len(secret) != 32:
            return _account(
                visit, "The code is wrong. Nothing was changed; enter the new secret into the app and repeat."
            )
    with visit.parts.books.together():
        visit.note("use one-time codes" if secret else "stop one-time codes", own.name)
        visit.parts.accounts.set_totp(own.name, secret)
    return go("/account")


async def end_sessions(visit: Visit) -> Response:
    assert visit.session is not None
    visit.note("end other sessions", visit.who)
    visit.parts.sessions.end_all(visit.who, but=visit.session.key)
    return go("/account")


async def _is_not_own(visit: Visit) -> str:
    """Why what only the account's owner may do is refused: a page left open must not be enough."""
    assert visit.session is not None
    own = visit.session.account
    if not own.password:
        return ""
    if not visit.parts.tries.take(visit.address, time.monotonic()):
        return "Too many tries from this machine; wait a minute."
    given = ((await visit.form()).get("current") or [""])[0][:1_000]
    if own.locked_until > time.time() or not await asyncio.to_thread(passwords.matches, own.password, given):
        visit.parts.accounts.failed(own.name, time.time())
        return "The present password is wrong. Nothing was changed."
    return ""


def _account(visit: Visit, why: str = "") -> Response:
    secret = totp.new_secret()
    link = totp.address(secret, visit.who, HOUSE)
    return page(visit, "account.html", 422 if why else 200, why=why, secret=secret, link=link)


PAGES = (
    Page("GET", "/account", Right.SELF, account),
    Page("POST", "/account/password", Right.SELF, change_password),
    Page("POST", "/account/codes", Right.SELF, set_codes),
    Page("POST", "/account/sessions", Right.SELF, end_sessions),
)
