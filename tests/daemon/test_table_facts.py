"""What the rules are told a table can show depends on which lines are wired."""

from __future__ import annotations

from pitwatch.daemon.config import config
from pitwatch.daemon.config.table_facts import table_facts
from pitwatch.rules.book import load_game
from pitwatch.rules.book.coverage import cover
from pitwatch.rules.desk.availability import Availability

TABLE = """
[table]
site = "toledo"
id = "CR-01"
game = "toledo-2020/craps"
seats = [1, 3]
[[device]]
id = "dice"
type = "dice"
link = "gpio:"
lines = { LINES }
[[device]]
id = "panel"
type = "panel"
link = "gpio:"
lines = { no-roll = { chip = "b", line = 1 }, report-die-lost = { chip = "b", line = 2 } }
[people]
"1:2" = { role = "supervisor" }
"""


def facts(tmp_path, *lines):
    path = tmp_path / "table.toml"
    path.write_text(
        TABLE.replace("LINES", ", ".join(f'{n} = {{ chip = "a", line = {i} }}' for i, n in enumerate(lines)))
    )
    return table_facts(config.load(path))


def test_an_event_needs_one_of_its_lines(tmp_path):
    bare = facts(tmp_path, "release", "off-floor")
    assert bare.provides("dice.throw_started")
    assert bare.provides("dice.die_off_table")
    assert not bare.provides("dice.end_wall_struck")  # no beam there: nobody may be blamed for not hitting the wall
    assert facts(tmp_path, "release", "end-wall-left").provides("dice.end_wall_struck")


def test_a_panel_shows_the_keys_it_has(tmp_path):
    table = facts(tmp_path, "release")
    assert table.provides("panel.key_pressed")
    assert table.provides("panel.key_pressed:no_roll")
    assert table.provides("panel.key_pressed:report:die-lost")
    assert not table.provides("panel.key_pressed:no_more_bets")


def test_the_rest_is_passed_on(tmp_path):
    table = facts(tmp_path, "release")
    assert (table.seats, table.people) == (("seat-1", "seat-3"), {"1:2": "supervisor"})


def test_readers_show_the_places_they_lie_under(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(
        TABLE.replace("lines = { LINES }", "lines = { release = { chip = 'a', line = 3 } }")
        + "[[device]]\nid = 'felt'\ntype = 'card_position'\nlink = 'none'\nprotocol = 'card_lines'\n"
        + "channels = { 1 = 'seat-1', 2 = 'community' }\n"
    )
    table = table_facts(config.load(path))
    assert table.provides("card_position.card_placed:community")
    assert not table.provides("card_position.card_placed:burn")  # a burn goes unseen: nobody may be blamed for none


def test_where_a_die_lies_is_seen_by_a_line_of_its_own(tmp_path):
    beams = facts(tmp_path, "release", "rail-left", "end-wall", "at-rest", "off-left")
    assert beams.provides("dice.dice_settled")
    assert beams.provides("dice.dice_settled:off")
    assert not any(beams.provides(f"dice.dice_settled:{place}") for place in ("stacked", "bank", "bowl", "rail"))
    for line, place in (("on-die", "stacked"), ("on-bank", "bank"), ("in-bowl", "bowl"), ("on-rail-left", "rail")):
        table = facts(tmp_path, "release", "at-rest", line)
        assert table.provides(f"dice.dice_settled:{place}")
        assert not table.provides("dice.dice_settled:off")
    unending = facts(tmp_path, "release", "on-die")
    assert not unending.provides("dice.dice_settled")  # nothing tells that the dice rest


def test_a_rule_is_judged_only_where_a_line_shows_what_breaks_it(tmp_path):
    game = load_game("toledo-2020/craps")
    placed = {"die-on-die", "die-on-chip-bank", "die-in-cup-or-on-rail"}

    def judged(*lines):
        table = facts(tmp_path, "release", "rail-left", "end-wall", "at-rest", "off-left", *lines)
        covered = {each.rule.id for each in cover(game, table) if each.judged}
        assert covered == {rule for rule in game.rules if Availability(game, table).watched(rule)}
        assert {"die-off-table", "far-end-not-hit"} <= covered
        return covered & placed

    assert judged() == set()
    assert judged("on-die", "in-bowl") == {"die-on-die", "die-in-cup-or-on-rail"}
    assert judged("on-die", "on-bank", "on-rail-left") == placed
