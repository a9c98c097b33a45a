"""The engine: passes each observation to the game's procedure and to the watchers.

Before them stand `intake` (types of fields), `noise` (what noise on a wire hid) and `read_again` (cards reported
twice). `registry` finds procedures and watchers; `following` says what a game is followed by.
May import: all rooms of `rules` except `book`.
"""

from pitwatch.rules.engine.engine import Engine

__all__ = ["Engine"]
