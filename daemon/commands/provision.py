"""`pitwatch provision`: writes certificates, broker configuration and access lists for the tables of a house."""

from __future__ import annotations

import argparse
import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.house_names import check_client, check_table, quoted
from pitwatch.daemon.config.sections import NO_PREFIX, is_prefix
from pitwatch.daemon.contract.messages import encode

if TYPE_CHECKING:
    from pitwatch.daemon.provisioning import House

COMMAND = {"name": "provision", "turn": 90, "help": "make certificates and access lists for a house's tables"}

DAYS = 825
ENROL_PORT = 8486
ENROL_HOURS = 4.0

OLD_LIST = "pitwatch-revoked.conf"
"""What an earlier recipe made by hand beside pitwatch.conf; mosquitto does not start where both name a list."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes a certificate for each table and client of surveillance, and the broker's configuration with its access "
        "lists. It keeps what is in the folder, so you can add tables later. Keep the folder where the house keeps "
        "its keys, and copy from it."
    )
    parser.add_argument("folder", metavar="FOLDER", help="folder to write to")
    parser.add_argument(
        "--table", metavar="SITE/TABLE", action="append", default=[], help="a table, named as in its configuration"
    )
    parser.add_argument(
        "--broker", metavar="HOST", action="append", required=True,
        help="host that tables connect to; repeat for each further node of a cluster",
    )  # fmt: skip
    parser.add_argument("--port", type=int, default=8883, help="the broker's port (8883)")
    parser.add_argument(
        "--surveillance",
        metavar="NAME",
        action="append",
        default=[],
        help="a client that reads every table and may send requests",
    )
    parser.add_argument(
        "--reader", metavar="NAME", action="append", default=[], help="one that reads the same and sends no requests"
    )
    parser.add_argument(
        "--live", metavar="NAME", action="append", default=[], help="one that also reads cards of open rounds"
    )
    parser.add_argument(
        "--revoke", metavar="NAME", action="append", default=[],
        help="a table or client that goes, or has lost its key: mosquitto refuses its certificate",
    )  # fmt: skip
    parser.add_argument(
        "--board", metavar="SITE/TABLE=KEY", action="append", default=[],
        help="announce a table's board by its public key (`key` of status): the first one, or one that replaces it",
    )  # fmt: skip
    parser.add_argument(
        "--enrol", metavar="SITE/TABLE", action="append", default=[],
        help="a table whose board makes its own keys: print a one-time code for it, and wait for the board",
    )  # fmt: skip
    parser.add_argument(
        "--enrol-on", metavar="[HOST:]PORT", default=str(ENROL_PORT), help=f"where to wait for boards ({ENROL_PORT})"
    )
    parser.add_argument(
        "--enrol-hours", type=float, default=ENROL_HOURS, metavar="HOURS",
        help=f"validity of the codes ({ENROL_HOURS:g})",
    )  # fmt: skip
    parser.add_argument(
        "--unnamed-requests", action="store_true",
        help="also accept requests on request/VERB, without a client's name, until version 1.0.0",
    )  # fmt: skip
    parser.add_argument("--prefix", default="pitwatch/1", help="topic prefix (pitwatch/1)")
    parser.add_argument("--days", type=int, default=DAYS, help=f"validity of certificates ({DAYS})")
    parser.add_argument(
        "--broker-folder",
        default="/etc/mosquitto/pitwatch",
        metavar="PATH",
        help="path of FOLDER/broker on the broker's host (/etc/mosquitto/pitwatch)",
    )


def run(args: argparse.Namespace) -> int:
    from pitwatch.daemon.provisioning import House
    from pitwatch.daemon.provisioning.boards import read_board

    for table in (*args.table, *args.enrol):
        check_table(table)
    if both := set(args.table) & set(args.enrol):
        raise UsageError(f"{min(both)}: --table makes its key here, --enrol lets its board make it; say one of them")
    if not 0 < args.enrol_hours <= 168:
        raise UsageError(f"--enrol-hours {args.enrol_hours:g} is not sensible; up to 168 is right")
    for watcher in (*args.surveillance, *args.reader, *args.live):
        check_client(watcher)
    for name in args.revoke:
        (check_table if "/" in name else check_client)(name)
    if not is_prefix(args.prefix):
        raise UsageError(f"--prefix {quoted(args.prefix)} {NO_PREFIX}")
    for host in args.broker:
        if not re.fullmatch(r"[A-Za-z0-9.:-]{1,253}", host):
            raise UsageError(f"--broker {quoted(host)} is neither a host name nor an address")
    if not args.broker_folder.isprintable() or not args.broker_folder.strip():
        raise UsageError(
            f"--broker-folder {quoted(args.broker_folder)} is no path; a configuration is one line a setting"
        )
    if not 0 < args.port < 65536:
        raise UsageError(f"--port {args.port} is no port; 1 to 65535 is right")
    if not 0 < args.days <= 3650:
        raise UsageError(f"--days {args.days} is not sensible; 1 to 3650 is right")
    house = House(Path(args.folder), args.broker, args.port, args.prefix, args.days)
    boards = [read_board(text) for text in args.board]
    clients = (args.surveillance, args.reader, args.live)
    house.provision(args.table, *clients, args.broker_folder, args.revoke, args.unnamed_requests, boards, args.enrol)
    _show(args, house, bool(boards))
    return _enrol(args, house) if args.enrol else 0


def _show(args: argparse.Namespace, house: House, boards: bool) -> None:
    from pitwatch.daemon.provisioning import WATCHERS

    if args.json:
        answer = {
            "folder": args.folder,
            "tables": house.tables(),
            **{kind: house.watchers(kind) for kind in WATCHERS},
            "written": [str(path) for path in house.written],
        }
        print(encode(answer).decode(), flush=True)
        return
    for path in house.written:
        print(f"  wrote    {path}")
    count = sum(len(house.watchers(kind)) for kind in WATCHERS)
    print(f"{args.folder}: {len(house.tables())} tables, {count} clients of surveillance")
    where = f"{args.broker_folder} on {', '.join(args.broker)}"
    print(f"  broker   copy {args.folder}/broker to {where}, owned by the broker's user; reload it")
    if (old := house.folder / "broker" / OLD_LIST).exists():
        print(f"  old      remove {OLD_LIST} from the broker's conf.d, and {old}: pitwatch.conf names the list now")
    if boards:
        print(f"  boards   copy {args.folder}/boards.txt to the archive and watch, and restart them")
    if args.revoke:
        print("  revoked  restart the broker: it reads the revocation list at its start, and ends old connections")
    print("  tables   copy each tables/SITE/TABLE folder to its board, /etc/pitwatch, keys owned by pitwatch")


def _enrol(args: argparse.Namespace, house: House) -> int:
    """Shows the codes and waits for the boards; 1 if one of them did not come."""
    from pitwatch.daemon.enrolment.house import Enrolment
    from pitwatch.daemon.service.logs import log_on_stderr

    host, _, port = args.enrol_on.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise UsageError(f"--enrol-on {quoted(args.enrol_on)} is no port; PORT or HOST:PORT is right")

    def enrolled(table: str, expected: list[str]) -> None:
        """The lists of a house that now has this table too."""
        house.provision((), (), (), (), args.broker_folder, (), args.unnamed_requests, (), expected)
        if args.json:
            print(encode({"enrolled": table}).decode(), flush=True)

    enrolment = Enrolment(house, dict.fromkeys(args.enrol), args.enrol_hours, enrolled)

    def listening(port: int) -> None:
        if args.json:
            codes = {each.table: each.code for each in enrolment.issued}
            print(encode({"port": port, "codes": codes}).decode(), flush=True)
            return
        for each in enrolment.issued:
            print(f"  code     {each.code}  for {each.table}, for {args.enrol_hours:g} hours, once")
        print(f"  waiting  on port {port} for the boards; on each: pitwatch enrol THIS-HOST:{port}", flush=True)

    async def serve() -> bool:
        task = asyncio.current_task()
        assert task is not None
        cancel_when_told(task)
        return await enrolment.serve(host.strip("[]") or None, int(port), listening)

    with log_on_stderr(args.json):
        try:
            return 0 if asyncio.run(serve()) else 1
        except asyncio.CancelledError:
            return 1
        except OSError as error:
            raise UsageError(f"--enrol-on {args.enrol_on}: cannot be listened on: {error.strerror or error}") from None
