"""Craps against Section Six (lines 1281-1465): each rule beside the clean roll next to it."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.play.point_cycle import PointCycle
from pitwatch.rules.table import DeviceFacts, TableFacts
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/craps"
PEOPLE = {"1:100": "supervisor", "1:200": "dealer"}


def roll(first: int, second: int, at: str = '["layout","layout"]') -> str:
    return f"""
        dice throw_started dice=2
        dice end_wall_struck dice=2
        dice dice_settled faces=[{first},{second}] at={at}
    """


CLEAN = roll(3, 4)


def craps(log: str, *devices: str, last_round: int = 0) -> Played:
    return play(GAME, facts(*(devices or ("dice", "panel", "key_reader")), people=PEOPLE), log, last_round=last_round)


def test_a_clean_roll_is_a_round_and_nothing_else() -> None:
    played = craps(CLEAN)
    assert played.rules == []
    (round_,) = played.rounds
    assert round_.result == {"faces": [3, 4], "total": 7, "come_out": True, "point": None, "decision": "pass"}
    assert (round_.partial, round_.void) == (False, None)


# 1310-1322: the point cycle


def test_come_out_and_point() -> None:
    played = craps(roll(2, 4) + roll(5, 5) + roll(3, 3) + roll(6, 6) + roll(1, 1) + roll(4, 4) + roll(2, 5))
    assert [(r.result["come_out"], r.result["point"], r.result["decision"]) for r in played.rounds] == [
        (True, 6, "point"),
        (False, 6, None),
        (False, 6, "pass"),
        (True, None, "dont-pass-push"),
        (True, None, "dont-pass"),
        (True, 8, "point"),
        (False, 8, "dont-pass"),
    ]


def test_pass_line_wins_as_published() -> None:
    """Pass wins 244 of 495 (Epstein, The Theory of Gambling and Statistical Logic, ch. 7): 49.29 %."""
    cycle, dice, outcome = PointCycle(load_game(GAME).tables["come-out"], known=True), random.Random(1949), Counter()
    for _ in range(400_000):
        outcome[cycle.take(dice.randint(1, 6) + dice.randint(1, 6))["decision"]] += 1
    decided = outcome["pass"] + outcome["dont-pass"] + outcome["dont-pass-push"]
    assert outcome["pass"] / decided == pytest.approx(244 / 495, abs=0.005)


def test_after_a_start_in_mid_play_the_point_is_unknown_until_a_seven() -> None:
    played = craps(roll(2, 4) + roll(3, 4) + roll(2, 4), last_round=12)
    assert [(r.round, r.result["come_out"], r.result["point"]) for r in played.rounds] == [
        (13, None, None),
        (14, None, None),
        (15, True, 6),
    ]


# 1288-1289: off the table, on top of the other


def test_a_die_off_the_table() -> None:
    played = craps("""
        dice throw_started dice=2
        dice end_wall_struck dice=1
        dice die_off_table zone=rail-left
        dice dice_settled faces=[3,null] at=["layout","off"]
    """)
    assert played.rules == ["die-off-table"]
    (breach,) = played.irregularities
    assert (breach.category, breach.severity, breach.disposition) == ("no-roll", "alert", "no-roll")
    assert breach.observed == {"zone": "rail-left"}
    assert breach.citation.lines == "1288-1289"
    (round_,) = played.rounds
    assert (round_.void, round_.partial, round_.result["total"]) == ("die-off-table", False, None)


def test_a_die_found_off_the_table_without_a_beam() -> None:
    assert craps(roll(3, 4, '["layout","off"]')).rules == ["die-off-table"]


def test_an_off_table_roll_that_nobody_settles_is_still_a_round() -> None:
    played = craps("dice throw_started dice=2\n dice die_off_table zone=off-end")
    assert [(r.void, r.partial) for r in played.rounds] == [("die-off-table", False)]


def test_a_roll_that_does_not_count_leaves_the_point() -> None:
    off = roll(3, 4, '["layout","off"]')
    played = craps(roll(2, 4) + off + "panel key_pressed key=dice_inspected" + roll(3, 3))
    assert [(r.result["point"], r.result["decision"]) for r in played.rounds] == [(6, "point"), (6, None), (6, "pass")]


def test_a_die_knocked_down_between_rolls_voids_nothing() -> None:
    played = craps(CLEAN + "dice die_off_table zone=rail-left\n" + CLEAN)
    assert played.rules == []
    assert [r.void for r in played.rounds] == [None, None]


@pytest.mark.parametrize(
    ("at", "rule", "lines"),
    [
        ("stacked", "die-on-die", "1288"),
        ("bank", "die-on-chip-bank", "1291, 1293"),
        ("rail", "die-in-cup-or-on-rail", "1291, 1295"),
        ("bowl", "die-in-cup-or-on-rail", "1291, 1295"),
    ],
)
def test_where_a_die_may_not_rest(at: str, rule: str, lines: str) -> None:
    played = craps(roll(3, 4, f'["layout","{at}"]'))
    assert played.rules == [rule]
    assert played.irregularities[0].citation.lines == lines
    assert played.rounds[0].void == rule


def test_dice_on_chips_count() -> None:
    """Chips on the layout are part of it; only the bank, the cup and the rails are named."""
    assert craps(roll(3, 4, '["layout","layout"]')).rules == []


# 1289: examined before it is used again


OFF = """
    dice throw_started dice=2
    dice end_wall_struck dice=1
    dice die_off_table zone=rail-left
    dice dice_settled faces=[3,null] at=["layout","off"]
