"""What a table can judge of its book: which rules its devices see, which need what more, which only a person sees.

Apart from these stand rules that nothing judges by their name, and rules on cards in games that have none.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.rules.book import bookwords
from pitwatch.rules.game import PERSON, Game, Rule, chosen, is_choice
from pitwatch.rules.table import TableFacts

WITHOUT_CARDS = ("roulette", "craps")
"""Families whose games have no cards; the rules of every table game speak of shuffling all the same."""
CARD_DEVICES = ("shuffler", "shoe", "card_position", "discard_rack", "peek")

BEGINNINGS = {"roulette": "wheel.ball_launched", "craps": "dice.throw_started"}
CARDS_BEGIN = "panel.key_pressed:no_more_bets | shuffler.shuffle_started | shoe.shoe_started"
"""What shows a round from its beginning: where no device reports any, every round stays partial."""
AT_ANY_TIME = ("any", "enclosure")
"""Devices in whose needs nothing must have begun."""

NO_CARDS = "no cards"


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """One rule at one table. `by`: the devices that judge it; `missing`: needs that no device of it serves. `partly`:
    the only part of it that they show, "" if all. `never`: why no devices whatever would judge it: NO_CARDS, or what
    is wrong with its name."""

    rule: Rule
    by: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    partly: str = ""
    never: str = ""

    @property
    def judged(self) -> bool:
        return not self.missing and not self.never

    @property
    def applies(self) -> bool:
        return self.never != NO_CARDS

    @property
    def only_a_person(self) -> bool:
        return self.rule.only_a_person_sees


def cover(game: Game, table: TableFacts) -> list[Covered]:
    """Every rule of the game in the book's order."""
    options = game.settle_options(table.options)
    unknown = bookwords.unknown_rules(game)
    beginning = BEGINNINGS.get(game.family, CARDS_BEGIN)
    begins = "" if any(map(table.provides, beginning.split(" | "))) else beginning
    return [
        Covered(rule=rule, never=never) if never else _cover(rule, table, options, begins)
        for rule in game.rules.values()
        for never in (unknown.get(rule.id) or ("" if applies(game, rule) else NO_CARDS),)
    ]


def applies(game: Game, rule: Rule) -> bool:
    """False for a rule that only devices for cards can show, in a game that has no cards."""
    if game.family not in WITHOUT_CARDS:
        return True
    return not any(all(each.partition(".")[0] in CARD_DEVICES for each in need.split(" | ")) for need in rule.needs)


def _cover(rule: Rule, table: TableFacts, options: dict[str, Any], begins: str) -> Covered:
    """`begins`: what the table would need to see how a round begins; "" if it does."""
    by: list[str] = []
    missing: list[str] = []
    partly: list[str] = []
    for need in rule.needs:
        if is_choice(need) and chosen(need, options):
            continue
        served = {} if need == PERSON else {each: table.provides(each) for each in need.split(" | ")}
        able = [each for each, devices in served.items() if devices]
        by += [device.id for each in able for device in served[each]]
        if not able:
            missing.append(need)
        elif all(each in rule.partly for each in able):
            partly += [rule.partly[each] for each in able]
    if begins and begins not in missing and any(need.partition(".")[0] not in AT_ANY_TIME for need in rule.needs):
        missing.append(begins)
    partly += [words for each, words in rule.partly.items() if is_choice(each) and chosen(each, options)]
    return Covered(
        rule=rule, by=tuple(dict.fromkeys(by)), missing=tuple(missing), partly=", ".join(dict.fromkeys(partly))
    )
