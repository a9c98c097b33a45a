"""Roulette against Section Eight (lines 1638-1750): each rule beside the clean spin next to it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.table import DeviceFacts, TableFacts
from tests.rules.table import Played, facts, play

GAME = "toledo-2020/roulette"

CLEAN = """
    wheel rotor direction=cw rpm=16.2
    wheel ball_launched direction=ccw
    +15
    panel key_pressed key=no_more_bets
    wheel ball_left_rim revolutions=14 direction=ccw
    +5
    wheel result_announced pocket="17"
    wheel ball_settled pocket="17"
"""


def spin(log: str, *devices: str, **table: object) -> Played:
    return play(GAME, facts(*(devices or ("wheel", "panel")), **table), log)  # type: ignore[arg-type]


def test_a_clean_spin_is_a_round_and_nothing_else() -> None:
    played = spin(CLEAN)
    assert played.rules == []
    (round_,) = played.rounds
    assert round_.result == {"pocket": "17"}
    assert (round_.round, round_.partial, round_.void) == (1, False, None)
    assert (round_.opened, round_.closed) == (2.0, 26.0)


# 1658: spun in the direction of the wheel


def test_ball_with_the_wheel_is_no_spin() -> None:
    played = spin(CLEAN.replace("direction=ccw", "direction=cw"))
    assert played.rules == ["same-direction-spin"]
    (breach,) = played.irregularities
    assert breach.rule == "toledo-2020/roulette/same-direction-spin"
    assert breach.says == "The ball is spun in the direction of the wheel"
    assert (breach.category, breach.severity, breach.disposition) == ("no-spin", "alert", "no-spin")
    assert (breach.citation.section, breach.citation.lines) == ("Eight", "1658")
    assert breach.observed == {"ball": "cw", "rotor": "cw"}
    assert breach.evidence == (1, 2)
    assert played.rounds[0].void == "same-direction-spin"
    assert played.rounds[0].irregularities == (breach.rule,)


def test_the_wheel_may_turn_either_way_between_spins() -> None:
    turned = CLEAN.replace("=ccw", "=x").replace("=cw", "=ccw").replace("=x", "=cw")
    assert spin(CLEAN + turned + CLEAN).rules == []


def test_the_rotor_reported_after_the_launch_counts_as_well() -> None:
    log = "wheel ball_launched direction=cw\n wheel rotor direction=cw rpm=15\n wheel ball_settled pocket=3"
    assert spin(log, "wheel").rules == ["same-direction-spin"]


def test_a_rotor_that_stands_still_has_no_direction() -> None:
    assert spin(CLEAN + "wheel rotor direction=ccw rpm=0\n" + CLEAN.partition("\n")[2].partition("\n")[2]).rules == []


def test_an_unknown_direction_accuses_nobody() -> None:
    assert spin(CLEAN.replace("direction=ccw", "direction=null")).rules == []


# 1659: four revolutions


@pytest.mark.parametrize(
    ("revolutions", "rules"),
    [*((few, ["under-minimum-revolutions"]) for few in (3, 3.0, 3.9)), *((enough, []) for enough in (4, 4.0, 4.2, 5))],
)
def test_four_revolutions_are_the_least(revolutions: float, rules: list[str]) -> None:
    """A wheel may tell parts of a revolution."""
    played = spin(CLEAN.replace("revolutions=14", f"revolutions={revolutions}"))
    assert played.rules == rules
    if rules:
        (breach,) = played.irregularities
        assert (breach.observed, breach.required) == ({"revolutions": revolutions}, {"revolutions": 4})


TAKEN_OUT = CLEAN.partition("+15")[0] + "{}" + "wheel ball_left_rim revolutions=2 direction=ccw\n" + CLEAN


@pytest.mark.parametrize(
    ("called_off", "rules"),
    [
        ("panel key_pressed key=no_spin\n", []),
        ("wheel object_detected\npanel key_pressed key=no_spin\n", ["foreign-object"]),
        ("wheel object_detected\n", ["foreign-object"]),
        ("panel key_pressed key=no_more_bets\n", ["under-minimum-revolutions"]),
    ],
)
def test_a_ball_that_is_taken_out_after_no_spin_did_not_fall_short(called_off: str, rules: list[str]) -> None:
    """1658-1661 ask for it."""
    assert spin(TAKEN_OUT.format(called_off)).rules == rules


def test_a_missed_pass_makes_the_count_uncertain_not_a_breach() -> None:
    assert spin(CLEAN.replace("revolutions=14", "revolutions=3 uncertain=true")).rules == []


@pytest.mark.parametrize(
    ("heard", "rules", "judged"),
    [
        ("revolutions=2 uncertain=true at_least=2 at_most=3", ["under-minimum-revolutions"], True),
        ("revolutions=3 uncertain=true at_least=3 at_most=4", [], False),
        ("revolutions=4 uncertain=true at_least=4 at_most=5", [], True),
        ("revolutions=null uncertain=true", [], False),
    ],
)
def test_a_count_that_may_lag_accuses_only_where_one_more_is_short_too(
    heard: str, rules: list[str], judged: bool
) -> None:
    played = spin(CLEAN.replace("revolutions=14", heard))
    assert played.rules == rules
    assert ("under-minimum-revolutions" not in (played.rounds[0].not_observable or ())) is judged


@pytest.mark.parametrize(("sure", "rules"), [(3, ["under-minimum-revolutions"]), (4, [])])
def test_a_count_that_is_told_once_more_when_it_is_sure_is_judged_then(sure: int, rules: list[str]) -> None:
    first = CLEAN.replace("revolutions=14", "revolutions=3 uncertain=true at_least=3 at_most=4")
    played = spin(first.replace("+5", f"wheel ball_left_rim revolutions={sure} direction=ccw\n+5"))
    assert played.rules == rules
    assert not played.rounds[0].not_observable


def test_a_game_that_the_wheel_itself_declares_void_is_void() -> None:
    cut = CLEAN.partition("+15")[0]
    played = spin(cut + "wheel wheel_state state=ball_in_rim void=true\nwheel wheel_state state=place_bets\n" + CLEAN)
    assert played.rules == []
    assert [(r.void, r.partial, r.result["pocket"]) for r in played.rounds] == [
        ("no-spin", False, None),
        (None, False, "17"),
    ]


# 1660-1662: foreign object, floater, ball expelled


@pytest.mark.parametrize(("event", "rule"), [("object_detected", "foreign-object"), ("ball_floating", "floater")])
def test_what_happens_to_the_ball_before_it_rests(event: str, rule: str) -> None:
    before = CLEAN.replace("+5", f"wheel {event}")
    after = CLEAN + f"\n wheel {event}"
    assert spin(before).rules == [rule]
    assert spin(before).rounds[0].void == rule
    assert spin(after).rules == []


def test_an_expelled_ball_ends_the_spin() -> None:
    played = spin(CLEAN.partition("+5")[0] + "wheel ball_expelled\n" + CLEAN)
    assert played.rules == ["ball-expelled"]
    assert [(r.result["pocket"], r.void, r.partial) for r in played.rounds] == [
        (None, "ball-expelled", False),
        ("17", None, False),
    ]


# 1649: no more bets before the ball drops


def test_no_more_bets_after_the_drop_is_late() -> None:
    late = """
        wheel rotor direction=cw rpm=16
        wheel ball_launched direction=ccw
        wheel ball_left_rim revolutions=9 direction=ccw
        panel key_pressed key=no_more_bets
        wheel ball_settled pocket="5"
    """
    played = spin(late)
    assert played.rules == ["late-no-more-bets"]
    assert played.irregularities[0].severity == "notice"
    assert played.rounds[0].void is None


def test_without_a_panel_no_more_bets_is_never_judged() -> None:
    log = "\n".join(line for line in CLEAN.splitlines() if "panel" not in line)
    assert spin(log, "wheel").rules == []


def test_a_wheel_that_shows_no_drop_is_judged_when_the_ball_rests() -> None:
    log = "\n".join(line for line in CLEAN.splitlines() if "left_rim" not in line)
    silent = "\n".join(line for line in log.splitlines() if "panel" not in line)
    table = facts("wheel", "panel", without=["ball_left_rim"])
    assert play(GAME, table, log).rules == []
    assert play(GAME, table, silent).rules == ["late-no-more-bets"]


SILENT = "".join(line + "\n" for line in CLEAN.splitlines() if "panel" not in line)


def test_a_spin_that_nobody_called_is_judged_from_the_first_on() -> None:
    played = spin(SILENT + CLEAN + SILENT)
    assert [(each.rule, each.round) for each in played.irregularities] == [
        ("toledo-2020/roulette/late-no-more-bets", 1),
        ("toledo-2020/roulette/late-no-more-bets", 3),
    ]
    assert played.irregularities[0].observed == {"no_more_bets": "not called before the ball left the rim"}


CALL = "panel key_pressed key=no_more_bets\n"


def test_a_call_after_the_ball_came_to_rest_is_not_the_next_spins() -> None:
    """Not where it comes with the number, nor where the round is closed after it."""
    assert spin((SILENT + CALL + "+30\n") * 3).rules == ["late-no-more-bets"] * 3
    assert spin((SILENT + "+15\n" + CALL + "panel key_pressed key=round_over\n") * 3).rules == ["late-no-more-bets"] * 3


def test_a_call_before_the_launch_is_of_the_spin_that_follows() -> None:
    assert spin(CLEAN + CALL + SILENT).rules == []
    assert spin(SILENT + "panel key_pressed key=round_over\n+20\n" + CALL + SILENT).rules == ["late-no-more-bets"]


def test_a_spin_that_was_under_way_at_the_start_is_not_judged_for_its_call() -> None:
    assert spin(SILENT.partition("launched direction=ccw")[2]).rules == []


def test_while_the_panel_is_off_line_no_call_can_be_heard() -> None:
    away = "panel device_offline reason=unplugged\n" + SILENT
    played = spin(away + "panel device_online\n" + SILENT)
    assert [each.round for each in played.irregularities] == [2]
    assert "late-no-more-bets" in played.rounds[0].not_observable
    back = SILENT.replace("+15", "panel device_online")  # in mid-spin: the key may have been pressed before
    assert spin("panel device_offline reason=unplugged\n" + back).rules == []


@pytest.mark.parametrize(
    ("keys", "rules"), [(["supervisor"], []), (["supervisor", "no_more_bets"], ["late-no-more-bets"])]
)
def test_a_panel_without_that_key_is_no_panel_here(keys: list[str], rules: list[str]) -> None:
    panel = DeviceFacts("panel", "panel", frozenset({"key_pressed", *(f"key_pressed:{key}" for key in keys)}))
    table = TableFacts(devices=(*facts("wheel").devices, panel))
    assert play(GAME, table, SILENT + "panel key_pressed key=supervisor\n").rules == rules


# two reports of one number


def test_two_reports_that_differ() -> None:
    played = spin(CLEAN.replace('ball_settled pocket="17"', 'ball_settled pocket="18"'))
    assert played.rules == ["result-mismatch"]
    assert played.irregularities[0].severity == "critical"
    assert played.rounds[0].irregularities == ("toledo-2020/roulette/result-mismatch",)


def test_the_second_report_may_come_after_the_ball_rests() -> None:
    settled_first = CLEAN.replace('wheel result_announced pocket="17"', "") + "\n wheel result_announced pocket={}"
    assert spin(settled_first.format('"17"')).rules == []
    played = spin(settled_first.format('"20"'))
    assert played.rules == ["result-mismatch"]
    assert played.irregularities[0].round == 1


def test_a_report_while_the_next_ball_is_on_the_rim_may_be_of_the_last_spin() -> None:
    report = 'wheel result_announced pocket="{}"\n'
    first = CLEAN.replace(report.format(17).strip(), "")
    second = first.replace('settled pocket="17"', 'settled pocket="5"')
    early = second.replace("+15\n", "+5\n" + report)
    assert spin(first + early.format(17)).rules == []
    assert spin(first + early.format(5)).rules == []  # a wheel that missed the ball leaving the rim
    assert spin(first + early.format(20)).rules == ["result-mismatch"]
    assert spin(CLEAN + early.format(17)).rules == ["result-mismatch"]  # the last spin had its report


def test_zero_and_double_zero_are_different_numbers() -> None:
    assert spin(
        CLEAN.replace('ball_settled pocket="17"', 'ball_settled pocket="0"').replace(
            'announced pocket="17"', 'announced pocket="00"'
        )
    ).rules == ["result-mismatch"]


def test_a_report_of_the_last_spin_is_not_held_against_the_next() -> None:
    assert spin(CLEAN + CLEAN.replace('"17"', '"18"')).rules == []


def test_one_ball_has_one_number() -> None:
    """5004: told twice the same, or laid down again later, is no second number."""
    again = 'wheel ball_settled pocket="{}"\n'
    assert spin(CLEAN + again.format(17)).rules == []
    assert spin(CLEAN + "+20\n" + again.format(5)).rules == []
    played = spin(CLEAN + again.format(5))
    assert (played.rules, played.irregularities[0].round) == (["result-mismatch"], 1)


def test_a_wheel_with_a_single_zero_has_no_double_zero() -> None:
    """72, 1643-1645."""
    log = CLEAN.replace('wheel result_announced pocket="17"\n', "").replace('"17"', '"00"')
    assert spin(log, options={"wheel": "double-zero"}).rules == []
    played = spin(log, options={"wheel": "single-zero"})
    assert (played.rules, played.rounds[0].result) == (["equipment-malfunction"], {"pocket": None})


# after No Spin


def test_a_ball_that_settles_after_no_spin() -> None:
    played = spin(CLEAN.replace("+5", "panel key_pressed key=no_spin"))
    assert played.rules == ["settled-after-no-spin"]
    assert played.rounds[0].void == "no-spin"


def test_a_ball_taken_out_after_no_spin_is_a_clean_no_spin() -> None:
    taken_out = CLEAN.partition("+5")[0] + "panel key_pressed key=no_spin\n"
    played = spin(taken_out + CLEAN)
    assert played.rules == []
    assert [(r.void, r.partial, r.result["pocket"]) for r in played.rounds] == [
        ("no-spin", False, None),
        (None, False, "17"),
    ]


RUNNING = CLEAN.partition("+15")[0]
NO_SPIN = "panel key_pressed key=no_spin\n"
REACHED_IN = "wheel object_detected\n"
TAKEN = "wheel ball_expelled\n"


@pytest.mark.parametrize(
    ("spun", "rules", "void"),
    [
        (RUNNING + NO_SPIN, [], "no-spin"),
        (RUNNING.replace("ccw", "cw"), ["same-direction-spin"], "same-direction-spin"),
        (
            RUNNING + "wheel ball_left_rim revolutions=3 direction=ccw\n",
            ["under-minimum-revolutions"],
            "under-minimum-revolutions",
        ),
        (RUNNING + REACHED_IN, ["foreign-object"], "foreign-object"),
        (RUNNING + "wheel ball_floating\n", ["floater"], "floater"),
    ],
)
@pytest.mark.parametrize(
    "hand", ["", REACHED_IN, TAKEN, REACHED_IN + TAKEN, TAKEN + REACHED_IN, REACHED_IN + REACHED_IN + TAKEN]
)
@pytest.mark.parametrize("called", ["", NO_SPIN])
def test_the_dealer_takes_the_ball_out_as_no_spin_asks(
    spun: str, rules: list[str], void: str, hand: str, called: str
) -> None:
    """1658-1661: the hand in the wheel and the ball that leaves it are what the document asks for. The spin after it is
    judged like any other."""
    played = spin(spun + called + hand + CLEAN)
    assert played.rules == rules
    assert [(r.void, r.partial) for r in played.rounds] == [(void, False), (None, False)]
    assert [r.result["pocket"] for r in played.rounds] == [None, "17"]
    assert spin(spun + called + hand + CLEAN.replace("direction=ccw", "direction=cw")).rules == [
        *rules,
        "same-direction-spin",
    ]


def test_the_wheel_may_be_turned_round_after_no_spin() -> None:
    """For the next spin: the ball of this one does not count."""
    turned = RUNNING + NO_SPIN + "wheel rotor direction=ccw rpm=12\n"
    assert spin(turned + "panel key_pressed key=round_over\n").rules == []
    assert spin(turned.replace(NO_SPIN, "") + NO_SPIN).rules == ["same-direction-spin"]


def test_a_dealer_who_tried_to_take_the_ball_out_did_what_is_asked() -> None:
    """1658-1661 ask for an attempt; the number does not count either way."""
    tried = CLEAN.replace("+5", NO_SPIN + REACHED_IN)
    assert spin(tried).rules == []
    assert spin(tried).rounds[0].void == "no-spin"
    assert spin(CLEAN.replace("+5", REACHED_IN + NO_SPIN)).rules == ["foreign-object", "settled-after-no-spin"]


def test_a_wheel_that_begins_anew_after_no_spin_ends_a_whole_round() -> None:
    played = spin(RUNNING + NO_SPIN + "wheel wheel_state state=before_game\n")
    assert [(r.void, r.partial) for r in played.rounds] == [("no-spin", False)]


# the wheel's own counter


def counted(*spins: int) -> str:
    return "".join(
        f"""
        wheel rotor direction={"cw" if n % 2 else "ccw"} rpm=16
        wheel ball_launched direction={"ccw" if n % 2 else "cw"} spin={spin_}
        panel key_pressed key=no_more_bets
        wheel ball_settled pocket="5"
        """
        for n, spin_ in enumerate(spins)
    )


def test_the_spin_counter() -> None:
    assert spin(counted(7, 8, 9)).rules == []
    skipped = spin(counted(7, 9))
    assert skipped.rules == ["spin-counter-skip"]
    assert skipped.irregularities[0].evidence == (2, 6), "both launches"
    assert spin(counted(255, 256, 1, 2)).rules == [], "wraps after 256"
    assert spin(counted(94, 1, 2)).rules == [], "a power cycle begins again"
    assert spin(counted(7, 7)).rules == [], "a voided game keeps its number"


def test_a_spin_missed_in_a_silence_is_no_skip() -> None:
    gap = "wheel device_fault reason=silent\n wheel device_recovered\n"
    assert spin(counted(7) + gap + counted(12)).rules == []


# what is not seen


def test_a_result_alone_opens_no_round() -> None:
    assert spin('wheel ball_settled pocket="5"\n wheel result_announced pocket="5"').rounds == []
    jump = """
        wheel wheel_state state=place_bets spin=7 last="3"
        wheel wheel_state state=result spin=7 last="5"
        wheel ball_settled pocket="5"
    """
    assert spin(jump).rounds == []


def test_a_start_in_mid_spin_is_partial_and_judges_nothing() -> None:
    log = """
        wheel rotor direction=cw rpm=16
        wheel wheel_state state=no_more_bets spin=7 last="3"
        wheel object_detected
        wheel ball_settled pocket="5"
    """
    played = spin(log)
    assert played.rules == []
    assert [(r.partial, r.result["pocket"]) for r in played.rounds] == [(True, "5")]


@pytest.mark.parametrize(("spin_", "pocket"), [(8, "9"), (7, None), (10, None)])
def test_a_number_that_shows_only_afterwards(spin_: int, pocket: str | None) -> None:
    """The wheel's counter goes up when a spin is over; only then is its last-number field of this spin."""
    log = f"""
        wheel rotor direction=cw rpm=16
        wheel ball_launched direction=ccw spin=7
        +60
        wheel wheel_state state=place_bets spin={spin_} last="9"
    """
    (round_,) = spin(log, "wheel").rounds
    assert (round_.partial, round_.result["pocket"]) == (True, pocket)


