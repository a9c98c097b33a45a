"""What a simulated dealer of packet-dealt poker can do wrong, and what the table and the game's book must have for it.

Data only, but that the faults about the progressive and about high hands follow the book and the house's options.
"""

from __future__ import annotations

from typing import Any

from pitwatch.rules.people import SUPERVISORS
from pitwatch.sim_hw.dealers.card_dealer import TALKS, CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault
from pitwatch.sim_hw.table import SimTable

FELT = "card_position/card_lines"
LAMPS = "progressive#coin-in-1"
LOCK = "progressive#meter-lock"
BANK = "bank-held-too-long"
ALTERNATE = "deck-not-alternated"
SEVERAL = "multiple-jackpots-same-round"
UNLOCKED = "unlocked-without-key-card"
LOCKED_OUT = "wager-while-locked-out"
NOT_LOCKED = "jackpot-without-lockout"
PREMIUM = "premium-hand-unverified"
LATE = "late-bet-change"

FAULTS: dict[str, Fault] = {
    "wrong-card-count": Fault("the machine puts a card too few or too many in a packet"),
    "shuffler-fault-during-deal": Fault("the machine jams while it deals", (f"shuffler#jam | {TALKS}",)),
    "deck-count-mismatch": Fault("the machine counts a card too many, and deals", (TALKS,)),
    "packet-order": Fault("two packets are laid down in the wrong order", (FELT,)),
    "unbet-pile": Fault("a packet is laid at a seat without a wager, and moved or left there", (FELT, "seats")),
    "duplicate-card": Fault("a card of another deck is among the cards", (FELT,)),
    "foreign-card": Fault("a joker is among the cards", (FELT,)),
    "deal-before-shuffle-complete": Fault("the round is dealt from a deck that was not shuffled"),
    LATE: Fault("a wager is laid or taken back while the cards are dealt", ("seats", "panel#no-more-bets")),
    ALTERNATE: Fault("the deck is not changed for the other", ("panel#deck-changed",)),
    "two-decks-in-discard-rack": Fault(
        "the rack is not emptied of the last deck", ("discard_rack#card", "discard_rack#empty")
    ),
    BANK: Fault("one player keeps the bank for another round", ("seats#bank-1",)),
    **CardDealer.MACHINE_FAULTS,
}
"""Those that any game may have."""


def faults_of(table: SimTable) -> dict[str, Fault]:
    """With those of the hands that come off the game's meter, and of verifying high hands where that shows."""
    faults = dict(FAULTS)
    shows = {"key-card": "@supervisor", "panel-key": "panel#supervisor"}.get(str(table.options.get("verification")))
    if shows is not None:
        faults[PREMIUM] = Fault("nobody verifies a high hand", (FELT, shows))
    jokers = table.game.figures.get("jokers")
    if jokers is not None and jokers.value:
        del faults["foreign-card"]  # the readers' codes hold nothing else
    return faults | _about_the_meter(table)


def _about_the_meter(table: SimTable) -> dict[str, Fault]:
    meter = meter_hands(table)
    if not meter:
        return {}
    announce, second = meter[0]["announce"], meter[0]["second"]
    seen, keys = (FELT, LAMPS, LOCK), "progressive#hand-" + meter[0]["hand"]
    opens = "@" + unlockers(table)[0]
    any_key = " | ".join(f"progressive#hand-{entry['hand']}" for entry in table.game.tables["progressive"])
    return {
        "keyed-hand-not-seen": Fault("a hand is keyed that nobody has", (FELT, any_key)),
        announce: Fault("a patron with a progressive wager is dealt a jackpot hand", seen),
        second: Fault(
            "while it is verified a linked table hits it too", (*seen, keys, "progressive#jackpot"), (announce,)
        ),
        SEVERAL: Fault("two patrons have a jackpot hand", (*seen, "seats#seat-2"), (announce, second)),
        NOT_LOCKED: Fault("the meter stays open after a jackpot", seen, (announce,)),
        LOCKED_OUT: Fault("a progressive wager is laid while the meter is locked", seen, (announce,)),
        UNLOCKED: Fault("the meter is unlocked without a key card", (*seen, opens), (announce,)),
    }


def jackpot_faults(table: SimTable) -> tuple[str, ...]:
    """Those that need a hand which comes off the meter."""
    rules = [name for entry in meter_hands(table) for name in (entry["announce"], entry["second"])]
    return (*rules, SEVERAL, NOT_LOCKED, LOCKED_OUT, UNLOCKED) if rules else ()


def meter_hands(table: SimTable) -> list[dict[str, Any]]:
    """The hands that come off the meter, as the book has them."""
    return [entry for entry in table.game.tables.get("progressive", []) if entry.get("meter")]


def unlockers(table: SimTable) -> tuple[str, ...]:
    """The roles that may unlock the meter."""
    least = table.game.figures.get("unlock-by")
    return SUPERVISORS[SUPERVISORS.index(least.value) :] if least is not None else SUPERVISORS