"""


BACK = "dice dice_counted dice=3\n"


@pytest.mark.parametrize(
    ("between", "rules"),
    [
        ("", ["die-off-table", "die-returned-uninspected"]),
        ("panel key_pressed key=dice_inspected\n", ["die-off-table"]),
        ("panel key_pressed key=dice_set_changed\n", ["die-off-table"]),
        ("key_reader credential_presented credential=1:100\n", ["die-off-table"]),
        ("key_reader credential_presented credential=1:200\n", ["die-off-table", "die-returned-uninspected"]),
    ],
)
def test_a_die_comes_back(between: str, rules: list[str]) -> None:
    played = craps(OFF + between + BACK + CLEAN + CLEAN)
    assert played.rules == rules
    if len(rules) > 1:
        assert len(played.irregularities[1].evidence) == 3, "it went off, all five are counted, they are thrown"
    assert craps(OFF + BACK + between + CLEAN + CLEAN).rules == rules


@pytest.mark.parametrize(
    ("counts", "rules"),
    [
        ((), []),
        ((2,), []),
        ((0, 2), []),
        ((3, 2), []),
        ((5,), ["die-returned-uninspected"]),
        ((0, 3), ["die-returned-uninspected"]),
        ((2, 0, 3), ["die-returned-uninspected"]),
        ((1,), ["die-returned-uninspected"]),
    ],
)
def test_the_shooter_may_go_on_with_others_of_the_five(counts: tuple[int, ...], rules: list[str]) -> None:
    """1286, 1289: a die that is still away is in nobody's hand. What the bowl takes in tells that all five are there
    again: the three that a shooter leaves, the whole set, or the one die by itself."""
    counted = "".join(f"dice dice_counted dice={dice}\n" for dice in counts)
    assert craps("dice dice_counted dice=3\n" + OFF + counted + CLEAN).rules == ["die-off-table", *rules]


def test_a_die_that_comes_back_later_is_still_to_be_examined() -> None:
    away = OFF + "dice dice_counted dice=2\n" + CLEAN
    assert craps(away + BACK + CLEAN).rules == ["die-off-table", "die-returned-uninspected"]
    assert craps(away + "panel key_pressed key=dice_inspected\n" + BACK + CLEAN).rules == ["die-off-table"]


BOTH_OFF = roll(3, 4, '["off","off"]')


@pytest.mark.parametrize(
    ("counts", "rules"),
    [((1,), []), ((3, 1), []), ((2,), []), ((3,), ["die-returned-uninspected"]), ((4,), ["die-lost"])],
)
def test_both_dice_went_off(counts: tuple[int, ...], rules: list[str]) -> None:
    """The other three may be gathered, and one of them be left by the shooter, while both are away."""
    counted = "".join(f"dice dice_counted dice={dice}\n" for dice in counts)
    assert craps(BOTH_OFF + counted + CLEAN).rules == ["die-off-table", *rules]


def test_without_a_count_nobody_can_tell_that_it_came_back() -> None:
    table = facts("dice", "panel", without=["dice_counted"])
    assert play(GAME, table, OFF + CLEAN).rules == ["die-off-table"]


def test_without_panel_and_key_reader_nobody_can_tell() -> None:
    assert craps(OFF + BACK + CLEAN, "dice").rules == ["die-off-table"]


# 1290: a die is lost


def test_a_die_that_does_not_come_back_is_lost() -> None:
    played = craps(OFF + "dice dice_counted dice=4")
    assert played.rules == ["die-off-table", "die-lost"]
    lost = played.irregularities[1]
    assert (lost.severity, lost.disposition, lost.notify) == ("critical", "replace-set", ("OCCC",))


@pytest.mark.parametrize("dice", [1, 2, 3, 0])
def test_a_die_that_is_looked_for_is_not_lost_yet(dice: int) -> None:
    """1289: it is examined; only the set gathered without it lacks it."""
    assert craps(OFF + f"dice dice_counted dice={dice}").rules == ["die-off-table"]


@pytest.mark.parametrize("dice", [5, 3, 0])
def test_a_set_that_is_whole(dice: int) -> None:
    assert craps(CLEAN + f"dice dice_counted dice={dice}").rules == []


@pytest.mark.parametrize("dice", [4, 6])
def test_a_set_that_is_not_five(dice: int) -> None:
    assert craps(CLEAN + f"dice dice_counted dice={dice}").rules == ["dice-count-wrong"]


# 1292, 1294: the throw


@pytest.mark.parametrize(
    ("throw", "rules"),
    [
        ("dice=2", []),
        ("dice=2 spread_ms=40", []),
        ("dice=2 spread_ms=900", ["dice-not-released-together"]),
        ("dice=1", ["dice-not-released-together"]),
        ("dice=3", ["dice-count-wrong"]),
    ],
)
def test_both_dice_together(throw: str, rules: list[str]) -> None:
    assert craps(CLEAN.replace("dice=2", throw, 1)).rules == rules


def test_the_second_die_of_one_throw_is_not_a_second_roll() -> None:
    played = craps("dice throw_started dice=1\n" + CLEAN.replace("dice=2", "dice=1", 1))
    assert played.rules == ["dice-not-released-together"]
    assert len(played.rounds) == 1


@pytest.mark.parametrize(("later", "rules"), [(0.02, []), (0.25, []), (0.4, ["dice-not-released-together"])])
def test_dice_that_a_device_tells_one_by_one(later: float, rules: list[str]) -> None:
    """Two within the time of the book have left the hand together; what follows tells that none came."""
    one = "dice throw_started dice=1\n"
    played = craps(roll(2, 4) + one + f"{later - 1}\n" + CLEAN.replace("dice=2", "dice=1", 1))
    assert (played.rules, len(played.rounds)) == (rules, 2)
    assert played.rounds[1].result["total"] == 7
    alone = craps(one + CLEAN.partition("dice=2")[2])
    assert alone.rules == ["dice-not-released-together"]
    assert alone.irregularities[0].evidence == (1, 2)
    assert craps(one.replace("dice=1", "dice=1 spread_ms=0")).irregularities[0].evidence == (1,)


def test_a_far_end_that_does_not_count_the_dice() -> None:
    """It may have been both."""
    played = craps(CLEAN.replace("end_wall_struck dice=2", "end_wall_struck dice=null"))
    assert played.rules == []
    assert "far-end-not-hit" in played.rounds[0].not_observable


@pytest.mark.parametrize(("struck", "rules"), [(2, []), (1, ["far-end-not-hit"]), (0, ["far-end-not-hit"])])
def test_the_far_end(struck: int, rules: list[str]) -> None:
    strikes = "dice end_wall_struck dice=1\n" * struck
    played = craps(CLEAN.replace("dice end_wall_struck dice=2", strikes))
    assert played.rules == rules
    assert [len(each.evidence) for each in played.irregularities] == [2 + struck] * len(rules)  # throw, strikes, rest


def test_a_table_without_an_end_wall_sensor_never_judges_the_far_end() -> None:
    table = facts("dice", without=["end_wall_struck"])
    assert play(GAME, table, CLEAN.replace("dice end_wall_struck dice=2", "")).rules == []


# 1291: No roll is the crew's to call


def test_no_roll_called_in_the_roll() -> None:
    played = craps(CLEAN.replace("dice dice_settled", "panel key_pressed key=no_roll\n dice dice_settled"))
    assert played.rules == []
    assert played.rounds[0].void == "no-roll"


@pytest.mark.parametrize(("game"), ["toledo-2020/craps", "columbus-2016/craps", "columbus-2016/craps-free-craps"])
@pytest.mark.parametrize(("later", "void"), [(1, "no-roll"), (4.9, "no-roll"), (8, None)])
def test_no_roll_called_after_the_dice_rest(game: str, later: float, void: str | None) -> None:
    """Of a throw of which no device sees what was wrong. The point is taken back however late."""
    table = facts("dice", "panel")
    played = play(game, table, roll(2, 4) + roll(3, 4) + f"+{later - 1}\n" + NO_ROLL + roll(3, 3))
    assert played.rules == []
    assert [r.void for r in played.rounds] == [None, void, None]
    assert played.rounds[1].result["decision"] == (None if void else "dont-pass")
    assert played.rounds[2].result == {
        "faces": [3, 3], "total": 6, "come_out": False, "point": 6, "decision": "pass",
    }  # fmt: skip


def test_a_roll_is_over_when_the_dice_rest_and_its_record_waits() -> None:
    """For five seconds, the key that ends a roll, the next throw or the count of the dice that are gathered."""
    for ends in ("+5\n panel key_pressed key=supervisor\n", "panel key_pressed key=round_over\n"):
        log = CLEAN + ends + NO_ROLL + "dice dice_counted dice=4\n"
        played = craps(log)
        (round_,) = played.rounds
        assert (round_.void, round_.closed) == (None, 3.0)
        assert played.rules == ["dice-count-wrong"]
    counted = craps(CLEAN + "dice dice_counted dice=4\n")
    assert [r.void for r in counted.rounds] == [None]
    assert [i.round for i in counted.irregularities] == [None]
    without = play(GAME, facts("dice"), CLEAN + CLEAN)
    assert [r.void for r in without.rounds] == [None, None]


TWO_DEVICES = TableFacts(
    devices=(
        DeviceFacts("beams", "dice", frozenset({"throw_started", "end_wall_struck", "device_offline"})),
        DeviceFacts("camera", "dice", frozenset({"dice_settled", "device_offline"})),
    )
)
BEAMS = """
    beams throw_started dice=2
    camera dice_settled faces=[4,4] at=["layout","layout"]
