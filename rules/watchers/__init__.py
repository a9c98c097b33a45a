"""What is watched beside the round whatever the game: shuffler, deck, meter, cut card, relief, bank, equipment."""

RULES = (
    "shuffler-fault-during-shuffle", "shuffler-fault-during-deal", "shuffle-count-failed", "equipment-malfunction",
    "tampering-suspected", "duplicate-card", "foreign-card", "deck-count-mismatch", "deck-not-alternated",
    "two-decks-in-discard-rack", "cut-card-first-card", "cut-card-mid-round", "dealt-past-cut-card",
    "dealt-past-last-hand", "bank-held-too-long", "relief-dealer-no-burn", "accidental-burn",
    "unlocked-without-key-card", "wager-while-locked-out", "jackpot-without-lockout", "keyed-hand-not-seen",
    "multiple-jackpots-same-round",
)  # fmt: skip
"""The rules they judge by name; those on a jackpot's hands a book names in its tables."""
