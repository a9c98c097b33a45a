"""What the procedures of several families share: cards, seats, piles, wagers, rounds of cards.

`card_game` and `packet_game` are base classes of card families; the other modules each follow one thing.
May import: `desk`. Must not know any game.
"""
