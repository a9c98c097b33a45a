"""`pitwatch cases` as people use it: who they are is proved, what they did is printed, the day becomes a document."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import platform
import pwd
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.cases import CaseStore, Change
from pitwatch.floor.cases.heads import HeadSigner
from tests.floor.cases.made import BOB, opened

EVIL = "<script>alert(1)</script>"
ME = f"{pwd.getpwuid(os.getuid()).pw_name}@{platform.node()}"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["cases", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    """FLOOR.toml with a database of two cases; the first is a jackpot."""

    async def make() -> None:
        store = store_at(f"sqlite:{tmp_path / 'floor.db'}")
        await store.open()
        cases = CaseStore(store)
        await opened(cases, case_kind="jackpot", checklist=("hand verified", "meter unlocked"))
        await opened(cases, table="toledo/BJ-01", title=EVIL)
        await HeadSigner(store, "house.example/cases", tmp_path / "cases.key").sign()
        await store.close()

    asyncio.run(make())
    file = tmp_path / "FLOOR.toml"
    file.write_text(
        f'[mqtt]\nurl = "mqtt://127.0.0.1"\n[archive]\ndatabase = "sqlite:{tmp_path / "floor.db"}"\n'
        '[cases]\nkey = "cases.key"\ndispositions = ["paid", "no fault"]\n[pace]\nzone = "America/New_York"\n'
    )
    return file


def of_another(floor: Path, change: Change) -> None:
    async def append() -> None:
        store = store_at(f"sqlite:{floor.parent / 'floor.db'}")
        await store.open()
        await CaseStore(store).append(change, BOB)
        await store.close()

    asyncio.run(append())


def test_a_case_is_worked_on_by_the_account_that_runs_the_program(
    floor: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER"):
        monkeypatch.setenv(name, "shift-manager")
    of = ("--floor", str(floor))
    code, out, _ = run(capsys, "take", "1", *of)
    assert (code, out) == (0, f"case 1, entry 3: {ME} (system account) took it in hand\n")
    assert run(capsys, "tick", "1", "2", "--text", "key card", *of)[0] == 0
    assert run(capsys, "note", "1", "waiting", *of)[0] == 0
    code, _, err = run(capsys, "close", "1", "paid", *of)
    assert (code, err) == (2, "case 1 has open items: hand verified\n")
    assert run(capsys, "tick", "1", "hand verified", *of)[0] == 0
    code, _, err = run(capsys, "close", "1", "all fine", *of)
    assert (code, err) == (2, '"all fine" is no disposition of this house; there are: paid; no fault\n')
    assert run(capsys, "correct", "1", "5", "waiting for the form", *of)[0] == 0
    assert run(capsys, "link", "1", "2", *of)[0] == 0
    assert run(capsys, "close", "1", "paid", "--text", "in full", *of)[0] == 0
    assert [json.loads(line)["case"] for line in run(capsys, "list", "--json", *of)[1].splitlines()] == [2]
    assert len(run(capsys, "list", "--all", "--json", *of)[1].splitlines()) == 2
    out = run(capsys, "show", "1", *of)[1]
    assert "jackpot, alert, toledo/RL-07; closed, paid since" in out
    assert "  1. hand verified: done " in out
    assert f"{ME} (system account): corrected entry 5: waiting for the form" in out
    shown = json.loads(run(capsys, "show", "1", "--json", *of)[1])
    assert (shown["state"], shown["links"], len(shown["entries"])) == ("closed", [2], 8)


def test_what_a_person_saw_is_a_case_too(floor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = ("--floor", str(floor))
    told = ("open", "A patron disputes a payout", "--table", "toledo/BJ-01", "--at", "2026-11-28T01:30:00+01:00")
    code, out, _ = run(capsys, *told, *of)
    assert (code, out) == (0, f"case 3, entry 3: {ME} (system account) opened: A patron disputes a payout\n")
    shown = json.loads(run(capsys, "show", "3", "--json", *of)[1])
    assert (shown["kind"], shown["severity"], shown["table"]) == ("report", "notice", "toledo/BJ-01")
    assert shown["events"][0]["at"] == "2026-11-28T00:30:00.000000Z"
    assert run(capsys, "close", "3", "no fault", *of)[0] == 0


def test_what_another_did_meanwhile_is_reported_before_it_is_undone(
    floor: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = ("--floor", str(floor))
    of_another(floor, Change(kind="take", case=2, seen=2))
    code, _, err = run(capsys, "take", "2", *of)
    assert code == 2
    assert err.startswith("case 2 changed after you looked at it: bob took it in hand at ")
    assert err.endswith("look at it again: pitwatch cases show 2, and then --seen ENTRY\n")
    assert run(capsys, "take", "2", "--seen", "3", *of)[0] == 0
    of_another(floor, Change(kind="note", case=2, text="wait"))
    assert run(capsys, "close", "2", "no fault", *of)[0] == 2
    assert run(capsys, "close", "2", "no fault", "--seen", "5", *of)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("show", "77"), "there is no case 77; pitwatch cases list --all shows them"),
        (("note", "1", "bell \x07"), "text has a character that cannot be printed"),
        (("log", "tomorrow"), "'tomorrow' is no day; such as 2026-11-28 is right"),
        (("log", "--out", "day.pdf"), "day.pdf: the name must end in .html, .csv or .json"),
        (("list", "--table", "RL-07"), '--table "RL-07" is no table; SITE/TABLE of letters, digits, - and _ is right'),
        (("verify", "--head", "nowhere"), "nowhere: no such file; a signed head of the cases is right"),
    ],
)
def test_bad_input_gets_one_line(
    floor: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], why: str
) -> None:
    assert run(capsys, *arguments, "--floor", str(floor)) == (2, "", f"{why}\n")


def test_the_log_of_a_day_is_a_document(floor: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    of = ("--floor", str(floor))
    run(capsys, "note", "1", "=HYPERLINK(1)\nsecond line", *of)
    run(capsys, "correct", "1", "3", EVIL, *of)
    page = run(capsys, "log", *of)[1]
    assert "<script>" not in page
    assert page.count("&lt;script&gt;") == 4  # opened, corrected, the correction below the note, open at the end
    assert "2 cases opened, 0 closed, 2 open at the end of the day." in page
    assert "house.example/cases" not in page  # what is signed does not cover the day yet
    assert "Not signed yet." in page
    log = json.loads(run(capsys, "log", "--json", *of)[1])
    assert [each["what"].partition(":")[0] for each in log["entries"]] == [
        "opened", "opened", "noted", "corrected entry 3",
    ]  # fmt: skip
    assert log["begin"].endswith(("T06:00:00-05:00", "T06:00:00-04:00"))
    assert [each["text"] for each in log["entries"][2]["corrections"]] == [EVIL]
    out = tmp_path / "day.csv"
    assert run(capsys, "log", "--out", str(out), *of)[0] == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert rows[2]["what"] == "noted: =HYPERLINK(1)\nsecond line"
    assert rows[2]["by"] == ME
    one = json.loads(run(capsys, "log", "--json", "--table", "toledo/BJ-01", *of)[1])
    assert [each["case"] for each in one["entries"]] == [2]
    assert json.loads(run(capsys, "log", "2020-01-01", "--json", *of)[1])["open"] == []


def test_verify_names_what_was_altered(floor: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    of = ("--floor", str(floor))
    assert run(capsys, "verify", *of) == (0, "2 entries of 2 cases, 2 genuine heads: right\n", "")
    run(capsys, "note", "1", "late", *of)
    assert "open   entries 3 to 3 are not covered" in run(capsys, "verify", *of)[1]
    head = tmp_path / "kept.head"
    head.write_bytes((tmp_path / "cases.head").read_bytes())

    async def cut() -> None:
        store = store_at(f"sqlite:{tmp_path / 'floor.db'}")
        await store.open()
        for table in ("case_changes", "case_heads", "cases"):
            await store.change(f"DELETE FROM {table}")
        await store.close()

    asyncio.run(cut())
    (tmp_path / "cases.head").unlink()
    assert run(capsys, "verify", *of)[0] == 0  # nobody knows of anything
    code, out, _ = run(capsys, "verify", "--head", str(head), *of)
    assert code == 1
    assert "fault  entry 2, head: 2 entries were signed, and the chain is right up to 0 only" in out
    json_out = run(capsys, "verify", "--json", "--head", str(head), *of)[1].splitlines()
    assert json.loads(json_out[0])["what"] == "head"


class House:
    """A house of `pitwatch provision`, and FLOOR.toml with a client's certificate."""

    def __init__(self, floor: Path):
        pytest.importorskip("cryptography")
        self.folder = floor.parent / "house"
        names = ["--surveillance", "eye", "--reader", "wall", "--table", "toledo/RL-07"]
        assert cli.main(["provision", str(self.folder), "--broker", "127.0.0.1", *names]) == 0
        self._plain, self._floor = floor.read_text().partition("\n")[2], floor

    def use(self, cert: str, key: str, ca: str = "ca/ca.crt") -> None:
        files = {"cert": cert, "key": key, "ca": ca}
        lines = "".join(f'{name} = "{self.folder / file}"\n' for name, file in files.items())
        self._floor.write_text(f"[mqtt]\n{lines}{self._plain}".replace("mqtt://", "mqtts://"))


