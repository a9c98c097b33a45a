"""A list that draws only the lines on screen, as fast for thousands as for ten. The chosen line stays chosen
when the order changes. A widget; independent of tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Rows(ScrollView, can_focus=True):
    """`key` distinguishes items, `draw` makes an item's line of (text, style)."""

    DEFAULT_CSS = "Rows { scrollbar-size-vertical: 1; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "follow", show=False),
        Binding("end", "move(1000000)", show=False),
        Binding("enter", "choose", show=False),
    ]

    class Chosen(Message):
        """Enter on an item."""

        def __init__(self, rows: Rows, item: Any):
            super().__init__()
            self.rows = rows
            self.item = item

    class Moved(Message):
        """Another item is selected."""

    def __init__(self, key: Callable[[Any], str], draw: Callable[[Any], list[tuple[str, str]]], id: str, empty: str):
        super().__init__(id=id)
        self._key = key
        self._draw = draw
        self.empty = empty
        """What is shown in place of no items."""
        self._items: list[Any] = []
        self._selected = ""
        self.following = True
        """The first line is the chosen one, whichever it is, until the user chooses another."""
        self.faint = False
        """Everything is drawn as of yesterday."""

    @property
    def items(self) -> list[Any]:
        return self._items

    @property
    def selected(self) -> Any | None:
        index = self.index
        return self._items[index] if index is not None else None

    @property
    def index(self) -> int | None:
        return next((n for n, item in enumerate(self._items) if self._key(item) == self._selected), None)

    def show(self, items: list[Any]) -> None:
        """Other items, or others' order."""
        before = self.index
        self._items = items
        if self.following or self.index is None:
            at = 0 if self.following else min(before or 0, len(items) - 1)
            selected = self._key(items[at]) if items else ""
            if selected != self._selected:
                self._selected = selected
                self.post_message(self.Moved())
        self.virtual_size = Size(0, len(items))
        self._into_view()
        self.refresh()

    def select(self, index: int) -> None:
        if self._items:
            index = max(0, min(index, len(self._items) - 1))
            self.following = False
            self._selected = self._key(self._items[index])
            self._into_view()
            self.refresh()
            self.post_message(self.Moved())

    def action_move(self, by: int) -> None:
        self.select((self.index or 0) + by)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(self.size.height - 1, 1))

    def action_follow(self) -> None:
        self.select(0)
        self.following = True

    def action_choose(self) -> None:
        if self.selected is not None:
            self.post_message(self.Chosen(self, self.selected))

    def on_click(self, event: events.Click) -> None:
        self.select(int(self.scroll_offset.y) + event.y)

    def _into_view(self) -> None:
        index, top, height = self.index or 0, int(self.scroll_offset.y), max(self.size.height, 1)
        if index < top:
            self.scroll_to(y=index, animate=False, immediate=True)
        elif index >= top + height:
            self.scroll_to(y=index - height + 1, animate=False, immediate=True)

    def on_resize(self) -> None:
        self._into_view()

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        index = int(self.scroll_offset.y) + y
        width = self.size.width
        if index >= len(self._items):
            text = f"  {self.empty}" if not self._items and y == 0 else ""
            return Strip([Segment(text, base)]).crop_extend(0, width, base)
        item = self._items[index]
        selected = self._key(item) == self._selected
        pieces = self._draw(item)
        segments = [Segment("> " if selected else "  ", base + Style(bold=True))]
        for text, style in pieces:
            segments.append(Segment(text, base + (Style(dim=True) if self.faint else Style.parse(style))))
        strip = Strip(segments).crop_extend(0, width, base)
        return strip.apply_style(Style(reverse=True)) if selected and self.has_focus else strip
