"""`python -m tests.audit [FILE …]`: what each case of these files gives, and where it differs from what is written."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.audit.case_file import CaseError, read
from tests.audit.judge import differences


def main(names: list[str]) -> int:
    paths = [Path(name) for name in names] or sorted(Path(__file__).with_name("cases").glob("*/*.yaml"))
    good = wrong = 0
    for path in paths:
        try:
            cases = read(path)
        except CaseError as error:
            print(error)
            wrong += 1
            continue
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                found = differences(case, Path(folder))
            good, wrong = good + (not found), wrong + bool(found)
            for line in found:
                print(f"{path.parent.name}/{path.stem}: {case.name} ({case.kind}, {case.lines}): {line}")
    print(f"{good} as written, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
