"""`pitwatch witness`: a witness that cosigns over HTTP, for a machine outside the house, and the key of any witness."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.service.logs import log_on_stderr

if TYPE_CHECKING:
    from pitwatch.floor.witness.config import WitnessSection

COMMAND = {"name": "witness", "turn": 130, "help": "cosign what tables sign, as a second witness outside the house"}

log = logging.getLogger("pitwatch.witness")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "A witness: it cosigns the signed heads of tables, after it has verified that each continues the one before "
        "(docs/archive.md, A witness)."
    )
    actions = parser.add_subparsers(dest="action", metavar="run|key|logs", required=True)
    run_ = actions.add_parser("run", help="answer add-checkpoint over HTTP (C2SP tlog-witness)")
    run_.add_argument("file", metavar="WITNESS.toml", help="[witness] with name, and the logs that it knows")
    key = actions.add_parser("key", help="print the verifier key, and make the key if there is none")
    key.add_argument("file", metavar="FILE.toml", help="a WITNESS.toml, or a FLOOR.toml with [witness]")
    logs = actions.add_parser("logs", help="print the verifier key of each log that was cosigned")
    logs.add_argument("file", metavar="FILE.toml", help="a WITNESS.toml, or a FLOOR.toml with [witness]")
    for action in (run_, key, logs):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from pitwatch.floor.witness.cosigner import Cosigner

    if args.action == "logs":
        return asyncio.run(_logs(args))
    if args.action == "key":
        section, _ = _section(args.file)
        key = Cosigner(section.name, Path(section.key)).prepare()
        print(encode({"name": key.name, "key": key.format()}).decode() if args.json else key.format())
        return 0
    with log_on_stderr(args.json):
        return asyncio.run(_serve(args.file))


def _section(file: str) -> tuple[WitnessSection, str]:
    """`[witness]` of either kind of file, and its database. Raises UsageError."""
    from pitwatch.daemon.config.sections import read_toml
    from pitwatch.floor.config import load
    from pitwatch.floor.witness.config import load_witness

    _, data = read_toml(Path(file), "a witness's")
    if "mqtt" not in data:
        serving = load_witness(file)
        return serving.witness, serving.database
    floor = load(file)
    if not floor.witness.name:
        raise UsageError(f"{file}: has no [witness] with name, so the archive is no witness")
    return floor.witness, floor.archive.database


async def _logs(args: argparse.Namespace) -> int:
    from pitwatch.daemon.tlog.note import Key
    from pitwatch.floor.archive.database import store_at
    from pitwatch.floor.archive.store import StoreError

    _, database = _section(args.file)
    store = store_at(database)
    try:
        await store.open()
        rows = await store.ask("SELECT origin, key, size, at FROM witness_heads ORDER BY origin, at")
    except StoreError as error:
        raise UsageError(str(error)) from None
    finally:
        await store.close()
    for row in rows:
        key = Key.of_der(row["origin"], row["key"]).format()
        shown = {"log": row["origin"], "key": key, "size": row["size"], "cosigned": row["at"]}
        print(encode(shown).decode() if args.json else key)
    return 0


async def _serve(file: str) -> int:
    from pitwatch.floor.archive.database import store_at
    from pitwatch.floor.archive.store import StoreError
    from pitwatch.floor.witness.config import load_witness
    from pitwatch.floor.witness.cosigner import Cosigner
    from pitwatch.floor.witness.cosigning import Cosigning
    from pitwatch.floor.witness.heads import Heads
    from pitwatch.floor.witness.server import Server
    from pitwatch.floor.witness.service import Service

    task = asyncio.current_task()
    assert task is not None
    cancel_when_told(task)
    config = load_witness(file)
    cosigner = Cosigner(config.witness.name, Path(config.witness.key))
    key = await asyncio.to_thread(cosigner.prepare)
    store = store_at(config.database)
    try:
        await store.open()
        server = Server(Service(Cosigning(Heads(store), cosigner), config.logs), config.host, config.port)
        try:
            port = server.start()
        except OSError as error:
            raise UsageError(f"{config.host}:{config.port}: cannot listen there: {error.strerror}") from None
        log.info("witness %s of %d logs listens on %s:%d", key.format(), len(config.logs), config.host, port)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await server.stop()
    except StoreError as error:
        raise UsageError(str(error)) from None
    finally:
        await store.close()
    return 0
