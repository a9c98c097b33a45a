"""Faults of the disk and of the journal on it. Each gives the row of one fault. For tests only."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pitwatch.daemon.journal.store import Store
from tests.e2e.mosquitto import wait_for
from tests.faults import shim
from tests.faults.row import Row, summed
from tests.faults.run import QUICK, Run

BATCH = 50
"""Kills of one run, so that its journal stays small."""


def killed(folder: Path, times: int) -> Row:
    """SIGKILL at a chosen act on the journal's files, half of a write being done, amid play and at the start."""
    rows = []
    for done in range(0, times, BATCH):
        place = folder / str(done)
        place.mkdir()
        rows.append(_killed(place, min(BATCH, times - done), done))
    return summed("kill -9 at an act on the journal's files", times, rows)


def _killed(folder: Path, times: int, seed: int) -> Row:
    with Run(folder, seed=seed) as run:
        armed = folder / "armed"
        for n in range(times):
            amid = n % 5 != 4
            armed.unlink(missing_ok=True)
            at = run.chance.randrange(1, 80 if amid else 300)
            run.start(amid, shim.environment(run.journal, die_at=at, arm=armed if amid else None))
            armed.touch()
            _play_until_dead(run, at)
        run.start()
        causes = [each["cause"] for each in run.ear.systems("started")]
        assert set(causes) <= {"first", "killed"}, causes
        run.play(3)
        run.settle(60)
        run.stop()
        run.settle()
        return run.compare("", times, whole=False)


def _play_until_dead(run: Run, at: int) -> None:
    assert run.process is not None
    deadline = time.monotonic() + 10
    while run.process.poll() is None:
        assert time.monotonic() < deadline, f"act {at} is not reached"
        run.play(1, 0.03)


def killed_any_time(folder: Path, times: int) -> Row:
    """SIGKILL at a random instant of play, whatever the program is doing."""
    with Run(folder) as run:
        for _ in range(times):
            run.start()
            burst = threading.Thread(target=run.play, args=(10, 0.002))
            burst.start()
            time.sleep(0.1 * run.chance.random())
            run.kill()
            burst.join()
        run.start()
        run.settle(60)
        run.stop()
        run.settle()
        return run.compare("kill -9 at a random instant", times, whole=False)


def power_cut(folder: Path, times: int) -> Row:
    """At a random act on the files the power goes: what was not synced is there in part, by sectors, or not at all.

    What the disk then holds must open, verify, and have every record that the subscriber had got by then."""
    log = folder / "acts"
    with Run(folder) as run:
        run.start(environment=shim.environment(run.journal, log))
        for _ in range(4):
            run.play(25, 0.01)
            run.proxy.cut()
        run.settle()
        run.stop()
        run.settle()
        row = run.compare("power cut that loses what was not synced", times)
        done = list(shim.acts(log))
        heard = sorted((e.at, e.event["sequence"], e.event["id"]) for e in run.ear.records())
        cuts = sorted(run.chance.randrange(1, len(done)) for _ in range(times))
        disk, scratch, lost, at = shim.Disk(), folder / "cut", 0, 0
        scratch.mkdir()
        for cut in cuts:
            for act in done[at:cut]:
                disk.take(act)
            at = cut
            now = done[cut].wall_ns / 1e9
            published = [(seq, id_) for when, seq, id_ in heard if when < now]
            lost += _lost_by_cut(disk, scratch, run, published)
        return row._replace(lost=row.lost + lost)


def _lost_by_cut(disk: shim.Disk, scratch: Path, run: Run, published: list[tuple[int, str]]) -> int:
    journal = scratch / "journal.db"
    shim.lay_down(journal, *disk.cut(lambda part: run.chance.random() < 0.5))
    store = Store(journal)
    fault = store.fault()
    assert fault is None, f"after a power cut: {fault}"
    kept = {f"RL-07/{r.boot}/{r.seq}" for r in store.read(0, 1_000_000)}
    assert store.delivered <= store.last
    store.close()
    return sum(id_ not in kept for _, id_ in published)


