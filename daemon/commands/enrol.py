"""`pitwatch enrol`: gets this board the certificate of its table, by a one-time code of the house."""

from __future__ import annotations

import argparse
import getpass
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.arguments import seconds
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.installed import FOLDER, STATE
from pitwatch.daemon.contract.messages import encode

COMMAND = {"name": "enrol", "turn": 92, "help": "get this board its table's certificate by a one-time code"}

AGAIN_S = 3.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes this board's keys, proves the one-time code to the house, and writes the table's certificate, authority "
        "and [mqtt] section. The keys never leave the board. Exit code 1: the house does not answer, or refuses."
    )
    parser.add_argument("house", metavar="HOST[:PORT]", nargs="?", help="where `provision --enrol` listens (port 8486)")
    parser.add_argument(
        "--from", dest="source", metavar="FILE",
        help="read `house` and perhaps `code` from this TOML file; the code is removed from it afterwards",
    )  # fmt: skip
    parser.add_argument(
        "--wait",
        type=seconds,
        default=0,
        metavar="SECONDS",
        help="go on trying for so long if the house does not answer",
    )
    parser.add_argument("--folder", default=str(FOLDER), metavar="PATH", help=f"folder of the tables ({FOLDER})")
    parser.add_argument("--state", default=str(STATE), metavar="PATH", help=f"folder of the journals ({STATE})")
    parser.add_argument("--start", action="store_true", help="start the table's service, now and at each boot")


def run(args: argparse.Namespace) -> int:
    from pitwatch.daemon.enrolment.asking import RefusedError, UnreachableError
    from pitwatch.daemon.enrolment.code import CodeError, keys
    from pitwatch.daemon.enrolment.exchange import ExchangeError
    from pitwatch.daemon.enrolment.storing import Storing

    given = _file(args.source) if args.source else {}
    host, port = _address(args.house or given.get("house") or "")
    storing = Storing(Path(args.folder), Path(args.state))
    try:
        body = storing.request()
    except ImportError:
        raise UsageError("enrol needs the package cryptography; the Debian package and `make board` have it") from None
    try:
        proof = keys(given.get("code") or _typed())
        target = _enrol(storing, host, port, proof, body, args.wait)
    except (CodeError, UnreachableError) as error:
        return _no(args, str(error))
    except RefusedError as error:
        return _no(args, f'the house refuses, or something that answers in its place: "{error}"')
    except ExchangeError as error:
        return _no(args, f"{error}. Something stands between this board and the house; nothing was written")
    if args.source and given.get("code"):
        _forget_code(Path(args.source))
    file = target.with_name(target.name + ".toml")
    if args.start and file.exists():
        subprocess.run(["systemctl", "enable", "--now", f"pitwatch@{target.name}"], check=False)
    if args.json:
        print(encode({"ok": True, "table": target.name, "folder": str(target), "file": file.exists()}).decode())
        return 0
    print(f"{target}: this board is enrolled as {target.name}")
    if not file.exists():
        print(f"  table    write {file} with the lines of {target}/mqtt.toml, then pitwatch check {target.name}")
    return 0


def _enrol(storing: Any, host: str, port: int, proof: Any, body: bytes, wait: float) -> Path:
    from pitwatch.daemon.enrolment.asking import Asking, UnreachableError

    until = time.monotonic() + wait
    while True:
        try:
            asking = Asking(host, port)
            try:
                target: Path = storing.store(asking.ask(proof, body))
                asking.done()
                return target
            finally:
                asking.close()
        except UnreachableError:
            if time.monotonic() >= until:
                raise
            time.sleep(AGAIN_S)


def _no(args: argparse.Namespace, says: str) -> int:
    if args.json:
        print(encode({"ok": False, "says": says}).decode())
    else:
        print(f"not enrolled: {says}", file=sys.stderr)
    return 1


def _typed() -> str:
    """Not on the command line, which every user of the board may read."""
    if sys.stdin.isatty():
        return getpass.getpass("One-time code: ")
    return sys.stdin.readline()


def _file(name: str) -> dict[str, str]:
    """Raises UsageError."""
    try:
        data = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: is not TOML: {error}") from None
    for key, value in data.items():
        if key not in ("house", "code") or not isinstance(value, str):
            raise UsageError(f'{name}: {key[:40]}: only `house = "HOST:PORT"` and `code = "…"` are known here')
    return data


def _forget_code(file: Path) -> None:
    kept = [line for line in file.read_text().splitlines(keepends=True) if not line.strip().startswith("code")]
    file.write_text("".join(kept))


def _address(text: str) -> tuple[str, int]:
    """HOST, HOST:PORT or [ADDRESS]:PORT. Raises UsageError."""
    from pitwatch.daemon.enrolment.exchange import PORT

    host, port = text, str(PORT)
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        port = rest[1:] if rest else port
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise UsageError(f'"{text[:80]}" is no address of the house; HOST or HOST:PORT is right')
    return host, int(port)