def test_a_certificate_is_the_author_if_its_key_is_here(floor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = House(floor)
    house.use("surveillance/eye/client.crt", "surveillance/eye/client.key")
    capsys.readouterr()
    assert run(capsys, "take", "2", "--floor", str(floor))[:2] == (0, "case 2, entry 3: eye took it in hand\n")
    shown = json.loads(run(capsys, "show", "2", "--json", "--floor", str(floor))[1])
    assert shown["holder"] == {"name": "eye", "kind": "certificate"}


@pytest.mark.parametrize("attack", ["another's key", "self-made", "another house", "no authority"])
def test_nobody_is_named_by_a_certificate_that_is_not_his(
    floor: Path, capsys: pytest.CaptureFixture[str], attack: str, tmp_path: Path
) -> None:
    house = House(floor)
    made, key = tmp_path / "made.crt", tmp_path / "made.key"
    command = ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=eye", "-days", "9"]
    subprocess.run([*command, "-out", made, "-keyout", key], check=True, capture_output=True)
    key.chmod(0o600)
    eye = "surveillance/eye/client.crt"
    match attack:
        case "another's key":
            house.use(eye, "reader/wall/client.key")
        case "self-made":
            house.use(str(made), str(key))
        case "another house":
            house.use(eye, "surveillance/eye/client.key", str(made))
        case _:
            house.use(eye, "surveillance/eye/client.key")
            floor.write_text("\n".join(line for line in floor.read_text().split("\n") if not line.startswith("ca =")))
    capsys.readouterr()
    code, out, err = run(capsys, "take", "2", "--floor", str(floor))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "client.crt" in err or "made.crt" in err
    assert json.loads(run(capsys, "show", "2", "--json", "--floor", str(floor))[1])["state"] == "new"


def test_a_gaming_day_has_the_house_s_hours() -> None:
    from datetime import date

    from pitwatch.floor.cases.day_log import day_of, gaming_day
    from pitwatch.floor.pace.config import PaceSection

    house = PaceSection(zone="America/New_York")
    begin, end = gaming_day(date(2026, 10, 31), "06:00", house)  # the clock goes back in this night
    assert (begin, end) == (datetime(2026, 10, 31, 10, tzinfo=UTC), datetime(2026, 11, 1, 11, tzinfo=UTC))
    assert day_of(datetime(2026, 11, 1, 10, 59, tzinfo=UTC), "06:00", house) == date(2026, 10, 31)
    assert day_of(end, "06:00", house) == date(2026, 11, 1)
