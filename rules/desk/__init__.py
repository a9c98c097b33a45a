"""Where procedures and watchers report: the open round, breaches, alerts, deadlines.

`desk` is what they write at, `part` the base class of both, `availability` which rules can be judged now.
May import: the modules on top of `rules`. Must not know any game.
"""

from pitwatch.rules.desk.desk import Desk, OpenRound

__all__ = ["Desk", "OpenRound"]
