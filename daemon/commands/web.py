"""`pitwatch web`: shows the floor in a browser."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

import msgspec

from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.service.logs import log_on_stderr
from pitwatch.floor.options import add_broker_options, floor_config

if TYPE_CHECKING:
    from pitwatch.floor.config import FloorConfig
    from pitwatch.floor.web.parts import Parts

COMMAND = {"name": "web", "turn": 122, "help": "show the floor in a browser"}

NEEDS = ("starlette", "uvicorn", "jinja2", "markupsafe", "argon2")

log = logging.getLogger("pitwatch.web")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves pages of the floor to browsers, by [web] of FLOOR.toml (docs/web.md). A first start prints a link that "
        "makes the first account; until it is used, only this machine can connect."
    )
    add_broker_options(parser)
    parser.add_argument("--listen", metavar="HOST:PORT", help="instead of that of [web] (default: 127.0.0.1:8470)")
    parser.add_argument(
        "--link",
        metavar="NAME",
        help="serve nothing; print a one-time link that makes this account, or gives it a new password and these roles",
    )
    parser.add_argument("--role", metavar="ROLE", action="append", help="role of --link; repeat for more")
    parser.add_argument("--json", action="store_true", help="log JSON")


def run(args: argparse.Namespace) -> int:
    config = floor_config(args)
    try:
        from pitwatch.floor.web.parts import Parts
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDS:
            raise
        raise UsageError(
            "web needs packages that are not installed; in Pitwatch's clone: .venv/bin/pip install -e '.[web]'"
        ) from None
    if args.listen:
        from pitwatch.floor.web.config import wrong_address

        web = msgspec.structs.replace(config.web, listen=args.listen)
        if why := wrong_address(web):
            raise UsageError(f"--listen: {why}")
        config = msgspec.structs.replace(config, web=web)
    if bool(args.link) != bool(args.role):
        raise UsageError("--link and --role belong together: --link NAME --role administrator is right")
    ask = None
    if config.names_archive:
        from pitwatch.floor.archive.open_now import asking

        ask = asking(config.archive.database, config.mqtt.prefix)
    parts = Parts(config, ask)
    if args.link:
        print(_link(parts, args.link, args.role))
        return 0
    with log_on_stderr(args.json):
        return asyncio.run(_serve(parts, config))


async def _serve(parts: Parts, config: FloorConfig) -> int:
    from pitwatch.floor.web.app import application
    from pitwatch.floor.web.rights import FIRST
    from pitwatch.floor.web.server import listening, serve

    task = asyncio.current_task()
    assert task is not None
    cancel_when_told(task)
    web = config.web
    app = application(parts)
    first = not parts.accounts.every()
    host = "127.0.0.1" if first and not web.loopback else web.host
    listener = listening(host, web.port)
    port = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    base = f"{'https' if web.tls else 'http'}://{shown}:{port}"
    log.info("listening on %s", base)
    if first:
        with parts.books.together():
            parts.audit.note("", "", "make link", "first", roles=list(FIRST))
            secret = parts.accounts.invite("first", FIRST)
        more = "" if web.loopback else f"; then start again, and {web.listen} is open to the network"
        log.warning("no account yet: %s/join/%s makes the first, once, within 24 hours%s", base, secret, more)
    running = [asyncio.create_task(each()) for each in parts.runs]
    serving = asyncio.create_task(serve(app, web, listener))
    try:
        with contextlib.suppress(asyncio.CancelledError):
            done, _ = await asyncio.wait([serving, *running], return_when=asyncio.FIRST_EXCEPTION)
            for each in done:
                each.result()
    finally:
        for each in (serving, *running):
            each.cancel()
        await asyncio.gather(serving, *running, return_exceptions=True)
        parts.books.close()
    return 0


def _link(parts: Parts, name: str, given: list[str]) -> str:
    from pitwatch.floor.web.accounts import NAME, known_roles

    if not NAME.match(name):
        raise UsageError(f"--link {name!r}: a name of letters, digits and . _ @ - is right")
    try:
        roles = known_roles(given)
    except ValueError as error:
        raise UsageError(f"--role: {error}") from None
    with parts.books.together():
        parts.audit.note("command line", "", "make link", name, roles=list(roles))
        secret = parts.accounts.invite(name, roles)
    web = parts.web
    return f"{'https' if web.tls else 'http'}://{web.listen}/join/{secret}"
