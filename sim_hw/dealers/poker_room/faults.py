"""What a simulated dealer of poker among patrons can do wrong. Data only."""

from __future__ import annotations

from pitwatch.sim_hw.dealers.card_dealer import TALKS, CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault

SHUFFLED_KEY = "panel#hand-shuffled"

SHORT_STUB = ("stub-short", "stub-plus-burns-short", "stub-last-card-used")
JACKPOTS = ("bad-beat-jackpot", "mini-bad-beat-jackpot", "too-few-players", "hole-cards-not-used")
JACKPOT_COUNT = "wrong-card-count-at-jackpot"

FAULTS: dict[str, Fault] = {
    "wrong-card-count": Fault("a hand gets a card too many or too few, or the flop has four cards"),
    "burn-missing": Fault("a street is dealt without a burn"),
    "burn-extra": Fault("two cards are burned"),
    "premature-deal": Fault("a street begins before the betting is called complete, or before the last is dealt"),
    "stub-short": Fault("so many stay in that the stub runs short; burn cards are shuffled in"),
    "stub-plus-burns-short": Fault(
        "nobody folds: even with the burn cards the stub is short", (SHUFFLED_KEY,), ("stub-short",)
    ),
    "stub-last-card-used": Fault("the last card of the stub is dealt in a draw", (), ("stub-short",)),
    "draw-count-mismatch": Fault("a patron gets a card more or fewer than he discarded"),
    "duplicate-card": Fault("a card of another deck is among the cards"),
    "foreign-card": Fault("a card that the deck does not hold is among the cards"),
    "bad-beat-jackpot": Fault("a hand high enough for the jackpot is beaten"),
    "mini-bad-beat-jackpot": Fault("aces full are beaten by four of a kind"),
    "too-few-players": Fault("the jackpot hand comes with three patrons dealt in"),
    "hole-cards-not-used": Fault("four of a kind without a pocket pair is beaten"),
    JACKPOT_COUNT: Fault(
        "the deck of a jackpot hand is a card short in the machine",
        (TALKS,),
        ("bad-beat-jackpot", "shuffle-count-failed"),
    ),
    **CardDealer.TALKING_FAULTS,
}