def test_a_wheel_that_went_off_line_is_not_judged_until_the_next_launch() -> None:
    log = """
        wheel rotor direction=cw rpm=16
        wheel ball_launched direction=ccw
        panel key_pressed key=no_more_bets
        wheel device_offline reason=unplugged
        wheel device_online
        wheel ball_left_rim revolutions=1 direction=ccw
        wheel ball_settled pocket="5"
    """
    played = spin(log)
    assert played.rules == []
    assert "under-minimum-revolutions" in played.rounds[0].not_observable
    again = log.replace("wheel device_offline reason=unplugged\n", "").replace("wheel device_online\n", "")
    assert spin(log + again).rules == ["under-minimum-revolutions"]


def test_a_person_reports_what_no_device_sees() -> None:
    played = spin("panel key_pressed key=report:late-bet")
    assert played.rules == ["late-bet"]
    assert played.irregularities[0].instruction == "Refuse the bet."
    assert spin("panel key_pressed key=report:no-such-rule").rules == []


EVENT = st.one_of(
    *(
        st.tuples(
            st.just(kind),
            st.sampled_from([*EVENTS[kind], "device_fault", "device_offline", "device_online", "edges_lost"]),
        )
        for kind in ("wheel", "panel")
    )
)
VALUE = st.sampled_from(
    ["cw", "ccw", "17", "00", "no_more_bets", "no_spin", "round_over", "place_bets", "result", "", 3, 0, None]
)
FIELD = st.sampled_from(["direction", "pocket", "key", "state", "spin", "last", "revolutions", "reason"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(EVENT, st.dictionaries(FIELD, VALUE, max_size=3)), max_size=40))
def test_any_stream_is_followed_and_twice_the_same(stream: list[tuple[tuple[str, str], dict[str, object]]]) -> None:
    import json

    log = "\n".join(
        f"{kind} {event} " + " ".join(f"{name}={json.dumps(value)}" for name, value in data.items())
        for (kind, event), data in stream
    )
    first, second = spin(log), spin(log)
    assert first.records == second.records
    assert [r.round for r in first.rounds] == list(range(1, len(first.rounds) + 1))
