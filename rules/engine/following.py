"""Whether the devices of a table show what the game is followed by. Which rules they judge, `book.coverage` lists."""

from __future__ import annotations

from pitwatch.rules.engine.engine import procedure_of
from pitwatch.rules.game import PLACED, Game
from pitwatch.rules.table import DeviceFacts, TableFacts

PLAY = ("wheel.ball_launched", "dice.throw_started", "shoe.card_drawn", "card_position.card_placed",
        "shuffler.packet_dispensed")  # fmt: skip
"""What is seen of play itself, by `type.event`; keys and shuffles only say where in the round it is."""

EVERYWHERE = ("panel", "key_reader", "enclosure")
"""Device types that are of use whatever the game."""


def followed_by(game: Game) -> list[str]:
    """What a table must see one of for a round to be followed; empty for a schedule, which has no rounds."""
    procedure = procedure_of(game)
    needs = [need for need in PLAY if hasattr(procedure, "before_" + need.partition(".")[2])]
    placed = any(rule.asks_where_cards_go for rule in game.rules.values())
    return [PLACED if placed and PLACED.startswith(need) else need for need in needs]


def runs_on(game: Game, table: TableFacts) -> bool:
    """Whether nothing but the cards themselves shows where a round ends, and they do not always: rounds of blackjack
    after which the dealer stood on two cards may be reported as one, and then are not judged."""
    bounds = ("panel.key_pressed:no_more_bets", "panel.key_pressed:round_over", "card_position.card_removed")
    return game.family == "blackjack" and not any(table.provides(need) for need in bounds)


def idle(game: Game, table: TableFacts) -> list[DeviceFacts]:
    """The devices that show nothing the game uses: neither its procedure nor a line of the book asks for it."""
    procedure = procedure_of(game)
    needs = [need for rule in game.rules.values() for need in rule.needs]
    needs += [need for control in game.controls for need in control.needs]
    needs += [start for phase in game.phases for start in phase.starts]
    named = {*EVERYWHERE, *(each.partition(".")[0] for need in needs for each in need.split(" | "))}
    return [
        device
        for device in table.devices
        if device.type not in named
        and not any(hasattr(procedure, when + event) for event in device.events for when in ("before_", "on_"))
    ]
