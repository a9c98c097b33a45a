"""`pitwatch bench --panel`: hands act at simulated wires; daemon, broker and subscriber make verdicts of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.panel_client import PROGRAM, Browser, PanelRun

TABLES = Path(__file__).parents[2] / "sim_hw" / "tables"
SPEED = "60"


def panel(name: str, table: str) -> Iterator[PanelRun]:
    run = PanelRun(table, str(TABLES / f"{name}.toml"), "--panel", "--speed", SPEED)
    try:
        run.by_hand()
        yield run
        assert run.end() == 0, run.output
        assert "Traceback" not in "".join(run.output)
    finally:
        run.process.kill()


@pytest.fixture(scope="module")
def roulette() -> Iterator[PanelRun]:
    yield from panel("roulette", "RL-01")


@pytest.fixture(scope="module")
def craps() -> Iterator[PanelRun]:
    yield from panel("craps", "CR-01")


@pytest.fixture(scope="module")
def poker() -> Iterator[PanelRun]:
    yield from panel("three-card-poker", "TC-01")


# -- what hands do, and what becomes of it


def test_proper_play_by_hand_is_silent_and_a_spin_the_wrong_way_is_reported(roulette: PanelRun) -> None:
    browser, before = roulette.browser, len(roulette.browser.verdicts("round"))
    roulette.do("wheel", "launch", 5, pocket="17")
    roulette.do("panel", "press:no-more-bets", 40)
    roulette.do("panel", "press:round-over", 10)
    browser.until(lambda: len(browser.verdicts("round")) == before + 1)
    assert browser.verdicts("round")[-1]["result"]["pocket"] == "17"
    assert browser.rules() == []
    roulette.do("wheel", "launch", 3, way="with the rotor")
    found = browser.until(lambda: browser.verdicts("irregularity"))[0]
    assert found["rule"] == "toledo-2020/roulette/same-direction-spin"
    assert found["says"] == "The ball is spun in the direction of the wheel"
    assert found["citation"]["lines"] == "1658"
    # beside it, what it was made of: bytes of the wheel, and an observation
    wire = [line for line in browser.lines if line["kind"] == "wire" and line["device"] == "wheel"]
    assert any(line["text"].startswith("*X;3;") and line["hex"].startswith("2a 58 3b 33") for line in wire)
    seen = [line for line in browser.lines if line["kind"] == "observation" and line["event"] == "ball_launched"]
    assert seen[-1]["data"]["direction"] == found["observed"]["ball"]
    roulette.do("panel", "press:no-spin", 3)
    roulette.do("wheel", "take-out", 2)
    roulette.do("panel", "press:round-over", 15)


def test_a_plug_that_is_pulled_is_reported_and_one_that_is_put_in_again_too(roulette: PanelRun) -> None:
    browser = roulette.browser
    for device in ("wheel", "panel"):

        def state(wanted: str, device: str = device) -> bool:
            told = [data["state"] for data in browser.verdicts("device") if data["device"] == device]
            return bool(told) and told[-1] == wanted

        assert state("online")
        assert browser.post("plug", table="RL-01", device=device, inserted=False).status_code == 200
        roulette.play(paused=False)
        browser.until(lambda: state("offline"))
        assert not roulette.seen["plugged"][device]
        assert browser.post("plug", table="RL-01", device=device, inserted=True).status_code == 200
        browser.until(lambda: state("online"))
    before = len(browser.verdicts("round"))
    roulette.play(rounds=2)
    roulette.rests()
    browser.until(lambda: len(browser.verdicts("round")) > before and not browser.verdicts("round")[-1]["partial"])


def test_a_fault_by_name_is_played_and_reported_alone(roulette: PanelRun) -> None:
    browser, before = roulette.browser, Counter(roulette.browser.rules())
    for rule in ("result-mismatch", "late-no-more-bets"):
        roulette.play(fault=rule, paused=False)
        browser.until(lambda rule=rule: rule in browser.rules())
    roulette.rests()
    assert Counter(browser.rules()) - before == Counter({"result-mismatch": 1, "late-no-more-bets": 1})


def test_every_browser_sees_the_same_and_the_capture_is_judged_the_same(roulette: PanelRun, tmp_path: Path) -> None:
    browser, other = roulette.browser, Browser(roulette.address, roulette.token)
    try:
        other.until(lambda: other.verdicts("irregularity"))
        assert other.verdicts("irregularity") == browser.verdicts("irregularity")
        assert other.verdicts("round") == browser.verdicts("round")
    finally:
        other.close()
    saved = browser.client.get("/api/capture", params={"table": "RL-01"})
    assert "RL-01.jsonl" in saved.headers["content-disposition"]
    capture = tmp_path / "saved.jsonl"
    capture.write_bytes(saved.content)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("'bench', ", ""), "replay", str(capture), "--table",
         str(TABLES / "roulette.toml"), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    replayed = [json.loads(line) for line in done.stdout.splitlines()]

    def judged(kind: str, *names: str) -> list[list[object]]:
        return [[line["data"][name] for name in names] for line in replayed if line["type"] == f"pitwatch.{kind}.v1"]

    told = [[data[name] for name in ("rule", "observed", "round")] for data in browser.verdicts("irregularity")]
    assert judged("irregularity", "rule", "observed", "round") == told
    assert len(told) == 3
    rounds = [[data[name] for name in ("round", "result", "void", "partial")] for data in browser.verdicts("round")]
    assert judged("round", "round", "result", "void", "partial")[: len(rounds)] == rounds


def test_dice_by_hand(craps: PanelRun) -> None:
    browser, before = craps.browser, len(craps.browser.verdicts("round"))
    for first, second in (("6", "2"), ("2", "2"), ("1", "3")):
        craps.do("dice", "throw", 12, first=first, second=second)
    browser.until(lambda: len(browser.verdicts("round")) >= before + 2)
    assert browser.rules() == []
    assert [each["face"] for each in craps.seen["devices"]["dice"]["dice"]] == [1, 3]
    craps.do("dice", "throw", 3, place="one goes off the table")
    browser.until(lambda: browser.rules() == ["die-off-table"])
    craps.do("panel", "press:dice-inspected", 10)
    craps.do("keys", "show", 2, who="boxperson (12:34567)")
    browser.until(lambda: "credential_presented" in [line.get("event") for line in browser.lines])


def test_a_shuffler_that_is_jammed_in_the_deal(poker: PanelRun) -> None:
    browser = poker.browser
    poker.play(playing=True)
    while not poker.seen["devices"]["felt"]["laid"]:  # until packets come out
        poker.passes(2)
    poker.do("shuffler", "jam", 2)
    browser.until(lambda: "shuffler-fault-during-deal" in browser.rules())
    poker.do("shuffler", "clear")
    poker.play(playing=False)


# -- who may ask


def refused(run: PanelRun, method: str, path: str, status: int, **more: object) -> None:
    headers = {"authorization": f"Bearer {run.token}"} | dict(more.pop("headers", {}))  # type: ignore[call-overload]
    answer = httpx.request(method, run.address + path, headers=headers, timeout=60, **more)  # type: ignore[arg-type]
    assert answer.status_code == status, answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


def test_nobody_asks_without_the_token(roulette: PanelRun) -> None:
    for given in ("", "Bearer", f"Bearer {roulette.token}x", f"Basic {roulette.token}", "Bearer \u00e9"):
        for path in ("/api/tables", "/api/stream", "/api/capture?table=RL-01"):
            refused(roulette, "GET", path, 401, headers={"authorization": given.encode("latin-1")})
        refused(roulette, "POST", "/api/play", 401, headers={"authorization": given.encode("latin-1")}, json={})
    assert roulette.token not in httpx.get(roulette.address + "/").text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1]", ""])
def test_a_name_that_was_pointed_here_is_refused(roulette: PanelRun, host: str) -> None:
    for path in ("/", "/main.js", "/api/tables"):
        refused(roulette, "GET", path, 400, headers={"host": host})


def test_another_page_cannot_ask(roulette: PanelRun) -> None:
    asked = {"table": "RL-01", "device": "panel", "act": "press:no-spin"}
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        refused(roulette, "POST", "/api/act", 403, headers=headers, json=asked)
    refused(roulette, "OPTIONS", "/api/act", 405, headers={"access-control-request-method": "POST"})
    form = {"content-type": "application/x-www-form-urlencoded"}
    refused(roulette, "POST", "/api/act", 415, headers=form, content=json.dumps(asked))


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("act", b"", 400),
        ("act", b"\xff\xfe{}", 400),
        ("act", b"[" * 4000, 400),
        ("act", b'{"table": "RL-01", "device": "panel"}', 400),
        ("act", b'{"table": "RL-01", "device": "panel", "act": "press:no-spin", "more": 1}', 400),
        ("act", b'{"table": "RL-01", "device": "panel", "act": "press:no-spin", "given": {"a": {}}}', 400),
        ("act", b'{"table": "RL-01", "device": "panel", "act": "press:nothing"}', 409),
        ("act", b'{"table": "RL-01", "device": "../wheel", "act": "launch"}', 409),
        ("act", b'{"table": "RL-01", "device": "wheel", "act": "launch", "given": {"pocket": "37"}}', 409),
        ("act", b'{"table": "nowhere", "device": "wheel", "act": "launch"}', 404),
        ("plug", b'{"table": "RL-01", "device": "nothing", "inserted": false}', 409),
        ("play", b'{"table": "RL-01", "speed": 1e308}', 409),
        ("play", b'{"table": "RL-01", "speed": -1}', 409),
        ("play", b'{"table": "RL-01", "speed": NaN}', 400),
        ("play", b'{"table": "RL-01", "fault": "no-such-rule"}', 409),
        ("play", b" " * 9000, 413),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(roulette: PanelRun, path: str, content: bytes, status: int) -> None:
    answer = roulette.browser.client.post(f"/api/{path}", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_only_the_page_is_served_and_it_loads_nothing_from_elsewhere(roulette: PanelRun) -> None:
    for path in ("/../server.py", "/%2e%2e/server.py", "/server.py", "/index.html", "/page/", "/docs", "/openapi.json"):
        refused(roulette, "GET", path, 404)
    page = httpx.get(roulette.address + "/").text
    assert page.count("<script") == 1
    assert "onclick" not in page
    assert "style=" not in page
    for file in ("main.js", "panel.css", "ask.js"):
        text = httpx.get(f"{roulette.address}/{file}").text
        assert "https://" not in text
        assert "innerHTML" not in text


# -- how it begins and ends


def test_the_stream_ends_with_the_bench_and_no_file_is_left(tmp_path: Path) -> None:
    run = PanelRun("CR-01", "--panel", "--speed", SPEED, folder=tmp_path)
    try:
        assert set(run.browser.until(lambda: run.browser.seen)) == {"RL-01", "CR-01", "BA-01", "TC-01"}
        run.process.send_signal(2)
        assert run.process.wait(90) == 0, run.output
        assert run.browser.ended()
    finally:
        run.process.kill()
    assert "Traceback" not in "".join(run.output)
    assert list(tmp_path.iterdir()) == []


def test_the_page_of_a_plan_is_shown_while_it_is_played_and_ends_with_it() -> None:
    run = PanelRun("CR-01", str(TABLES / "craps.toml"), "--fault", "die-off-table", "--show", "--speed", "100")
    try:
        run.browser.until(lambda: run.browser.seen)
        answer = run.browser.post("act", table="CR-01", device="panel", act="press:no-roll")
        assert answer.status_code == 409
        assert "planned" in answer.json()["error"]
        assert run.process.wait(90) == 0, run.output
        run.end()
    finally:
        run.process.kill()
    assert "Everything that was planned was reported, and nothing else." in " ".join("".join(run.output).split())


def test_without_the_extra_one_line_says_what_to_install() -> None:
    prelude = "import sys; sys.modules['starlette'] = None; "
    done = subprocess.run(
        [sys.executable, "-c", prelude + PROGRAM, "--panel"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "extra bench" in done.stderr
