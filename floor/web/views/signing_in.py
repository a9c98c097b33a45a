"""Signing in and out, and the one-time link that makes an account."""

from __future__ import annotations

import asyncio
import logging
import time
from urllib.parse import quote

from starlette.responses import Response

from pitwatch.floor.web import passwords, totp
from pitwatch.floor.web.accounts import Account
from pitwatch.floor.web.door import let_in, let_out
from pitwatch.floor.web.live import Rendered, stream_of
from pitwatch.floor.web.parts import Parts
from pitwatch.floor.web.rendering import page, refusal, state_of
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.server import CERTIFICATE
from pitwatch.floor.web.visit import Page, Visit, go, inside

WRONG = (
    "Name, password or code is wrong, or the account is locked for up to 15 minutes after several wrong tries. "
    "An administrator can make a new link for it."
)
AT_ONCE = 2
"""Passwords that are verified at a time: each takes 64 MiB."""

log = logging.getLogger("pitwatch.web")
_turn = asyncio.Semaphore(AT_ONCE)


async def sign_in_page(visit: Visit) -> Response:
    return _sign_in_page(visit, "", visit.query("next"))


async def sign_in(visit: Visit) -> Response:
    form = await visit.form()
    name, back = form.text("name", 64), inside(form.text("next"))
    if not visit.parts.tries.take(visit.address, time.monotonic()):
        return _sign_in_page(visit, "Too many tries from this machine; wait a minute.", back, 429)
    account = visit.parts.accounts.find(name)
    locked = account is not None and account.locked_until > time.time()
    async with _turn:
        right = await asyncio.to_thread(
            passwords.matches, account.password if account else "", (form.get("password") or [""])[0][:1_000]
        )
    if (
        account is None
        or account.closed
        or locked
        or not right
        or not _code_is_right(visit, account, form.text("code"))
    ):
        _note_failure(visit, account, name, locked)
        return _sign_in_page(visit, WRONG, back, 403)
    return enter(visit, account, "password", back)


async def sign_in_by_certificate(visit: Visit) -> Response:
    name = certificate_of(visit)
    account = visit.parts.accounts.find(name) if name else None
    if account is None or account.closed:
        return _sign_in_page(visit, "No account has the name of your certificate.", "/", 403)
    return enter(visit, account, "certificate", inside((await visit.form()).text("next")))


def enter(visit: Visit, account: Account, how: str, back: str) -> Response:
    """A session for an account that has proved who it is."""
    parts = visit.parts
    parts.audit.note(account.name, visit.address, "sign in", account.name, how=how)
    parts.accounts.succeeded(account.name)
    if visit.session is not None:
        parts.sessions.end(visit.session.key)
    return let_in(go(back), parts, parts.sessions.begin(account.name, how, visit.address))


async def sign_out(visit: Visit) -> Response:
    assert visit.session is not None
    visit.note("sign out")
    visit.parts.sessions.end(visit.session.key)
    return let_out(go("/sign-in"), visit.parts)


def _draw_state(parts: Parts, about: str, rights: frozenset[Right]) -> Rendered:
    return {"state": state_of(parts)}


async def signed_in(visit: Visit) -> Response:
    """For a page whose stream has ended: 401 where its session has too."""
    return Response(status_code=204)


async def join_page(visit: Visit) -> Response:
    return _join_page(visit, "")


async def join(visit: Visit) -> Response:
    if not visit.parts.tries.take(visit.address, time.monotonic()):
        return refusal(visit, 429, "Too many tries from this machine; wait a minute.")
    invite = visit.parts.accounts.invited(visit.path("secret"))
    if invite is None:
        return _join_page(visit, "")
    form = await visit.form()
    password = (form.get("password") or [""])[0][: passwords.LONGEST + 1]
    why = passwords.weak(password, invite.name)
    if not why and password != (form.get("again") or [""])[0]:
        why = "The two passwords differ."
    if why:
        return _join_page(visit, why)
    async with _turn:
        kept = await asyncio.to_thread(passwords.hashed, password)
    with visit.parts.books.together():
        if visit.parts.accounts.redeem(visit.path("secret"), kept) is None:
            return _join_page(visit, "")
        visit.parts.audit.note(invite.name, visit.address, "use link", invite.name, roles=list(invite.roles))
        visit.parts.sessions.end_all(invite.name)
    account = visit.parts.accounts.find(invite.name)
    assert account is not None
    if account.totp:  # the link replaces the password, never the second factor
        return go("/sign-in")
    return enter(visit, account, "link", "/")


def certificate_of(visit: Visit) -> str:
    """The name in the client's certificate, which the server has verified; empty without one."""
    return str(visit.request.scope.get("extensions", {}).get(CERTIFICATE, ""))


def _code_is_right(visit: Visit, account: Account, code: str) -> bool:
    if not account.totp:
        return True
    counter = totp.counter_of(account.totp, code, time.time())
    return counter is not None and visit.parts.accounts.use_code(account.name, counter)


def _note_failure(visit: Visit, account: Account | None, name: str, locked: bool) -> None:
    log.warning("%s: wrong name, password or code, or a locked account", visit.address)
    if account is None or locked:
        return  # strangers must not fill the log of changes
    until = visit.parts.accounts.failed(account.name, time.time())
    visit.parts.audit.note("", visit.address, "lock" if until else "fail to sign in", account.name)


def _sign_in_page(visit: Visit, why: str, back: str, status: int = 200) -> Response:
    first = not visit.parts.accounts.every()
    values = {"first": first, "certificate": certificate_of(visit), "provider": visit.parts.web.provider.name}
    return page(visit, "sign_in.html", status, why=why, back=inside(back), **values)


def _join_page(visit: Visit, why: str) -> Response:
    secret = visit.path("secret")
    invite = visit.parts.accounts.invited(secret)
    if invite is None:
        return refusal(visit, 404, "This link was used before, or is too old. An administrator can make another.")
    return page(visit, "join.html", 422 if why else 200, why=why, invite=invite, to=f"/join/{quote(secret, safe='')}")


PAGES = (
    Page("GET", "/sign-in", Right.ANYBODY, sign_in_page),
    Page("POST", "/sign-in", Right.ANYBODY, sign_in),
    Page("POST", "/sign-in/certificate", Right.ANYBODY, sign_in_by_certificate),
    Page("GET", "/live/state", Right.SELF, stream_of(_draw_state)),
    Page("GET", "/signed-in", Right.SELF, signed_in),
    Page("POST", "/sign-out", Right.SELF, sign_out),
    Page("GET", "/join/{secret}", Right.ANYBODY, join_page),
    Page("POST", "/join/{secret}", Right.ANYBODY, join),
)
