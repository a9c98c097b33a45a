"""`pitwatch upgrade`: which version of the Debian package runs, how the last upgrade ended, and the way back."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.last_upgrade import HOME, ROLLED_BACK
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.upgrading.changing_over import ChangeOver
from pitwatch.daemon.upgrading.trees import Trees
from pitwatch.daemon.upgrading.units import Units

COMMAND = {"name": "upgrade", "turn": 105, "help": "show, retry or roll back an upgrade of the Debian package"}

CHECK = "pitwatch-upgrade.service"
BOOTED = Path("/run/systemd/system")
WAIT = 1800.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "The Debian package keeps the version before. After an upgrade each table must be watched as before, or that "
        "version is put back (docs/upgrade.md)."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="status|retry|rollback", required=True)
    status = verbs.add_parser(
        "status", help="print which version runs and how the last upgrade ended; exit code 1 if it was rolled back"
    )
    status.add_argument("--wait", action="store_true", help="wait for the end of a check")
    retry = verbs.add_parser("retry", help="try the installed version again that was rolled back")
    rollback = verbs.add_parser("rollback", help="put the version before back")
    stage = verbs.add_parser("stage")  # for the package's scripts, as is `check` for its service
    check = verbs.add_parser("check")
    for verb in (status, retry, rollback, stage, check):
        verb.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    change = ChangeOver(Trees(HOME), Units(), lambda line: print(f"pitwatch: {line}", flush=True))
    if not change.trees.package.is_dir():
        raise UsageError(f"{change.trees.package}: the Debian package is not installed; update a clone with git")
    if args.verb == "status":
        return _status(change, args)
    try:
        if args.verb == "stage" and change.is_staged():
            return 0
        with change.alone():
            if args.verb == "check":
                change.go_on()
            elif args.verb == "rollback":
                change.give_back("a person put the version before back")
            elif change.stage(again=args.verb == "retry"):
                if BOOTED.is_dir():
                    subprocess.run(["systemctl", "start", "--no-block", CHECK], check=False)
                else:  # an image is being made: nothing runs that could be checked
                    change.go_on()
    except OSError as error:
        raise UsageError(f"{error.filename or HOME}: {error.strerror}; run it as root") from None
    return 0


def _status(change: ChangeOver, args: argparse.Namespace) -> int:
    deadline = time.monotonic() + WAIT
    while args.wait and change.written.pending() is not None and time.monotonic() < deadline:
        time.sleep(0.5)
    trees, outcome, pending = change.trees, change.written.outcome(), change.written.pending()
    current, previous = trees.named("current"), trees.named("previous")
    said: dict[str, Any] = {
        "runs": trees.version(current) if current else None,
        "before": trees.version(previous) if previous and previous != current else None,
        "installed": trees.version(trees.package),
        "pending": None if pending is None else {"from": pending.before, "to": pending.after, "step": pending.step},
        "last": outcome,
    }
    if args.json:
        print(encode(said).decode())
    else:
        print(f"runs       {said['runs'] or 'nothing'}")
        print(f"before     {said['before'] or 'none is kept'}")
        print(f"installed  {said['installed']} (as dpkg has it)")
        if pending is not None:
            print(f"checking   {pending.before} to {pending.after}: {pending.step.replace('_', ' ')}")
        if outcome is not None:
            print(f"last       {outcome.before} to {outcome.after}: {outcome.result.replace('_', ' ')} at {outcome.at}")
            for fault in outcome.faults:
                print(f"           {fault}")
        if current and said["runs"] != said["installed"] and pending is None:
            print("dpkg takes the installed version for the one that runs. To try it again: pitwatch upgrade retry")
    sys.stdout.flush()
    rolled_back = outcome is not None and outcome.result == ROLLED_BACK and said["runs"] != said["installed"]
    return 1 if rolled_back else 0
