"""What is watched beside the round whatever the game: shuffler, deck, meter, cut card, relief, bank, equipment.

May import: `play`, `desk`.
"""
