"""Every name in the books that come with Pitwatch is read by something, as `rules check` takes it."""

from __future__ import annotations

from pathlib import Path

import rules
import sim_hw
from rules.book import books, games, load_game
from rules.game import CHOICE, Game

FOR_PEOPLE = {
    "aces-up-pays", "adjacent-positions", "aggregate-payout", "blackjack-pays", "bonus-wager", "collection-schedule",
    "commission", "cutting-card", "fortune-7", "fortune-bonus", "no-bet-light", "ox-8", "patron-card-control",
    "several-hands", "shuffle", "start-by", "tie-bet", "two-areas",
}  # fmt: skip
"""What the house decides or the document states and no device shows."""

PUT_TOGETHER = {"split-hands-aces", "split-hands-tens"}
"""Read under a name that the code puts together."""


def _code() -> str:
    folders = [Path(module.__path__[0]) for module in (rules, sim_hw)]
    return "".join(path.read_text() for folder in folders for path in sorted(folder.rglob("*.py")))


def _names(game: Game) -> set[str]:
    return {*game.figures, *game.options, *game.tables}


def test_every_name_is_read_or_for_people() -> None:
    code = _code()
    unread: dict[str, str] = {}
    for folder in books():
        for name in games(folder):
            game = load_game(f"{folder.name}/{name}")
            tables, needs = str(game.tables), str([rule.needs for rule in game.rules.values()])
            for each in _names(game):
                if f'"{each}"' not in code and f"'{each}'" not in tables and f"{CHOICE}{each}:" not in needs:
                    unread.setdefault(each, game.path)
    assert {each: game for each, game in unread.items() if each not in FOR_PEOPLE | PUT_TOGETHER} == {}
    assert set(unread) >= FOR_PEOPLE | PUT_TOGETHER, "these are read by now"
