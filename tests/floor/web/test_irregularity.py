"""The page of one irregularity: by the floor's model and by the archive; its proof verified and handed over."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import msgspec
import pytest

from pitwatch.daemon.evidence import package
from pitwatch.daemon.evidence.verifying import verify
from pitwatch.daemon.evidence.verifying_heads import Trust
from pitwatch.daemon.journal.signing import Signer
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.evidence.custody import earlier
from pitwatch.floor.web import packages
from tests.floor.watch import made
from tests.floor.web.archived import TABLE, archived
from tests.floor.web.house import House


@pytest.fixture
async def kept(tmp_path: Path) -> tuple[House, str, int]:
    house, sequence, _ = await archived(tmp_path)
    house.account("ann", "surveillance")
    return house, f"/irregularity/{TABLE}/{sequence}", sequence


async def test_an_irregularity_of_the_archive_is_shown_with_its_evidence(kept: tuple[House, str, int]) -> None:
    house, path, _ = kept
    text = (await house.browser("ann").get(path)).text
    for part in (
        "Seen",
        "Required",
        "written in",
        "camera pit-1",
        'class="timing"',
        'class="cited"',
        "Verify the proof",
    ):
        assert part in text, part
    assert "not here and not in the archive" not in text
    assert "Acknowledge as" not in text  # it is not open here


async def test_the_package_is_the_one_that_the_command_makes(kept: tuple[House, str, int], tmp_path: Path) -> None:
    house, path, sequence = kept
    answer = await house.browser("ann").post(f"{path}/package", on=path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == f'attachment; filename="toledo-BA-01-{sequence}.zip"'
    file = tmp_path / f"toledo-BA-01-{sequence}.zip"
    file.write_bytes(answer.content)
    key = Signer(Path(house.config.evidence.key)).prepare()
    verdict = verify(file, Trust(keys=frozenset({key})))
    assert verdict.faults == []
    assert not verify(file, Trust(keys=frozenset({"A" * 59 + "="}))).ok
    _, files = package.read(file)
    assert json.loads(files["custody.jsonl"].splitlines()[-1])["by"] == "ann"
    store = store_at(house.config.archive.database)
    await store.open()
    (entry,) = await earlier(store, TABLE, sequence)
    await store.close()
    assert (entry.by, entry.manifest) == ("ann", package.digest_of(files))
    assert [each.act for each in house.parts.audit.newest(1)] == ["make evidence package"]
    assert all(
        name.startswith(f"toledo-BA-01-{sequence}/") for name in zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    )


async def test_the_proof_is_verified_with_one_click_and_a_false_one_is_not_genuine(
    kept: tuple[House, str, int], tmp_path: Path
) -> None:
    house, path, sequence = kept
    text = (await house.browser("ann").post(f"{path}/verify", on=path)).text
    assert f"toledo-BA-01-{sequence}: genuine" in text
    assert "archive alone" in text  # what it does not prove is said too
    of = await packages.made(house.parts, TABLE, sequence, "ann")
    path_of = tmp_path / f"{of.name}.zip"
    path_of.write_bytes(of.content)
    name, files = package.read(path_of)
    files["package.json"] = files["package.json"].replace(b"toledo/BA-01", b"toledo/BA-02")
    false = of._replace(content=package.zipped(name, files))
    assert "NOT VERIFIED" in (await packages.verified(house.parts, false, TABLE))[0]


@pytest.mark.parametrize("which", ["toledo/BA-01/999999", "toledo/XX-01/7", "toledo/BA-01/0", "..%2f..%2fetc/passwd/1"])
async def test_there_is_no_package_of_anything_else(kept: tuple[House, str, int], which: str) -> None:
    house, _, _ = kept
    browser = house.browser("ann")
    assert (await browser.get(f"/irregularity/{which}")).status_code in (404, 303)
    for act in ("package", "verify"):
        answer = await browser.post(f"/irregularity/{which}/{act}")
        assert answer.status_code in (404, 503)
        assert answer.headers["content-type"].startswith("text/html")


async def test_a_case_says_that_the_archive_is_away_and_not_that_there_is_none(kept: tuple[House, str, int]) -> None:
    house, path, _ = kept
    house.parts.archive._database = "sqlite:/nowhere/floor.db"
    answer = await house.browser("ann").get(path)
    assert answer.status_code == 503
    assert "the archive" in answer.text


async def test_what_is_open_is_acknowledged_by_the_account_whatever_the_form_says(house: House) -> None:
    house.account("ann", "surveillance")
    house.account("eve", "viewer")
    floor = house.parts.watching.floor
    floor.connection(None, made.NOW)
    floor.take(made.irregularity(7), made.NOW)
    path = "/irregularity/toledo/RL-07/7"
    assert (await house.browser("eve").post(f"{path}/acknowledge")).status_code == 403
    answer = await house.browser("ann").post(
        f"{path}/acknowledge", on=path, note="seen <b>it</b>", by="bob", name="bob"
    )
    assert answer.headers["location"] == path
    (concern,) = floor.concerns.values()
    assert concern.acknowledged is not None
    assert (concern.acknowledged.by, concern.acknowledged.note) == ("ann", "seen <b>it</b>")
    text = (await house.browser("ann").get(path)).text
    assert "seen &lt;b&gt;it&lt;/b&gt;" in text
    assert "<b>it</b>" not in text
    assert (await house.browser("ann").post(f"{path}/acknowledge", on="/account")).status_code == 409
    (entry,) = house.parts.audit.newest(9)
    assert (entry.who, entry.act, entry.subject) == ("ann", "acknowledge", "toledo/RL-07 7")


async def test_cards_of_an_open_round_are_shown_to_nobody_without_the_right(house: House) -> None:
    """Also where the table publishes them with everything else."""
    house.account("ann", "manager", "administrator")
    house.account("cam", "surveillance", "live-cards")
    watching = house.parts.watching
    watching.floor.connection(None, made.NOW)

    def card(sequence: int, code: str) -> None:
        data = {"t": 1.0, "device": "shoe", "event": "card_drawn", "data": {"card": code, "to": "player"}}
        watching._take(made.message("observation", data, sequence, subtopic="observation/shoe"))

    live = {"t": 1.0, "device": "shoe", "event": "card_drawn", "data": {"card": "QS", "to": "banker"}}
    seen = {"t": 1.0, "device": "shoe", "event": "card_drawn", "data": {"card": None, "to": "banker"}, "withheld": True}
    card(1, "7H")
    watching._take(made.message("observation", seen, 2, subtopic="observation/shoe"))
    watching._take(made.message("live", live, None, subtopic="live/shoe"))
    watching._take(made.irregularity(3, evidence=[1]))
    for path in ("/table/toledo/RL-07", "/irregularity/toledo/RL-07/3"):
        hidden = (await house.browser("ann").get(path)).text
        assert "hearts" not in hidden, path
        assert "7H" not in hidden, path
        assert "QS" not in hidden, path
        assert "queen" not in hidden, path
    shown = (await house.browser("cam").get("/table/toledo/RL-07")).text
    assert "7 of hearts" in shown
    assert "queen of spades" in shown
    over = {"round": 3, "cards": {"player": ["7H"], "banker": ["QS"]}, "result": {"winner": "player"}}
    watching._take(made.message("round", over, 4))
    assert "queen of spades" in (await house.browser("ann").get("/table/toledo/RL-07")).text


def test_what_a_page_says_of_a_record_is_never_more_than_the_record(house: House) -> None:
    """A record that cannot be read as an observation gives nothing away."""
    from pitwatch.floor.watch.concern import Kept
    from pitwatch.floor.web.open_rounds import evidence_without_cards

    kept = Kept("observation", msgspec.json.encode({"card": "7H", "event": 7}), "")
    assert b"7H" not in evidence_without_cards(kept).data