@contextlib.contextmanager
def _small_disk(folder: Path, size: str = "12m") -> Iterator[Path]:
    """A disk of its own; skipped by the caller if none may be mounted."""
    place = folder / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True, capture_output=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def may_mount() -> bool:
    """Whether this process may mount a disk of its own."""
    if os.geteuid() != 0:
        return False
    done = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False)
    return done.returncode == 0


def _refusing(run: Run, times: int, fault: str, refuse: Callable[[], None], allow: Callable[[], None]) -> Row:
    """The disk refuses in the middle of play: rounds go on to be published, status and an alert say why, and what was
    not written is written when the disk takes it again."""
    for n in range(times):
        run.play(5)
        run.settle()
        refuse()
        spins = len(run.spins)
        while _alerts(run) <= n:  # there may be room left in the files as they are
            assert len(run.spins) < spins + 1_000, "nothing is told of the disk"
            run.play(10, 0.03)
        spins = len(run.spins)
        run.play(20, 0.03)
        wait_for(lambda spins=spins: len(run.heard("rounds")) >= spins + 18, 5, "rounds are not published")
        allow()
        wait_for(lambda: run.ear.states("status")[-1]["journal"] == "ok", what="the status does not end")
        run.settle()
        wait_for(lambda: run.ear.states("alert/journal")[-1] == "", what="the alert does not end")
    run.stop()
    run.settle()
    return run.compare(fault, times)


def _alerts(run: Run) -> int:
    return sum(alert != "" and alert["raised"] for alert in run.ear.states("alert/journal"))


def _fill(place: Path) -> None:
    with contextlib.suppress(OSError), (place / "other").open("wb", buffering=0) as other:
        while other.write(bytes(4096)):
            pass


def full(folder: Path, times: int) -> Row:
    """Somebody else fills the disk."""
    with _small_disk(folder) as place, Run(folder, journal=place / "journal.db", more=QUICK) as run:
        run.start()
        return _refusing(run, times, "disk full", lambda: _fill(place), lambda: (place / "other").unlink())


def _failing(folder: Path, times: int, fault: str, code: int) -> Row:
    flag = folder / "refuse"
    with Run(folder, more=QUICK) as run:
        run.start(environment=shim.environment(run.journal, refuse=flag))
        return _refusing(run, times, fault, lambda: flag.write_text(str(code)) and None, flag.unlink)


def read_only(folder: Path, times: int) -> Row:
    """The disk becomes read-only, as the kernel makes a card that fails."""
    return _failing(folder, times, "disk becomes read-only", errno.EROFS)


def failing(folder: Path, times: int) -> Row:
    """The disk answers every writing with an error."""
    return _failing(folder, times, "disk that fails to write", errno.EIO)


def _refusing_at_start(
    folder: Path, times: int, fault: str, refuse: Callable[[Path], None], allow: Callable[[Path], None]
) -> Row:
    """The disk refuses before the daemon starts: it watches and publishes all the same, under the right numbers."""
    with _small_disk(folder) as place, Run(folder, journal=place / "journal.db", more=QUICK) as run:
        run.start()
        for _ in range(times):
            run.play(5)
            run.settle()
            run.stop()
            run.settle()
            refuse(place)
            run.start()
            spins = len(run.spins)
            run.play(10, 0.02)
            wait_for(lambda spins=spins: len(run.heard("rounds")) >= spins + 8, 5, "rounds are not published")
            wait_for(lambda: run.ear.states("status")[-1]["journal"] != "ok", what="the status does not tell")
            allow(place)
            wait_for(lambda: run.ear.states("status")[-1]["journal"] == "ok", what="the status does not end")
            run.settle()
        run.stop()
        run.settle()
        return run.compare(fault, times)


def full_at_start(folder: Path, times: int) -> Row:
    """The disk is full before the start."""
    return _refusing_at_start(
        folder, times, "disk full before the start", _fill, lambda place: (place / "other").unlink()
    )


