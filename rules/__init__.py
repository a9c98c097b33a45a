"""Games and their rules, sans I/O: observations in, rounds and irregularities out. Reads no clock, port or network.

The modules here state what is judged: `game` (a game as its book has it), `table` (what a table has), `people`
(roles), `house` (rules of every table), `records` (what comes out). Each folder's docstring says what it is for.
May import: `devices`.
"""