"""


@pytest.mark.parametrize(("later", "rules"), [(0.2, []), (0.7, ["far-end-not-hit"])])
def test_a_strike_that_another_device_tells_after_the_rest(later: float, rules: list[str]) -> None:
    late = f"{later - 1}\n beams end_wall_struck dice=2\n"
    played = play(GAME, TWO_DEVICES, BEAMS + late + BEAMS)
    assert played.rules == [*rules, "far-end-not-hit"]
    assert [r.void for r in played.rounds] == [rules[0] if rules else None, "far-end-not-hit"]
    assert {1, 2} <= set(played.irregularities[0].evidence) or not rules


@pytest.mark.parametrize(("seconds", "known"), [(1, True), (300, False)])
def test_the_point_after_the_dice_went_unwatched(seconds: int, known: bool) -> None:
    """1310-1322: come-out or not follows from the rolls before; a roll takes longer than a second."""
    away = f"dice device_offline reason=cable\n +{seconds - 1}\n dice device_online\n"
    played = craps(roll(4, 5) + away + roll(4, 5) + CLEAN + roll(5, 5))
    assert [r.result["come_out"] for r in played.rounds] == [
        True,
        *((False, True, True) if known else (None, None, True)),
    ]


def test_one_of_two_devices_away_between_the_rolls_hides_none() -> None:
    whole = BEAMS.replace("camera", "beams end_wall_struck dice=2\n camera")
    away = "camera device_offline reason=cable\n +300\n camera device_online\n"
    played = play(GAME, TWO_DEVICES, whole + away + whole)
    assert [r.result["decision"] for r in played.rounds] == ["point", "pass"]


def test_a_rest_whose_throw_did_not_get_across() -> None:
    """It decided the point or it did not."""
    lost = "dice bytes_discarded count=9\n"
    rest = 'dice dice_settled faces=[3,4] at=["layout","layout"]\n'
    played = craps(roll(4, 5) + "+9\n" + lost + rest + roll(4, 5))
    assert [r.result["come_out"] for r in played.rounds] == [True, None]
    told_twice = craps(roll(4, 5) + "+9\n" + rest + roll(4, 5))
    assert [r.result["come_out"] for r in told_twice.rounds] == [True, False]


SHORT = roll(2, 4).replace("dice end_wall_struck dice=2", "")
IMPROPER = [
    (SHORT, "far-end-not-hit"),
    (roll(2, 4, '["layout","bank"]'), "die-on-chip-bank"),
    (roll(2, 4, '["rail","layout"]'), "die-in-cup-or-on-rail"),
    (roll(2, 4).replace("dice=2", "dice=2 spread_ms=900", 1), "dice-not-released-together"),
]
OTHER_KEYS = frozenset({"key_pressed", "key_pressed:supervisor"})
NO_ROLL = "panel key_pressed key=no_roll\n"


@pytest.mark.parametrize("game", ["toledo-2020/craps", "columbus-2016/craps", "columbus-2016/craps-free-craps"])
@pytest.mark.parametrize(("log", "rule"), IMPROPER)
def test_an_improper_throw_that_the_crew_lets_stand(game: str, log: str, rule: str) -> None:
    """Columbus 290, Toledo 1291: the crew has the option to call No roll. The record tells which way it went."""
    table = facts("dice", "panel")
    stands = play(game, table, log + roll(3, 3))
    assert stands.rules == [rule]
    assert [(r.void, r.partial, len(r.irregularities)) for r in stands.rounds] == [(None, False, 1), (None, False, 0)]
    assert [r.result["decision"] for r in stands.rounds] == ["point", "pass"]
    assert [r.result["total"] for r in stands.rounds] == [6, 6]
    called = play(game, table, log + NO_ROLL + roll(3, 3))
    assert called.rules == [rule]
    assert [(r.void, r.result["decision"]) for r in called.rounds] == [(rule, None), (None, "point")]


@pytest.mark.parametrize(
    ("log", "rule"),
    [(roll(2, 4, '["off","off"]'), "die-off-table"), (roll(2, 4, '["layout","stacked"]'), "die-on-die")],
)
def test_what_makes_a_roll_invalid_outright_is_nobodys_choice(log: str, rule: str) -> None:
    """1288."""
    played = craps(log + roll(3, 3))
    assert [(r.void, r.result["decision"]) for r in played.rounds] == [(rule, None), (None, "point")]


def test_when_a_roll_stands_its_record_is_made() -> None:
    """By the key that ends a roll, by the next throw, or a minute later. Until then the crew may call No roll."""
    key = craps(SHORT + "panel key_pressed key=round_over\n")
    assert (key.rounds[0].void, key.rounds[0].result["decision"]) == (None, "point")
    waited = craps(SHORT + "+59.5\n panel key_pressed key=supervisor\n")
    assert waited.rounds[0].void is None
    early = craps(SHORT + "+50\n" + NO_ROLL + roll(3, 3))
    assert [r.void for r in early.rounds] == ["far-end-not-hit", None]
    at_once = craps(SHORT, last_round=0)
    assert [(r.void, r.result["decision"]) for r in at_once.rounds] == [("far-end-not-hit", None)], "it may still come"


def test_what_the_dice_do_after_an_improper_throw_is_of_no_roll() -> None:
    after = 'dice die_off_table zone=rail-left\n dice dice_settled faces=[1,1] at=["off","layout"]\n'
    played = craps(SHORT + after + roll(3, 3))
    assert played.rules == ["far-end-not-hit"]
    assert [r.result["total"] for r in played.rounds] == [6, 6]


def test_a_throw_right_after_an_improper_one_is_the_next() -> None:
    """Though the last was one die alone, at rest a moment ago."""
    alone = 'dice throw_started dice=1\n dice dice_settled faces=[2,4] at=["layout","layout"]\n'
    played = craps(alone + "-0.5\n" + alone)
    assert len(played.rounds) == 2


def test_without_a_panel_nobody_knows_whether_it_counted() -> None:
    """The point is not known either, until a seven."""
    without = [
        play(GAME, table, SHORT + roll(3, 3) + roll(3, 4) + roll(2, 2))
        for table in (
            facts("dice"),
            TableFacts(devices=(*facts("dice").devices, DeviceFacts("panel", "panel", OTHER_KEYS))),
        )
    ]
    for played in without:
        assert [(r.void, r.result["come_out"]) for r in played.rounds] == [
            ("far-end-not-hit", True),
            (None, None),
            (None, None),
            (None, True),
        ]


def test_a_panel_that_goes_off_line_leaves_it_open() -> None:
    played = craps(SHORT + "panel device_offline\n" + roll(3, 3))
    assert [(r.void, r.result["come_out"]) for r in played.rounds] == [("far-end-not-hit", True), (None, None)]


def test_dice_that_only_come_to_rest_open_no_round() -> None:
    assert craps('dice dice_settled faces=[1,2] at=["layout","layout"]').rounds == []


def test_faces_not_seen_are_null_and_make_the_point_unknown() -> None:
    unseen = roll(3, 4).replace("[3,4]", "[null,null]")
    played = craps(unseen + roll(2, 4))
    assert played.rounds[0].result["total"] is None
    assert played.rounds[1].result["come_out"] is None


def test_every_pair_of_faces_is_followed() -> None:
    log = "".join(roll(a, b) for a, b in itertools.product(range(1, 7), repeat=2))
    played = craps(log)
    assert played.rules == []
    assert Counter(r.result["total"] for r in played.rounds) == {n: 6 - abs(n - 7) for n in range(2, 13)}


# craps free craps (Toledo 1503-1507, Columbus 2883-2887), and Columbus' craps (319-339)

FREE = ("toledo-2020/craps-free-craps", "columbus-2016/craps-free-craps")
DICE_GAMES = (GAME, *FREE, "columbus-2016/craps")


@pytest.mark.parametrize("game", FREE)
def test_without_craps_every_total_but_seven_becomes_the_point(game: str) -> None:
    rolls = roll(3, 4) + roll(1, 1) + roll(6, 6) + roll(1, 1) + roll(6, 5) + roll(2, 5)
    played = play(game, facts("dice"), rolls)
    assert played.rules == []
    assert [(r.result["come_out"], r.result["point"], r.result["decision"]) for r in played.rounds] == [
        (True, None, "pass"),
        (True, 2, "point"),
        (False, 2, None),
        (False, 2, "pass"),
        (True, 11, "point"),
        (False, 11, "dont-pass"),
    ]


@pytest.mark.parametrize("game", FREE)
def test_pass_without_craps_wins_as_often_as_the_dice_say(game: str) -> None:
    """1/6 on the come-out, and for each other total of probability p another p * p / (p + 1/6)."""
    ways = Counter(a + b for a, b in itertools.product(range(1, 7), repeat=2))
    exact = ways[7] / 36 + sum(n / 36 * n / (n + ways[7]) for total, n in ways.items() if total != 7)
    cycle, dice, outcome = PointCycle(load_game(game).tables["come-out"], known=True), random.Random(1473), Counter()
    for _ in range(200_000):
        outcome[cycle.take(dice.randint(1, 6) + dice.randint(1, 6))["decision"]] += 1
    decided = outcome["pass"] + outcome["dont-pass"]
    assert outcome["dont-pass-push"] == 0
    error = math.sqrt(exact * (1 - exact) / decided)
    assert outcome["pass"] / decided == pytest.approx(exact, abs=3.5 * error)


@pytest.mark.parametrize("game", DICE_GAMES)
def test_every_book_of_dice_voids_a_roll_alike(game: str) -> None:
    off = """
        dice throw_started dice=2
        dice end_wall_struck dice=2
        dice dice_settled faces=[3,null] at=["layout","off"]
        dice dice_counted dice=4
    """
    played = play(game, facts("dice", "panel"), CLEAN + off + "panel key_pressed key=dice_set_changed\n" + CLEAN)
    assert played.rules == ["die-off-table", "die-lost"]
    assert [r.void for r in played.rounds] == [None, "die-off-table", None]
    short = CLEAN.replace("end_wall_struck dice=2", "end_wall_struck dice=1")
    assert play(game, facts("dice"), short).rules == ["far-end-not-hit"]


def test_after_an_unread_roll_the_old_point_is_forgotten() -> None:
    unread = roll(2, 2).replace("[2,2]", "[null,2]")
    played = craps(roll(1, 3) + unread + roll(3, 4) + roll(2, 2) + roll(2, 2))
    assert [r.result["decision"] for r in played.rounds] == ["point", None, None, "point", "pass"]
