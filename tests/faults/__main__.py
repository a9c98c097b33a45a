"""`python -m tests.faults [NAME …] [--small]`: every fault at its full dose, and the table of what came of it."""

from __future__ import annotations

import argparse
import signal
import sys
import time

from tests.faults.catalogue import FAULTS, done
from tests.faults.row import line, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(FAULTS)}; all by default")
    parser.add_argument("--small", action="store_true", help="the dose of make test")
    parser.add_argument("--times", type=int, help="another dose")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that every run ends what it has started
    rows, failed = [], []
    for name in args.names or FAULTS:
        times = args.times or FAULTS[name][1][0 if args.small else 1]
        if not times:
            continue
        began = time.monotonic()
        try:
            rows.append(done(name, times))
        except AssertionError as error:
            failed.append(name)
            print(f"{name}: FAILED: {error}", file=sys.stderr)
        else:
            print(f"{name} ({time.monotonic() - began:.0f} s): " + ", ".join(line(rows[-1])), file=sys.stderr)
    print(table(rows))
    return 1 if failed or any(row.lost for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
