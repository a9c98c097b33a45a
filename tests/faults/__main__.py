"""`python -m tests.faults [NAME …] [--small]`: every fault at its full dose, and the table of what came of it.
`python -m tests.faults month [TABLE …]`: see `month`.

Each fault is done in a process of its own, so that nothing that befalls one leaves the table without its row."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress

from tests.faults import month
from tests.faults.catalogue import FAULTS, done
from tests.faults.row import Row, line, table


def main() -> int:
    if sys.argv[1:2] == ["month"]:
        return month.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(FAULTS)}; all by default")
    parser.add_argument("--small", action="store_true", help="the dose of make test")
    parser.add_argument("--times", type=int, help="another dose")
    parser.add_argument("--here", action="store_true", help="one fault in this process; its row as JSON")
    args = parser.parse_args()
    for name in args.names:
        if name not in FAULTS:
            parser.error(f"no fault {name!r}; there are {', '.join(FAULTS)}")
    signal.signal(signal.SIGTERM, _told)  # so that every run ends what it has started
    doses = {name: args.times or FAULTS[name][1][0 if args.small else 1] for name in args.names or FAULTS}
    if args.here:
        (name,) = args.names
        return _here(name, doses[name])
    rows = [_apart(name, times) for name, times in doses.items() if times]
    print(table(rows))
    return 1 if any(row.failed or row.lost for row in rows) else 0


def _told(number: int, _frame: object) -> None:
    print(f"ended by {signal.Signals(number).name}", file=sys.stderr, flush=True)
    sys.exit(128 + number)


def _here(name: str, times: int) -> int:
    try:
        row = done(name, times)
    except AssertionError as error:
        traceback.print_exception(error.__cause__ or error)
        row = Row(name, times, 0, 0, 0, failed=str(error))
    print(json.dumps(row), flush=True)
    return 1 if row.failed else 0


def _apart(name: str, times: int) -> Row:
    """The row of one fault, done in a process of its own; how that ended, if it left none."""
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.faults", "--here", name, "--times", str(times)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, process_group=0)
    try:
        told, _ = process.communicate()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    try:
        row = Row(*json.loads(told.splitlines()[-1]))
    except (IndexError, ValueError, TypeError):
        code = process.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        row = Row(name, times, 0, 0, 0, failed=f"the harness's process ended by {how} and left no row")
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it had started
    print(f"{name} ({time.monotonic() - began:.0f} s): " + ", ".join(line(row)), file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
