"""`pitwatch check`: what cannot be used is an error, what cannot be meant is a note."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config import config
from pitwatch.daemon.doctor.notes import notes

HEAD = """
[table]
site = "toledo"
id = "T-1"
game = "toledo-2020/{game}"
[mqtt]
url = "{url}"
"""
WHEEL = """
[[device]]
id = "wheel"
type = "wheel"
protocol = "slingshot2"
link = "serial:/dev/ttyUSB0"
"""
SHOE = """
[[device]]
id = "shoe"
type = "shoe"
protocol = "angel_eye"
link = "serial:/dev/ttyUSB1"
"""
PLACING = SHOE.replace("angel_eye", "ndjson")
PANEL = """
[[device]]
id = "panel"
type = "panel"
link = "gpio:"
lines = { no-more-bets = { chip = "c", line = 1 } }
"""
KEYS = """
[[device]]
id = "keys-NUMBER"
type = "key_reader"
protocol = "osdp"
link = "osdp:serial:/dev/ttyUSB2?address=NUMBER"
"""
CARDS = "shoe.card_drawn:placed or card_position.card_placed or shuffler.packet_dispensed"
BENCH = sorted((Path(__file__).parents[2] / "sim_hw" / "tables").glob("*.toml"))


def table(tmp_path, game, *devices, url="mqtt://127.0.0.1:1"):
    path = tmp_path / "table.toml"
    path.write_text(HEAD.format(game=game, url=url) + "".join(devices))
    return str(path)


def asked(capsys, path):
    """(exit code, the notes as printed, the answer in JSON)."""
    code = cli.main(["check", path])
    out = capsys.readouterr().out
    assert cli.main(["check", path, "--json"]) == code
    printed = [line.removeprefix("  note     ") for line in out.splitlines() if line.startswith("  note     ")]
    answer = json.loads(capsys.readouterr().out)
    assert answer["warnings"] == printed
    return code, printed, answer


@pytest.mark.parametrize(
    ("game", "devices", "told"),
    [
        ("roulette", [WHEEL, PANEL], []),
        ("mini-midi-baccarat", [SHOE], []),
        ("blackjack", [SHOE], [f"nothing follows blackjack: it needs {CARDS}"]),  # it knows no seat
        ("blackjack", [PLACING], ["without a panel or a reader under the felt some rounds of blackjack cannot be "
                                  "separated, and are not judged"]),
        ("blackjack", [PLACING, PANEL], []),
        ("craps", [WHEEL], ["nothing follows craps: it needs dice.throw_started",
                            'device "wheel": a wheel shows nothing that craps uses']),
        ("blackjack", [WHEEL], [f"nothing follows blackjack: it needs {CARDS}",
                                'device "wheel": a wheel shows nothing that blackjack uses']),
        ("mini-midi-baccarat", [SHOE, WHEEL], ['device "wheel": a wheel shows nothing that mini-midi-baccarat uses']),
        ("roulette", [PANEL], ["nothing follows roulette: it needs wheel.ball_launched"]),
        ("roulette", [], ["there is no [[device]], so nothing follows roulette: it needs wheel.ball_launched"]),
        ("aggregate-payout-limit", [PANEL],
         ["nothing follows aggregate-payout-limit: it has no rounds; in table.game stands the game that is dealt"]),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_meant_has_notes(tmp_path, capsys, game, devices, told):
    code, printed, _ = asked(capsys, table(tmp_path, game, *devices))
    assert (code, printed) == (0, told)


@pytest.mark.parametrize("path", BENCH, ids=lambda path: path.stem)
def test_the_tables_of_the_bench_have_none(path):
    assert [note for note in notes(config.load(path)) if not note.startswith("[mqtt] is missing")] == []


def test_how_many_rules_are_judged(tmp_path, capsys):
    path = table(tmp_path, "craps", WHEEL)
    rules = asked(capsys, path)[2]["rules"]
    cli.main(["rules", "coverage", path, "--json"])
    covered = json.loads(capsys.readouterr().out)
    judged, others = len(covered["judged"]), sum(len(covered[key]) for key in ("needs_more", "person", "nobody"))
    assert rules == {"judged": judged, "of": judged + others}
    cli.main(["check", path])
    line = f"  rules    {judged} of {judged + others} judged; see pitwatch rules coverage {path}\n"
    assert line in capsys.readouterr().out


def test_files_of_the_broker_that_are_not_here(tmp_path, capsys):
    for name in ("ca.pem", "cert.pem", "password"):
        (tmp_path / name).touch(0o600)
    (tmp_path / "key.pem").mkdir(0o700)
    more = '"\nca = "{}"\ncert = "cert.pem"\nkey = "{}"\nusername = "me"\npassword_file = "{}'
    path = table(tmp_path, "roulette", WHEEL, url="mqtts://b" + more.format("ca.pem", "key.pem", "passwort"))
    assert asked(capsys, path)[:2] == (
        0,
        [
            f"mqtt.key: no such file here: {tmp_path}/key.pem",
            f"mqtt.password_file: no such file here: {tmp_path}/passwort",
        ],
    )
    (tmp_path / "key.pem").rmdir()
    (tmp_path / "key.pem").touch(0o600)
    path = table(tmp_path, "roulette", WHEEL, url="mqtts://b" + more.format("ca.pem", "key.pem", "password"))
    assert asked(capsys, path)[:2] == (0, [])


NODE = "node:serial:/dev/ttyACM0"
NODES = PANEL.replace("gpio:", NODE).replace('chip = "c", ', "")


@pytest.mark.parametrize(
    ("devices", "told"),
    [
        ([WHEEL, SHOE.replace("USB1", "USB0")], "device[1].link: /dev/ttyUSB0 is already the port of device[0]"),
        ([WHEEL, SHOE.replace("USB1", "USB0?baud=9600")], "device[1].link: /dev/ttyUSB0 is already the port of dev"),
        ([SHOE, KEYS.replace("USB2", "USB1")], "device[1].link: /dev/ttyUSB1 is already the port of device[0]"),
        ([KEYS.replace("NUMBER", "1"), KEYS.replace("keys-NUMBER", "other").replace("NUMBER", "1")],
         "device[1].link: address=1 on /dev/ttyUSB2 is already device[0]'s; give each reader its own"),
        ([KEYS.replace("NUMBER", "1"), KEYS.replace("NUMBER", "2")], ""),
        ([WHEEL, SHOE], ""),
        ([NODES, NODES.replace('id = "panel"', 'id = "more"').replace("line = 1", "line = 2")], ""),
    ],
)  # fmt: skip
def test_a_port_serves_one_device(tmp_path, capsys, devices, told):
    path = table(tmp_path, "roulette", *(each.replace("NUMBER", "0") for each in devices))
    assert cli.main(["check", path]) == (2 if told else 0)
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == bool(told)


WRONG = """
colour = "green"
[table]
site = "toledo"
id = "T-1"
game = "toledo-2020/roulete"
[mqtt]
url = "http://127.0.0.1"
[journal]
keep_days = 0
[video]
preroll_s = -1
[[device]]
id = "wheel"
type = "weel"
link = "none"
[[device]]
id = "panel"
type = "panel"
link = "none"
[[device]]
id = "panel"
type = "panel"
link = "none"
[people]
"1" = { role = "bos" }
"2" = { role = "dealer" }
"3" = {}
"""
KEYS_AT_FAULT = (
    "colour", "table.game", "mqtt.url", "journal.keep_days", "video.preroll_s", "device[0].type", "device[2].id",
    'people."1".role', 'people."3".role',
)  # fmt: skip


def test_every_part_that_is_wrong_is_told(tmp_path, capsys):
    path = tmp_path / "table.toml"
    path.write_text(WRONG)
    assert cli.main(["check", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.removeprefix(f"{path}: ").partition(": ")[0] for line in err.splitlines()] == list(KEYS_AT_FAULT)
    assert cli.main(["run", str(path)]) == 2
    assert capsys.readouterr().err == err.splitlines(keepends=True)[0]


BOTH = 'password_file = "p"\nrequests = ["replay"]'
PASSWORD = "mqtt.password_file: broker.example gets the password unencrypted, and the network can read it; use mqtts://"
REQUESTS = "mqtt.requests: broker.example is not encrypted, and the network can ask in any name; use mqtts://"


@pytest.mark.parametrize(
    ("url", "more", "told"),
    [
        ('"mqtt://broker.example"', 'password_file = "p"', [PASSWORD]),
        ('"mqtt://broker.example"', 'requests = ["snapshot"]', [REQUESTS]),
        ('["mqtts://a.example", "mqtt://broker.example"]', BOTH, [PASSWORD, REQUESTS]),
        ('"mqtts://broker.example"', BOTH, []),
        ('["mqtt://127.0.0.1", "mqtt://[::1]", "mqtt://localhost"]', BOTH, []),
        ('"mqtt://broker.example"', "", []),
    ],
)  # fmt: skip
def test_what_the_network_can_read_or_forge_is_a_note(tmp_path, url, more, told):
    (tmp_path / "p").write_text("secret")
    (tmp_path / "p").chmod(0o600)
    path = tmp_path / "t.toml"
    path.write_text(
        f'[table]\nsite = "a"\nid = "b"\ngame = "toledo-2020/roulette"\n[mqtt]\nurl = {url}\nusername = "u"\n{more}\n'
    )
    assert [note for note in notes(config.load(path)) if "mqtt" in note] == told