def read_only_at_start(folder: Path, times: int) -> Row:
    """The disk is mounted read-only before the start."""

    def remount(how: str) -> Callable[[Path], None]:
        return lambda place: _mount("-o", f"remount,{how}", str(place))

    return _refusing_at_start(folder, times, "disk read-only before the start", remount("ro"), remount("rw"))


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


def _damaged(folder: Path, times: int, fault: str, damage: Callable[[Run], None], running: bool) -> Row:
    """The journal's file is spoilt: it is set aside and told, another goes on, and nothing is lost that was not
    delivered, as far as it can be read or memory has it."""
    more = "shorten('pitwatch.daemon.journal.writing', SET_ASIDE_EVERY=0.0, MARK_AFTER=0.1, SCRUB_ROWS=10_000)"
    with Run(folder, more=more) as run:
        run.start()
        for n in range(times):
            run.play(10)
            run.settle()
            if running:
                damage(run)
            else:
                run.stop()
                run.settle()
                damage(run)
                run.start()
            run.play(10, 0.02)
            wait_for(lambda n=n: len(run.ear.systems("journal_set_aside")) > n, 10, f"not told\n{run.log()[-800:]}")
            run.settle()
        run.stop()
        run.settle()
        aside = [path for path in run.folder.iterdir() if ".damaged-" in path.name and not path.name.endswith("-wal")]
        told = {each["file"] for each in run.ear.systems("journal_set_aside")}
        assert {path.name for path in aside if not path.name.endswith("-shm")} >= told - {None}
        return run.compare(fault, times, earlier=1)


def _files(run: Run) -> list[Path]:
    return [path for path in (run.journal, Path(f"{run.journal}-wal")) if path.exists()]


def damaged_amid(folder: Path, times: int) -> Row:
    """A page in the middle of the file is overwritten while the daemon runs."""

    def damage(run: Run) -> None:
        _checkpoint(run)
        with run.journal.open("r+b") as file:
            pages = os.fstat(file.fileno()).st_size // 4096
            for page in range(1, pages):
                file.seek(page * 4096)
                if file.read(1) in (b"\x0d", b"\x05", b"\x0a", b"\x02"):
                    file.seek(page * 4096)
                    file.write(run.chance.randbytes(4096))

    return _damaged(folder, times, "journal's pages overwritten while running", damage, running=True)


def _checkpoint(run: Run) -> None:
    """Have what is in the write-ahead file brought into the database, so that its pages are read from there."""
    import sqlite3

    with contextlib.closing(sqlite3.connect(run.journal, timeout=5)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def cut_short(folder: Path, times: int) -> Row:
    """The file is cut short while the daemon is down."""

    def damage(run: Run) -> None:
        size = run.journal.stat().st_size
        os.truncate(run.journal, run.chance.randrange(5_000, max(size // 2, 5_001)))

    return _damaged(folder, times, "journal cut short while stopped", damage, running=False)


def overwritten(folder: Path, times: int) -> Row:
    """The beginning of the file is gone: it is no database any more."""

    def damage(run: Run) -> None:
        with run.journal.open("r+b") as file:
            file.write(run.chance.randbytes(4096))

    return _damaged(folder, times, "journal's beginning overwritten while stopped", damage, running=False)


def removed(folder: Path, times: int) -> Row:
    """Somebody removes the files under the running daemon."""

    def damage(run: Run) -> None:
        for path in _files(run):
            path.unlink()

    return _damaged(folder, times, "journal removed while running", damage, running=True)


FAULTS = {
    killed: (2, 500),
    killed_any_time: (0, 50),
    power_cut: (20, 1000),
    full: (0, 5),
    read_only: (1, 10),
    failing: (0, 10),
    full_at_start: (0, 5),
    read_only_at_start: (0, 5),
    damaged_amid: (1, 10),
    cut_short: (1, 10),
    overwritten: (0, 10),
    removed: (0, 10),
}
"""Fault to how often it is done in `make test` (0: it takes too long, or another shows it too) and in `make faults`."""
