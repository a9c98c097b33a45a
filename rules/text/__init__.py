"""Text from people and for people: TOML and its lines in, one-line messages and suggestions out.

May import: nothing of `rules`.
"""
