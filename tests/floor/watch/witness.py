"""Somebody beside the view, who hears what it hears and looks at its top row whenever it is drawn. For tests only."""

from __future__ import annotations

from pitwatch.floor.message import Message
from pitwatch.floor.watch.app import WatchApp
from pitwatch.floor.watch.rows import Rows
from tests.floor.watch.expected import Expected


def row(rows: Rows, y: int) -> str:
    """One line of a list as it is on the screen."""
    return "".join(segment.text for segment in rows.render_line(y)).rstrip()


class Witness:
    """Begins as it is made, which has to be before the view runs."""

    def __init__(self, app: WatchApp):
        self.expected = Expected()
        self.tops: list[str] = []
        """The top row at every look."""
        self.wrong: list[tuple[str, list[tuple[int, int, str]]]] = []
        """Looks at which it was another than it should be, and what should have come first."""
        take, draw = app.feed._take, app.draw

        def take_both(message: Message) -> None:
            self.expected.take(message)
            take(message)

        def draw_and_look(now: float) -> None:
            draw(now)
            if not app.concerns.size.width:
                return  # nothing is laid out yet
            self.tops.append(row(app.concerns, 0))
            if not self.expected.agrees(self.tops[-1]):
                self.wrong.append((self.tops[-1], sorted(self.expected.open.values())[:2]))

        app.feed._take, app.draw = take_both, draw_and_look  # type: ignore[method-assign]
