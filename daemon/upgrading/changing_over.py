"""From one version to the other, and back if a table is not watched as before.

Each step is on the disk before the next begins, and each may be done again: after a power cut `go_on` continues with
the step that was under way. `current` names one whole version at every moment.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.last_upgrade import GOOD, ROLLED_BACK, UNCHECKED, Outcome
from pitwatch.daemon.upgrading import tables as seen
from pitwatch.daemon.upgrading.trees import CHECKER, FITTED, Trees
from pitwatch.daemon.upgrading.units import Unit, Units
from pitwatch.daemon.upgrading.written import CHECKING, ROLLING_BACK, STAGED, Pending, TableBefore, Written

STEADY = 25.0
"""Seconds for which a table must stay as before: longer than the watchdog gives a loop that hangs."""
RESTARTS = 3
"""A table whose process ends so often is not waited for."""
INTERRUPTIONS = 3
"""Checks that begin and do not end, as if the newer version took the board down."""
SETTLING = 60.0
"""Seconds that tables have to come up when the check goes on at a start of the board."""
EVERY = 0.5


class ChangeOver:
    """`say` gets one line about each step. Raises OSError where the disk refuses, UsageError for what cannot be."""

    def __init__(
        self,
        trees: Trees,
        units: Units,
        say: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        steady: float = STEADY,
    ):
        self.trees = trees
        self.written = Written(trees.home)
        self._units = units
        self._say = say
        self._now = now
        self._sleep = sleep
        self._steady = steady

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """One at a time on this board; the next waits."""
        folder = self.trees.home / "upgrade"
        folder.mkdir(mode=0o755, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    # -- what dpkg has unpacked

    def is_staged(self) -> bool:
        """Whether what dpkg has unpacked runs already, or is to run when the check under way ends well."""
        trees, pending = self.trees, self.written.pending()
        tree = trees.tree(pending.into) if pending is not None else trees.named("current")
        return tree is not None and trees.is_of_package(tree)

    def stage(self, again: bool = False) -> bool:
        """Take what dpkg has unpacked as the next version. Returns whether a check is to follow. `again`: also a
        version that was rolled back."""
        trees, version = self.trees, self.trees.version(self.trees.package)
        pending = self.written.pending()
        if self.is_staged():
            return pending is not None
        if pending is not None and pending.step != STAGED:  # or a version that is not checked would be the one before
            self.go_on()
        current = trees.named("current")
        if current is None:
            self._take(trees.lay())
            return False
        if trees.version(current) == version:  # installed again, or a part of the floor's was added
            self._take(trees.lay())
            return False
        outcome = self.written.outcome()
        if outcome is not None and (outcome.result, outcome.after) == (ROLLED_BACK, version) and not again:
            self._say(
                f"version {version} was rolled back at {outcome.at} and is not tried again by itself: "
                f"{'; '.join(outcome.faults)}. Version {trees.version(current)} goes on. "
                "To try it again: pitwatch upgrade retry"
            )
            return False
        self.written.clear()
        into = trees.lay()
        fields = {"was": current.name, "into": into.name, "before": trees.version(current), "after": version}
        if not trees.runs(current):  # such as after an upgrade of Debian to a release with another Python
            self._say(
                f"version {fields['before']} does not run on this system, so {version} takes over without a check"
            )
            self._take(into)
            self.written.end(self.written.begin(step=STAGED, **fields), UNCHECKED)
            return False
        trees.point("previous", current)
        trees.fit(current, CHECKER)
        self.written.begin(step=STAGED, **fields)
        trees.prune((current, into))
        self._say(f"version {version} lies beside {fields['before']}; the tables change over and are checked")
        return True

    def _take(self, tree: Path) -> None:
        """Run this tree without a check: the first one, or the same version laid again."""
        self._become(tree)
        self.trees.fit(tree, CHECKER)
        self._units.restart()
        self.trees.prune((tree, self.trees.named("previous")))

    # -- the check

    def go_on(self) -> Outcome | None:
        """Bring what is pending to its end. None if nothing is."""
        pending = self.written.pending()
        if pending is None:
            self.written.clear()
            return None
        if pending.step == STAGED:
            pending = self._step(pending, step=CHECKING, tables=self._noted())
        if pending.step == CHECKING:
            pending = self._step(pending, interrupted=pending.interrupted + 1)
            faults = self._checked(pending)
            if not faults:
                self._say(f"version {pending.after} is good: {_counted(len(pending.tables))} as before")
                return self.written.end(pending, GOOD if pending.tables else UNCHECKED)
            pending = self._step(pending, step=ROLLING_BACK, faults=tuple(faults))
        return self._roll_back(pending)

    def give_back(self, reason: str) -> Outcome:
        """Put the version before back because a person says so."""
        current, previous = self.trees.named("current"), self.trees.named("previous")
        if current is None or previous is None or previous == current:
            raise UsageError("there is no version before to put back; install one by apt")
        before, after = self.trees.version(previous), self.trees.version(current)
        if not self.trees.runs(previous):
            raise UsageError(f"version {before} does not run on this system; install one by apt")
        return self._roll_back(
            self.written.begin(
                step=ROLLING_BACK,
                was=previous.name,
                into=current.name,
                before=before,
                after=after,
                tables=self._noted(),
                faults=(reason,),
            )
        )

    def _step(self, pending: Pending, **changes: Any) -> Pending:
        return self.written.go_on(msgspec.structs.replace(pending, **changes))

    def _noted(self) -> tuple[TableBefore, ...]:
        """The tables that are watched now; at a start of the board, once they are up."""
        deadline = self._now() + SETTLING
        while any(unit.state == "activating" for unit in self._units.all().values()) and self._now() < deadline:
            self._sleep(EVERY)
        return tuple(seen.before(unit) for unit in self._units.all().values() if unit.up)

    def _checked(self, pending: Pending) -> list[str]:
        if pending.interrupted > INTERRUPTIONS:
            return [f"the check began {INTERRUPTIONS} times and did not end, as if the board had gone down"]
        self._become(self.trees.tree(pending.into))
        self._restart(pending)
        faults = self._waited(pending.tables, pending.after)
        if not faults:
            faults = seen.unverified(pending.tables)
        return [f"table {name} {fault}" for name, fault in sorted(faults.items())]

    def _roll_back(self, pending: Pending) -> Outcome:
        self._say(f"version {pending.after} is rolled back: {'; '.join(pending.faults)}")
        self._become(self.trees.tree(pending.was))
        # Written before the tables start again: they report it at their start.
        outcome = self.written.end(pending, ROLLED_BACK, pending.faults)
        self._restart(pending)
        for name, fault in sorted(self._waited(pending.tables, pending.before, False).items()):
            self._say(f"version {pending.before} is back, but table {name} {fault}")
        self._say(f"version {pending.before} runs")
        return outcome

    def _become(self, tree: Path) -> None:
        self.trees.fit(tree, FITTED)
        self.trees.point("current", tree)
        self.trees.also_run()

    def _restart(self, pending: Pending) -> None:
        self._units.restart([table.name for table in pending.tables])

    def _waited(self, tables: tuple[TableBefore, ...], version: str, as_before: bool = True) -> dict[str, str]:
        """What is wrong with each table when it has been right for some time, or does not become so in time."""
        begun = self._now()
        waiting = {table.name: _Waiting(table, version, as_before) for table in tables}
        faults: dict[str, str] = {}
        while waiting:
            units, moment = self._units.all(), self._now()
            for name, each in list(waiting.items()):
                fault = each.look(units.get(name), moment)
                if fault is not None and (fault.lasts or moment - begun >= each.table.within_s):
                    faults[name] = fault.says
                elif fault is not None or moment - each.since < self._steady:
                    continue
                del waiting[name]
            if waiting:
                self._sleep(EVERY)
        return faults


class _Waiting:
    """A table for which the check waits. `since`: from when on its process has been as before."""

    def __init__(self, table: TableBefore, version: str, as_before: bool):
        self.table = table
        self.since = 0.0
        self._version = version
        self._as_before = as_before
        self._pid = 0
        self._restarts: int | None = None

    def look(self, unit: Unit | None, moment: float) -> seen.Fault | None:
        """What is not right."""
        fault = seen.fault(self.table, unit, self._version, self._as_before)
        if unit is not None:
            self._restarts = unit.restarts if self._restarts is None else min(self._restarts, unit.restarts)
            if fault is not None and (ended := unit.restarts - self._restarts) >= RESTARTS:
                fault = seen.Fault(f"{fault.says}; its process ended {ended} times", lasts=True)
        pid = unit.pid if unit is not None and fault is None else 0
        if pid != self._pid:
            self._pid, self.since = pid, moment
        return fault


def _counted(tables: int) -> str:
    return {0: "no table was watched,", 1: "1 table is watched"}.get(tables, f"{tables} tables are watched")
