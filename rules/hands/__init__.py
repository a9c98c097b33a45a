"""What hands are worth: one ranking a module, pure functions of cards. Knows no round, no wager and no pay table.

May import: `play.cards`.
"""
