"""Accounts, as an administrator makes and changes them, and the log of changes."""

from __future__ import annotations

from starlette.responses import Response

from pitwatch.floor.web.accounts import NAME, known_roles
from pitwatch.floor.web.rendering import page, refusal
from pitwatch.floor.web.rights import ROLES, Right, rights_of
from pitwatch.floor.web.visit import Page, Visit, go

A_PAGE = 100


async def people(visit: Visit) -> Response:
    return _people(visit)


async def invite(visit: Visit) -> Response:
    """A link for a new account, or for a new password of one that is there."""
    form = await visit.form()
    name = form.text("name", 64)
    if not NAME.match(name):
        return _people(visit, why="A name has letters, digits and . _ @ - and begins with a letter or digit.")
    try:
        roles = known_roles(form.get("role", []))
    except ValueError as error:
        return _people(visit, why=f"Nothing was changed: {error}.")
    if why := _leaves_nobody(visit, name, roles, False):
        return _people(visit, why=why)
    with visit.parts.books.together():
        visit.note("make link", name, roles=list(roles))
        secret = visit.parts.accounts.invite(name, roles)
    return _people(visit, link=f"{_base(visit)}/join/{secret}", invited=name)


async def change(visit: Visit) -> Response:
    """The roles of an account, or whether it is closed. Its sessions end."""
    form = await visit.form()
    account = visit.parts.accounts.find(visit.path("name"))
    if account is None:
        return refusal(visit, 404, "There is no such account.")
    act = form.text("act")
    closed = account.closed if act == "roles" else act == "close"
    roles = account.roles
    if act == "roles":
        try:
            roles = known_roles(form.get("role", []))
        except ValueError as error:
            return _people(visit, why=f"Nothing was changed: {error}.")
    elif act not in ("close", "open", "codes"):
        return refusal(visit, 400, "There is no such change.")
    if why := _leaves_nobody(visit, account.name, roles, closed):
        return _people(visit, why=why)
    with visit.parts.books.together():
        if act == "roles":
            visit.note("change roles", account.name, before=list(account.roles), now=list(roles))
            visit.parts.accounts.set_roles(account.name, roles)
        elif act == "codes":
            visit.note("remove one-time codes", account.name)
            visit.parts.accounts.set_totp(account.name, "")
        else:
            visit.note(f"{act} account", account.name)
            visit.parts.accounts.set_closed(account.name, closed)
        visit.parts.sessions.end_all(account.name)
    return go("/people")


async def audit(visit: Visit) -> Response:
    before = visit.query("before")
    entries = visit.parts.audit.newest(A_PAGE, int(before) if before.isdigit() and len(before) < 16 else None)
    more = entries[-1].number if len(entries) == A_PAGE else 0
    return page(visit, "audit.html", entries=entries, more=more, wrong=visit.parts.audit.first_wrong())


def _leaves_nobody(visit: Visit, name: str, roles: tuple[str, ...], closed: bool) -> str:
    """Why the change is refused: somebody must be left to undo it."""
    if visit.parts.accounts.administrators() == [name] and (closed or Right.PEOPLE not in rights_of(roles)):
        return f"{name} is the only administrator. Make another one first; nothing was changed."
    return ""


def _base(visit: Visit) -> str:
    return f"{visit.request.url.scheme}://{visit.request.headers['host']}"


def _people(visit: Visit, why: str = "", link: str = "", invited: str = "") -> Response:
    every = visit.parts.accounts.every()
    values = {"why": why, "link": link, "invited": invited, "every": every, "roles": ROLES}
    return page(visit, "people.html", 422 if why else 200, **values)


PAGES = (
    Page("GET", "/people", Right.PEOPLE, people),
    Page("POST", "/people", Right.PEOPLE, invite),
    Page("POST", "/people/{name}", Right.PEOPLE, change),
    Page("GET", "/audit", Right.AUDIT, audit),
)
