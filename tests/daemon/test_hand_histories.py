"""Hands that people really played, through `pitwatch replay`: no irregularity, and the winners that pokerkit finds.

pokerkit's evaluators are the independent truth; the hands are those of tests/hand_histories.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pokerkit
import pytest

from pitwatch.daemon import cli

HANDS = Path(__file__).parents[1] / "hand_histories"

GAMES = {
    "NT": "california/texas-holdem",
    "FT": "columbus-2016/texas-holdem",
    "PO": "california/omaha",
    "FO/8": "california/omaha-high-low-split",
    "F7S": "columbus-2016/seven-card-stud",
    "F7S/8": "california/seven-card-stud-high-low-split",
    "FR": "california/razz",
    "FB": "california/badugi",
}
"""The game of a book that is played by the rules of a PHH variant. None has deuce-to-seven or short-deck."""

SHARES = {
    "NT": {"high": pokerkit.StandardHighHand},
    "FT": {"high": pokerkit.StandardHighHand},
    "PO": {"high": pokerkit.OmahaHoldemHand},
    "FO/8": {"high": pokerkit.OmahaHoldemHand, "low": pokerkit.OmahaEightOrBetterLowHand},
    "F7S": {"high": pokerkit.StandardHighHand},
    "F7S/8": {"high": pokerkit.StandardHighHand, "low": pokerkit.EightOrBetterLowHand},
    "FR": {"low": pokerkit.RegularLowHand},
    "FB": {"badugi": pokerkit.BadugiHand},
}

TABLE = """
[table]
site = "room"
id = "PK-01"
game = "{game}"
[[device]]
id = "felt"
type = "card_position"
link = "none"
protocol = "card_lines"
[device.channels]
{channels}
[[device]]
id = "panel"
type = "panel"
link = "none"
protocol = "ndjson"
"""
CHANNELS = "\n".join([f'"{n}" = "seat-{n}"' for n in range(1, 10)] + ['"board" = "community"'])


def table(tmp_path: Path, game: str, channels: str = CHANNELS) -> str:
    path = tmp_path / "table.toml"
    path.write_text(TABLE.format(game=game, channels=channels))
    return str(path)


def replay(capsysbinary: Any, history: Path, table: str) -> list[dict[str, Any]]:
    assert cli.main(["replay", str(history), "--table", table]) == 0
    return [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]


def played(path: Path) -> tuple[dict[int, str], str]:
    """What each player who did not fold held at the end, and the board, by the history itself. Who mucks at the
    showdown has lost it; his cards lay there and were read."""
    hole: dict[int, list[str]] = {}
    board = ""
    for action in tomllib.loads(path.read_text())["actions"]:
        words = action.partition("#")[0].split()
        match words:
            case ["d", "dh", player, cards]:
                hole.setdefault(int(player[1:]), []).extend(cards[at : at + 2] for at in range(0, len(cards), 2))
            case ["d", "db", cards]:
                board += cards
            case [player, "f"]:
                del hole[int(player[1:])]
            case [player, "sd", cards]:
                for at in range(0, len(cards), 2):
                    hole[int(player[1:])].remove(cards[at : at + 2])
            case [player, "sm", cards]:
                hole[int(player[1:])] = [cards[at : at + 2] for at in range(0, len(cards), 2)]
    return {player: "".join(cards) for player, cards in hole.items()}, board


def winners(path: Path, variant: str) -> dict[str, list[str] | None]:
    """Seats by share of the pot; None where a hand that is left was never shown."""
    left, board = played(path)
    found: dict[str, list[str] | None] = {}
    for share, kind in SHARES[variant].items():
        if len(left) == 1:
            found[share] = [f"seat-{player}" for player in left]
            continue
        if any("?" in cards for cards in left.values()):
            found[share] = None
            continue
        hands = {player: kind.from_game_or_none(cards, board) for player, cards in left.items()}
        good = {player: hand for player, hand in hands.items() if hand is not None}
        best = max(good.values(), default=None)
        found[share] = sorted(f"seat-{player}" for player, hand in good.items() if hand == best)
    return found


def histories() -> list[tuple[Path, str]]:
    variants = {path: tomllib.loads(path.read_text())["variant"] for path in sorted(HANDS.glob("*/*.phh"))}
    return [(path, variant) for path, variant in variants.items() if variant in GAMES]


def test_hands_of_every_game_that_the_books_know_are_there() -> None:
    assert {variant for _, variant in histories()} == set(GAMES)
    assert len(histories()) > 90


@pytest.mark.parametrize(("path", "variant"), histories(), ids=lambda value: getattr(value, "stem", value))
def test_a_real_hand_has_its_winners_and_nothing_irregular(path, variant, tmp_path, capsysbinary) -> None:
    records = replay(capsysbinary, path, table(tmp_path, GAMES[variant]))
    assert [record["type"] for record in records] == ["pitwatch.round.v1"]
    round_ = records[0]["data"]
    assert (round_["partial"], round_["void"]) == (False, None)
    named = round_["result"]["winners"]
    assert {share: named[share] and sorted(named[share]) for share in named} == winners(path, variant)


def gfx(**changes: Any) -> dict[str, Any]:
    """Two hands as PokerGFX 3.2 exports them: cards in both of its ways, a hand that nobody showed, a seat out."""
    players = [
        {"PlayerNum": 7, "HoleCards": ["10d 9d"], "SittingOut": False},
        {"PlayerNum": 2, "HoleCards": ["as", "kh"], "SittingOut": False},
        {"PlayerNum": 4, "HoleCards": [""], "SittingOut": False},
        {"PlayerNum": 5, "HoleCards": [""], "SittingOut": True},
    ]
    events = [
        {"EventType": "CALL", "PlayerNum": 2},
        {"EventType": "FOLD", "PlayerNum": 4},
        {"EventType": "BOARD CARD", "PlayerNum": 0, "BoardCards": ["8d", "7d", "2c"]},
        {"EventType": "BOARD_CARD", "PlayerNum": 0, "BoardCards": "qd"},
        {"EventType": "ALL IN", "PlayerNum": 2},
        {"EventType": "BOARD CARD", "PlayerNum": 0, "BoardCards": "10c"},
    ]
    nobody = {"HandNum": 2, "Players": [{"PlayerNum": 1, "HoleCards": [""], "SittingOut": True}], "Events": []}
    hand = {"HandNum": 1, "GameVariant": "HOLDEM", "Players": players, "Events": events} | changes
    return {"SoftwareVersion": "PokerGFX 3.2", "Hands": [hand, nobody]}


def test_a_pokergfx_export(tmp_path, capsysbinary) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(gfx()))
    (record,) = replay(capsysbinary, path, table(tmp_path, "california/texas-holdem"))
    assert record["data"]["cards"] == {
        "seat-2": ["AS", "KH"],
        "seat-4": [None, None],
        "seat-7": ["TD", "9D"],
        "community": ["8D", "7D", "2C", "QD", "TC"],
    }
    assert record["data"]["result"]["winners"] == {"high": ["seat-7"]}
    assert record["data"]["result"]["seat-7"] == {"high": "flush"}


def test_many_hands_in_one_phhs_file(tmp_path, capsysbinary) -> None:
    whole = tmp_path / "many.phhs"
    paths = [path for path, variant in histories() if variant == "F7S/8"]
    whole.write_text("".join(f"[{n}]\n{path.read_text()}\n" for n, path in enumerate(paths, 1)))
    records = replay(capsysbinary, whole, table(tmp_path, GAMES["F7S/8"]))
    assert [record["type"] for record in records] == ["pitwatch.round.v1"] * len(paths)
    for record, path in zip(records, paths, strict=True):
        named = record["data"]["result"]["winners"]
        assert {share: named[share] and sorted(named[share]) for share in named} == winners(path, "F7S/8")


def test_a_card_too_many_in_a_history_is_reported(tmp_path, capsysbinary) -> None:
    """The import hides nothing: a third card in the hand is what it is at a table."""
    path = tmp_path / "three.phh"
    path.write_text(
        'variant = "NT"\nactions = ["d dh p1 AcAdAh", "d dh p2 KcKd", "p1 cc", "p2 cc", "d db 7s8s9s", "p1 cc"]\n'
    )
    records = replay(capsysbinary, path, table(tmp_path, "columbus-2016/texas-holdem"))
    rules = [r["data"]["rule"].rpartition("/")[2] for r in records if r["type"] == "pitwatch.irregularity.v1"]
    assert "wrong-card-count" in rules


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.phh", "actions = [", "no PHH, for it is no TOML"),
        ("a.phh", "variant = 'NT'", "actions: missing"),
        ("a.phh", "", "no hand"),
        ("a.phh", 'actions = ["d dh p1 AcKx"]', "actions[0]: 'd dh p1 AcKx': 'AcKx' is no row of cards"),
        ("a.phh", 'actions = ["d dh p1 Ac?d"]', "'?d' is no card"),
        ("a.phh", 'actions = ["p1 f", "p1 sings"]', "actions[1]: 'p1 sings': no action"),
        ("a.phh", 'actions = ["p10 f"]', "player 10 has no seat"),
        ("a.phh", 'seats = [3]\nactions = ["p2 f"]', "p2 has no seat in seats"),
        ("a.phh", "actions = [7]", "actions[0]: no text"),
        ("a.phhs", "[1]\nactions = ['x y']", "[1] actions[0]: 'x y': no action"),
        ("a.phh", b"\xff\xfe", "no PHH"),
        ("a.json", "{", "not readable"),
        ("a.json", "[]", "Hands: missing"),
        ("a.json", json.dumps({"Hands": [7]}), "Hands[0]"),
        ("a.json", json.dumps(gfx(Players=[{"PlayerNum": 1, "HoleCards": ["1d"]}])), "Hands[0]: '1d' is no card"),
        (
            "a.json",
            json.dumps(gfx(Players=[{"PlayerNum": 10, "HoleCards": ["as"]}])),
            "Hands[0]: player 10 has no seat",
        ),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(name, text, told, tmp_path, capsysbinary) -> None:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert cli.main(["replay", str(path), "--table", table(tmp_path, "california/texas-holdem")]) == 2
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err.decode().count("\n") == 1
    assert told in err.decode()
    assert str(path) in err.decode()


def test_a_table_whose_reader_sees_burn_cards_is_refused(tmp_path, capsysbinary) -> None:
    """Else every hand would be said to lack its burns."""
    path, variant = histories()[0]
    config = table(tmp_path, GAMES[variant], CHANNELS + '\n"burn" = "burn"')
    assert cli.main(["replay", str(path), "--table", config]) == 2
    assert b"reads burn cards, and a hand history holds none" in capsysbinary.readouterr().err
