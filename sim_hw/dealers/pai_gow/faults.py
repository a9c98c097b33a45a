"""What a simulated dealer of pai gow can do wrong, and its players. Data only."""

from __future__ import annotations

from pitwatch.sim_hw.dealers.card_dealer import TALKS, CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault

DICE = "dice/ndjson"
BANK = "seats#bank-1"
RACK = "discard_rack#card"

SETTINGS = ("foul-hand", "fouled-count", "house-way-not-followed")
"""Those of how a hand is set in two parts."""

FAULTS: dict[str, Fault] = {
    "wrong-card-count": Fault("a packet has a card too few or too many"),
    "packet-order": Fault("two packets are delivered in the wrong order, or the first to the wrong position", (DICE,)),
    "remaining-cards-not-four": Fault("a card too few or too many is left over", (TALKS, RACK)),
    "unbet-pile": Fault("a packet stays at a seat without a wager", ("seats#seat-1",)),
    "foul-hand": Fault("a player sets two cards that outrank the five"),
    "fouled-count": Fault("a player sets three cards in front and four behind"),
    "house-way-not-followed": Fault("the player-dealer's hand is set otherwise", (BANK,)),
    "wager-touched-after-first-card": Fault("a wager is lifted while the cards are dealt", ("seats#seat-1",)),
    "shaker-under-shaken": Fault("the shaker is shaken twice", (DICE,)),
    "bank-held-too-long": Fault("a seat banks for a round more than it may", (BANK,)),
    "deck-not-alternated": Fault("the same deck is dealt again", ("panel#deck-changed",)),
    "duplicate-card": Fault("a card of another deck is among the cards"),
    "shuffler-fault-during-deal": Fault("the machine jams while it deals", (TALKS,)),
    **CardDealer.TALKING_FAULTS,
}
