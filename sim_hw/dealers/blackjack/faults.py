"""What a simulated blackjack dealer can do wrong, and the cards each fault needs. Data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pitwatch.sim_hw.dealers.card_dealer import CardDealer
from pitwatch.sim_hw.dealers.dealer import Fault

FELT = "card_position/card_lines"
LAMPS = "progressive#coin-in-1"
LOCK = ("progressive#meter-lock", "@supervisor")
"""A meter that is locked out, and somebody whose key card opens it."""
KEYPAD = "progressive#hand-3-suited-7s | panel#hand-3-suited-7s"
PLACED = f"{FELT} | shoe/ndjson"
"""The places of the cards are known."""
BANK = "bank-held-too-long"
CHART = "player-hits-or-stands-against-rule"


@dataclass(frozen=True)
class Rigged:
    """Ranks (or cards) for the fault: of the first seat, of the other seats, the dealer's, and what is drawn next."""

    first: str | Sequence[str] = "T9"
    others: str = "TT"
    dealer: str | Sequence[str] = "T9"
    then: str = ""


RIGGED: Mapping[str, Rigged] = {
    "wrong-card-count-dealer": Rigged(first="23", then="42"),
    "dealer-drew-against-rule": Rigged(dealer="T7"),
    "dealer-stood-against-rule": Rigged(first="56", dealer="T6", then="T"),
    "drawn-after-dealer-blackjack": Rigged(dealer="TA"),
    "player-drew-on-21": Rigged(first="56", then="T4"),
    "split-aces-one-card": Rigged(first="AA", then="564"),
    "split-order": Rigged(first="88", then="9T"),
    "split-unequal-values": Rigged(first="78", then="TT"),
    "too-many-cards": Rigged(first="23", then="45"),
    "hole-card-early": Rigged(first="56", then="T"),
    "invalid-zappit": Rigged(first="T4", then="TT"),
    "second-zappit": Rigged(first="T6", then="T5TT"),
    "zappit-before-dealer-check": Rigged(first="T6", then="TT"),
    "zappit-cards-not-discarded": Rigged(first="T6", dealer="T6", then="TT5"),
    "switch-before-dealer-check": Rigged(others="98"),
    "switch-not-second-cards": Rigged(others="98"),
    "community-count": Rigged(),
    "blackjack-not-removed": Rigged(first="AK", others="56", dealer="6T", then="T"),
    "blackjack-removed-early": Rigged(first="AK", dealer="T7"),
    "progressive-jackpot-hand": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
    "second-jackpot-hand": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
    "jackpot-without-lockout": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
    "multiple-jackpots-same-round": Rigged(first=("7H", "7H"), dealer=("7H", "T")),
}
"""No patron or dealer draws but as the fault wants it: all others stand on eighteen or more."""

JACKPOTS = (
    "progressive-jackpot-hand", "second-jackpot-hand", "jackpot-without-lockout", "multiple-jackpots-same-round",
)  # fmt: skip

FAULTS: dict[str, Fault] = {
    "wrong-card-count-player": Fault("a patron gets a card too few or too many", (PLACED,)),
    "wrong-card-count-dealer": Fault("the dealer's second card is forgotten", (PLACED,)),
    "wrong-initial-sequence": Fault("two patrons are dealt to in the wrong order", (PLACED,)),
    "dealer-drew-against-rule": Fault("the dealer draws on seventeen", (PLACED,)),
    "dealer-stood-against-rule": Fault("the dealer stands on sixteen", (PLACED,)),
    "drawn-after-dealer-blackjack": Fault("a card is dealt although the peek showed blackjack", ("peek",)),
    "player-drew-on-21": Fault("a patron with twenty-one gets another card", (PLACED,)),
    "split-aces-one-card": Fault("a split ace gets two cards", (PLACED,)),
    "split-order": Fault("the second split hand is dealt to before the first", (PLACED,)),
    "split-unequal-values": Fault("a seven and an eight are split", (PLACED,)),
    "split-too-often": Fault("a hand is split four times", (FELT,)),
    "blackjack-not-removed": Fault("a third card is dealt while a paid blackjack lies there", (FELT,)),
    "blackjack-removed-early": Fault("a blackjack is paid before all have two cards", (FELT,)),
    CHART: Fault("a patron who must stand gets another card", (PLACED,)),
    "too-many-cards": Fault("a patron gets two cards more", (PLACED,)),
    "hole-card-early": Fault("the hole card is turned over before the first patron draws", (FELT,)),
    "invalid-zappit": Fault("a hard fourteen is exchanged", (FELT,)),
    "second-zappit": Fault("a hand is exchanged twice", (FELT,)),
    "zappit-before-dealer-check": Fault("a hand is exchanged before the dealer has looked", (FELT, "peek")),
    "zappit-cards-not-discarded": Fault("the new cards are dealt beside the old", (FELT,)),
    "switch-before-dealer-check": Fault("hands are switched before the dealer has looked", (FELT, "peek")),
    "switch-not-second-cards": Fault("the first cards of two hands are switched", (FELT,)),
    "community-count": Fault("the board gets a card too few or too many", (PLACED,)),
    BANK: Fault("a seat banks for a round more than it may", ("seats#bank-1",)),
    "mid-shoe-entry": Fault("a patron who was not in the shoe's first round bets", ("seats",)),
    "cut-card-mid-round": Fault("the cut card comes out in a round"),
    "cut-card-first-card": Fault("the cut card is the first card of a round"),
    "dealt-past-cut-card": Fault("a round is dealt after the cut card", (), ("cut-card-mid-round",)),
    "relief-dealer-no-burn": Fault("a relief dealer deals at once", (PLACED, "panel#dealer-change | @dealer*2")),
    "duplicate-card": Fault("a card comes out once more than the decks hold it", (PLACED,)),
    "foreign-card": Fault("a joker comes out of the shoe", (PLACED,)),
    "deck-count-mismatch": Fault(
        "more cards come into the discard rack than the decks hold", ("discard_rack#card", "discard_rack#empty")
    ),
    "progressive-jackpot-hand": Fault("a patron whose light is lit has suited sevens", (PLACED, LAMPS, *LOCK)),
    "second-jackpot-hand": Fault(
        "a linked table hits while a jackpot is verified",
        (PLACED, LAMPS, *LOCK, "progressive#jackpot"),
        ("progressive-jackpot-hand",),
    ),
    "multiple-jackpots-same-round": Fault(
        "two patrons have three suited sevens",
        (PLACED, LAMPS, *LOCK),
        ("progressive-jackpot-hand", "second-jackpot-hand"),
    ),
    "jackpot-without-lockout": Fault(
        "the meter stays open after a jackpot", (PLACED, LAMPS, LOCK[0]), ("progressive-jackpot-hand",)
    ),
    "keyed-hand-not-seen": Fault("a hand is keyed that nobody has", (PLACED, KEYPAD)),
    "wager-while-locked-out": Fault("wagers are laid while the meter is locked out", LOCK),
    "unlocked-without-key-card": Fault("the meter is unlocked and no key card was shown", LOCK[:1]),
    **CardDealer.MACHINE_FAULTS,
}
