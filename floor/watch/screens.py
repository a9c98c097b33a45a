"""Windows over the view: a page, an acknowledgement, the filter, the keys. They decide nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from pitwatch.floor.watch.choosing import Filter, severity_of
from pitwatch.floor.watch.looks import Piece

HELP = """\
Above: what needs attention. Unacknowledged lines come first, then the most
severe, then the oldest. Below: the tables, in the same order.

 up down j k  choose a line       Tab  the other list
 Enter        open in full        n    next unacknowledged line
 a   acknowledge, with a name     b    bookmark for the video system
 r   request from the table the records that this view lacks
 /   search     f  filter         s    bell on or off (alert, critical)
 ?   these keys Esc back          q    leave          Home  the top row

 !!! CRITICAL  !! ALERT  ! WARNING  . NOTICE
 XX LOST     disconnected without notice
 ?? SILENT   connected, but nothing received for 95 s
 ## GAP      records are missing here; r asks for them
    aligning observes but does not judge yet
 ack HERE    acknowledged in this view only: the table did not accept it

After half a minute without a key the top row is chosen again."""


def text(lines: list[list[Piece]]) -> Text:
    """Lines of pieces as Rich has them."""
    whole = Text()
    for number, line in enumerate(lines):
        if number:
            whole.append("\n")
        for piece, style in line:
            whole.append(piece, style)
    return whole


class Page(ModalScreen[None]):
    """Shows what `lines(width)` says, anew every second; keys beyond reading go to `act`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,backspace", "dismiss", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-15)", show=False),
        Binding("pagedown,space", "scroll(15)", show=False),
        Binding("home", "scroll(-100000)", show=False),
        Binding("end", "scroll(100000)", show=False),
        Binding("a", "act('acknowledge')", show=False),
        Binding("b", "act('bookmark')", show=False),
        Binding("r", "act('ask_again')", show=False),
    ]

    def __init__(self, lines: Callable[[int], list[list[Piece]]], act: Callable[[str], None], keys: str):
        super().__init__()
        self._lines = lines
        self._act = act
        self._keys = keys

    def compose(self) -> ComposeResult:
        yield Static(classes="top")
        yield Static(classes="banner")
        with VerticalScroll(id="page", can_focus=False):
            yield Static(id="text")
        yield Static(self._keys, classes="keys")

    def on_mount(self) -> None:
        self.set_interval(1.0, self.again)
        self.again()

    def again(self) -> None:
        """What it shows may have changed."""
        self.query_one("#text", Static).update(text(self._lines(max(self.app.size.width - 3, 40))))

    def say(self, told: str) -> None:
        self.query_one(".keys", Static).update(Text(told or self._keys))

    def action_scroll(self, by: int) -> None:
        self.query_one("#page").scroll_relative(y=by, animate=False)

    def action_act(self, what: str) -> None:
        self._act(what)

    async def action_dismiss(self, result: Any = None) -> None:
        self.dismiss()


FIELDS: list[BindingType] = [
    Binding("escape", "cancel", show=False),
    # At once: after a slow line or a busy second keys come all together, and what follows is for the next field.
    Binding("tab", "app.focus_next", show=False, priority=True),
    Binding("shift+tab", "app.focus_previous", show=False, priority=True),
]
"""Keys of a window with fields to fill in."""


class Acknowledge(ModalScreen[tuple[str, str] | None]):
    """Name and note, or None. `by`: the name, if it is known; then the note has the focus. Enter in the name goes on to
    the note; only Enter in the note sends, below a line that shows both."""

    BINDINGS: ClassVar[list[BindingType]] = [*FIELDS, Binding("enter", "accept", show=False, priority=True)]

    def __init__(self, what: list[list[Piece]], by: str):
        super().__init__()
        self._what = what
        self._known = by.strip()
        self._refused = False
        """Somebody went on without a name."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(text(self._what), id="what")
            yield Static("Acknowledged by:")
            yield Input(self._known, placeholder="your name", max_length=64, id="by", compact=True)
            yield Static("Note, if any:")
            yield Input(placeholder="", max_length=200, id="note", compact=True)
            yield Static(id="hint")

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#note" if self._known else "#by", Input))
        self._hint()

    def on_input_changed(self) -> None:
        self._hint()

    def on_descendant_focus(self) -> None:
        self._hint()

    def action_accept(self) -> None:
        """The focus moves at once, as with Tab; a field is read once it has taken the keys that came before."""
        by, note = self.query_one("#by", Input), self.query_one("#note", Input)
        if self.focused is by:
            self.set_focus(note)
            by.call_later(self._named)
        else:
            note.call_later(by.call_later, self._send)

    def _named(self) -> bool:
        """Whether there is a name; if not, it is asked for."""
        if self._fields()[0]:
            return True
        self._refused = True
        self.set_focus(self.query_one("#by", Input))
        self._hint()
        return False

    def _send(self) -> None:
        if self._named():
            self.dismiss(self._fields())

    def action_cancel(self) -> None:
        self.dismiss(None)

    def _fields(self) -> tuple[str, str]:
        return self.query_one("#by", Input).value.strip(), self.query_one("#note", Input).value.strip()

    def _hint(self) -> None:
        by, note = self._fields()
        said = f"the note: {note}" if note else "no note"
        told = f"Enter sends: acknowledged by {by or '(no name)'}, {said}. Esc sends nothing"
        if self.focused is self.query_one("#by", Input):
            told = "Your name, not the note. Enter goes on to the note, Esc sends nothing"
        if not by and self._refused:
            told = "A name is needed: who has seen it?"
        self.query_one("#hint", Static).update(Text(told))


class Filters(ModalScreen[Filter | None]):
    """Another filter, or None to keep it."""

    BINDINGS: ClassVar[list[BindingType]] = FIELDS
    TOLD: ClassVar[dict[str, str]] = {
        "severity": "notice, warning, alert or critical, and worse",
        "site": "part of its name",
        "table": "part of its name",
        "game": "part of its name",
    }

    def __init__(self, filtered: Filter):
        super().__init__()
        self._filter = filtered

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static("Show only (empty shows all)")
            for name, told in self.TOLD.items():
                yield Static(f"{name}:")
                yield Input(getattr(self._filter, name), placeholder=told, id=name, compact=True)
            yield Static("Tab next, Enter filters, Ctrl+U empties a line, Esc leaves it as it was", id="hint")

    def on_input_submitted(self) -> None:
        values = {name: self.query_one(f"#{name}", Input).value.strip() for name in self.TOLD}
        try:
            values["severity"] = severity_of(values["severity"])
        except ValueError as error:
            self.query_one("#hint", Static).update(Text(str(error)))
            self.query_one("#severity", Input).focus()
            return
        self.dismiss(Filter(**values))

    def action_cancel(self) -> None:
        self.dismiss(None)


class Help(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,question_mark", "cancel", show=False)]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box"):
            yield Static(Text(HELP))

    def action_cancel(self) -> None:
        self.dismiss()
