"""The full-screen view (Textual): two lists, a few lines about the chosen table, windows over them.

Messages go into the model as they arrive. The screen is drawn at most four times a second, however many arrive.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.widgets import Input, Static

from pitwatch.floor.allowance import Allowance
from pitwatch.floor.asking import Asker
from pitwatch.floor.bookmarks import Bookmarks
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.feed import Feed
from pitwatch.floor.identity.finding import KINDS as TROUBLES
from pitwatch.floor.identity.guard import Guard
from pitwatch.floor.message import Message
from pitwatch.floor.open_lines import AskArchive
from pitwatch.floor.watch import bars, looks, pages
from pitwatch.floor.watch.acknowledging import Acknowledger
from pitwatch.floor.watch.beginning import Beginning
from pitwatch.floor.watch.choosing import Filter, matches, matches_table
from pitwatch.floor.watch.concern import Concern
from pitwatch.floor.watch.errands import Errands
from pitwatch.floor.watch.looking_back import LookingBack
from pitwatch.floor.watch.looks import FAINT, Piece
from pitwatch.floor.watch.model import TOPICS, Floor
from pitwatch.floor.watch.records import Change
from pitwatch.floor.watch.rows import Rows
from pitwatch.floor.watch.screens import Acknowledge, Filters, Help, Page, text
from pitwatch.floor.watch.style import CSS
from pitwatch.floor.watch.table import Table
from pitwatch.floor.watch.wording import clean, rank

DRAW_EVERY = 0.25
IDLE_AFTER = 30.0
"""Seconds without a key, after which the top row is chosen again."""
WIDE = 140
"""Columns from which on the chosen line stands in full beside the lists."""
SAID_FOR = 8.0
"""Seconds that a remark stays."""

KEYS = "Enter open a ack n next / search f filter s bell r again b video ? help q quit"
PAGE_KEYS = " Esc back  a acknowledge  r ask for missing records  b bookmark  up down"


class WatchApp(App[None]):
    """`by`: who acknowledges, if that is known; `bell`: whether it is heard; `since`: how far to look back, in seconds
    since 1970; `ask`: what an archive knows to be open."""

    CSS = CSS
    TITLE = "pitwatch watch"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", show=False),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("a", "acknowledge", show=False),
        Binding("b", "bookmark", show=False),
        Binding("f", "filter", show=False),
        Binding("n", "next", show=False),
        Binding("r", "ask_again", show=False),
        Binding("s", "sound", show=False),
        Binding("slash", "search", show=False),
        Binding("question_mark", "help", show=False),
        Binding("escape", "clear", show=False),
    ]

    def __init__(
        self,
        config: FloorConfig,
        by: str = "",
        bell: bool = True,
        since: float | None = None,
        ask: AskArchive | None = None,
    ):
        super().__init__()
        self.floor = Floor()
        self.floor.connection("not connected yet", time.time())
        self.floor.on_change = self._changed
        self.feed = Feed(config.mqtt.addresses, config.mqtt, config.mqtt.prefix, self._take, TOPICS)
        self.feed.on_connection = lambda trouble: self.floor.connection(trouble, time.time())
        self.asker = Asker(self.feed, by or "watch")
        self.guard = Guard(config.approved, self.floor.contradicted, self.floor.settled)
        allowance = Allowance()
        self.acknowledger = Acknowledger(self.floor, self.asker.acknowledge, allowance, self._told)
        self.looking_back = None if since is None else LookingBack(self.floor, self.asker.replay, allowance, since)
        self.beginning = Beginning(self.floor, ask)
        self.bookmarks = Bookmarks(config.video)
        self.errands = Errands(self.floor, self.asker, self.bookmarks, config.video.wanted, self._told)
        self.filter = Filter()
        self.search = ""
        self._by = by
        self._bell = bell
        self._ringing = False
        self._leaving = False
        self._said = ("", 0.0)
        self._key_at = time.monotonic()
        self._drawn = (-1, 0.0)
        self._open: dict[str, int] = {}

    # -- the screen

    def compose(self) -> ComposeResult:
        yield Static(id="top")
        yield Static(id="banner", classes="banner")
        yield Static(id="concerns-head", classes="head")
        yield Rows(lambda each: each.key, self._concern_line, "concerns", "nothing heard yet")
        yield Static(id="tables-head", classes="head")
        yield Rows(lambda each: each.name, self._table_line, "tables", "no table has spoken yet")
        yield Static(id="detail")
        yield Static(id="beside")
        yield Static(id="foot")
        yield Input(placeholder="search; Enter keeps it, Esc ends it", id="search", compact=True)

    def on_mount(self) -> None:
        self.concerns = self.query_one("#concerns", Rows)
        self.tables = self.query_one("#tables", Rows)
        self.concerns.focus()
        self.bookmarks.start()
        self.run_worker(self.feed.run(), name="feed")
        self.run_worker(self.guard.run(), name="guard")
        self.run_worker(self.beginning.run(), name="beginning")
        if self.looking_back:
            self.run_worker(self.looking_back.run(), name="looking back")
        self.set_interval(DRAW_EVERY, self._draw)
        self._draw()

    def on_unmount(self) -> None:
        self.bookmarks.stop()

    def _draw(self) -> None:
        now = time.time()
        self.floor.tick(now)
        self.guard.tick(now)
        if self._ringing:
            self._ringing = False
            if self._bell:
                self.bell()
        if time.monotonic() - self._key_at > IDLE_AFTER and not self.concerns.following:
            self.concerns.action_follow()
        if self._drawn == (self.floor.messages, int(now)) and self.floor.stale_since is None:
            return
        self._drawn = (self.floor.messages, int(now))
        with contextlib.suppress(NoMatches):  # while the screen is taken down, the top row goes before the lists
            self.draw(now)

    def draw(self, now: float) -> None:
        """Everything anew, as far as it is on the screen yet, or still is."""
        if not self.concerns.is_attached:
            return
        floor = self.floor
        self._open = floor.open_of()
        ordered = floor.ordered()
        shown = [
            each for each in ordered if self.filter.lets(each, floor.tables[each.table]) and matches(self.search, each)
        ]
        tables = sorted(floor.tables.values(), key=looks.table_order)
        shown_tables = [each for each in tables if self.filter.lets_table(each) and matches_table(self.search, each)]
        self._names = looks.name_width([each.name for each in tables])
        stale = floor.stale_since is not None
        hides = self._hides() if ordered else ""
        self.concerns.empty = bars.nothing(floor, self.beginning, self.looking_back, hides)
        for rows, items in ((self.concerns, shown), (self.tables, shown_tables)):
            rows.faint = stale
            rows.show(items)
        top = text([bars.top(floor, self.feed.foreign, self._bell, now)])
        no_broker = text([bars.no_broker(floor, self.feed.connections > 0, now)])
        for screen in self.screen_stack:
            if screen is self.screen_stack[0] or (isinstance(screen, Page) and screen.is_mounted):
                screen.query_one("#top, .top", Static).update(top)
                banner = screen.query_one(".banner", Static)
                banner.set_class(stale, "on")
                banner.update(no_broker)
        self._put("#concerns-head", text([bars.concerns(floor, ordered, shown, self._hides())]))
        self._put(
            "#tables-head", text([bars.tables(floor, shown_tables, self._hides(), self.beginning, self.looking_back)])
        )
        self._detail(now)
        self._foot(now)

    def _hides(self) -> str:
        parts = [f"filter {self.filter.told()}"] if self.filter != Filter() else []
        return clean(" and ".join([*parts, *([f"search {self.search!r}"] if self.search else [])]))

    def _detail(self, now: float) -> None:
        table = self._table()
        self._beside()
        room = max(self.query_one("#detail").size.height, 1)
        self._put("#detail", text(pages.detail(table, now, room)) if table else Text(""))

    def _beside(self) -> None:
        """On a wide screen the chosen line in full, as Enter opens it."""
        base = self.screen_stack[0]
        base.set_class(self.size.width >= WIDE, "wide")
        item, place = self._chosen() or self._table(), base.query_one("#beside", Static)
        if self.size.width >= WIDE:
            lines = [] if item is None else self._page_of(item)
            place.update(text(pages.hang(lines, max(place.content_size.width, 40))))

    def _page_of(self, item: Concern | Table) -> list[list[Piece]]:
        return self._concern_page(item) if isinstance(item, Concern) else self._table_page(item)

    def _foot(self, now: float) -> None:
        if not self.concerns.is_attached:
            return
        told, until = self._said
        told = told if now < until else ""
        if isinstance(self.screen, Page):
            if self.screen.is_mounted:
                self.screen.say(told)
        else:
            self.query_one("#foot", Static).update(Text(f" {told}" if told else KEYS, looks.BOLD if told else FAINT))

    def _put(self, where: str, what: Text) -> None:
        self.screen_stack[0].query_one(where, Static).update(what)

    def _concern_line(self, concern: Concern) -> list[Piece]:
        return looks.concern_line(concern, self.floor.tables.get(concern.table), time.time(), self._names)

    def _table_line(self, table: Table) -> list[Piece]:
        return looks.table_line(table, self._open.get(table.name, 0), time.time(), self._names)

    def _table(self) -> Table | None:
        """The table that is chosen, by itself or by its concern."""
        if self.tables.has_focus:
            chosen: Table | None = self.tables.selected
            return chosen
        concern = self.concerns.selected
        if concern is not None:
            return self.floor.tables.get(concern.table)
        first: Table | None = self.tables.selected
        return first

    # -- what comes

    def _take(self, message: Message) -> None:
        self.asker.take(message)
        self.floor.take(message, time.time())
        self.guard.take(message, time.time())
        if self.looking_back:
            self.looking_back.take(message, time.time())

    def _changed(self, change: Change) -> None:
        if change.earlier:
            return
        if change.kind == "looked_back" and change.data["reason"]:
            self._told(f"looking back at {change.table}: {change.data['reason']}", False)
        elif change.kind == "system":
            self._ringing |= change.data.get("severity") == "critical"
        elif change.kind in ("lost", "silent", "gap", "integrity", "broker_lost", *TROUBLES):
            self._ringing = True
        elif change.kind == "irregularity" and change.message is not None:
            self._ringing |= rank(change.message.subtopic.rpartition("/")[2]) >= rank("alert")

    def _told(self, what: str, bad: bool) -> None:
        self._said = (clean(what), time.time() + SAID_FOR)
        if bad and self._bell:
            self.bell()
        self._foot(time.time())

    def on_rows_moved(self) -> None:
        self._detail(time.time())

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        item = message.item
        page = Page(lambda width: pages.hang(self._page_of(item), width), lambda what: self._act(what, item), PAGE_KEYS)
        self.push_screen(page)
        self.call_after_refresh(lambda: self.draw(time.time()))

    def _concern_page(self, concern: Concern) -> list[list[Piece]]:
        return pages.concern_page(concern, self.floor.tables.get(concern.table), time.time())

    def _table_page(self, table: Table) -> list[list[Piece]]:
        of_it = [each for each in self.floor.ordered() if each.table == table.name]
        return pages.table_page(table, of_it, time.time())

    def on_event(self, event: Any) -> Any:
        self._key_at = time.monotonic() if type(event).__name__ in ("Key", "MouseDown") else self._key_at
        return super().on_event(event)

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the lists are not keys of a window over them, nor of the search line."""
        listed = ("acknowledge", "bookmark", "filter", "next", "ask_again", "sound", "search", "help", "clear")
        return len(self.screen_stack) == 1 if action in listed else True

    def _chosen(self) -> Concern | Table | None:
        rows = self.tables if self.tables.has_focus else self.concerns
        item: Concern | Table | None = rows.selected
        return item

    def _act(self, what: str, item: Concern | Table | None) -> None:
        if item is None:
            self._told("nothing is chosen", False)
        elif what == "ask_again":
            self.errands.ask_again(item)
        elif isinstance(item, Table):
            self._told("choose a line of the upper list first (Tab)", False)
        elif what == "acknowledge":
            self._acknowledge(item)
        else:
            self.errands.bookmark(item)

    def action_acknowledge(self) -> None:
        self._act("acknowledge", self._chosen())

    def action_bookmark(self) -> None:
        self._act("bookmark", self._chosen())

    def action_ask_again(self) -> None:
        self._act("ask_again", self._chosen())

    def _acknowledge(self, concern: Concern) -> None:
        done = concern.acknowledged
        if done is not None and done.where != "here":
            self._told(f"acknowledged by {done.who} already", False)
            return
        what = looks.concern_line(concern, self.floor.tables.get(concern.table), time.time(), self._names)

        def acknowledge(answer: tuple[str, str] | None) -> None:
            if answer is not None:
                self._by, note = answer
                self.acknowledger.acknowledge(concern, self._by, note)
                self.draw(time.time())

        self.push_screen(Acknowledge([what], self._by), acknowledge)

    def action_next(self) -> None:
        items = self.concerns.items
        begin = self.concerns.index or 0
        for step in range(1, len(items) + 1):
            at = (begin + step) % len(items)
            if items[at].acknowledged is None:
                self.concerns.focus()
                self.concerns.select(at)
                return
        self._told("everything is acknowledged", False)

    def action_sound(self) -> None:
        self._bell = not self._bell
        self._told("bell on" if self._bell else "bell OFF", False)
        self.draw(time.time())

    async def action_quit(self) -> None:
        """Not with acknowledgements on their way, unless it is said twice."""
        if self.acknowledger.under_way and not self._leaving:
            self._leaving = True
            self._told(f"{self.acknowledger.under_way} acknowledgements are on their way; again leaves without", True)
            return
        self.exit()

    def action_help(self) -> None:
        self.push_screen(Help())

    def action_filter(self) -> None:
        def filtered(answer: Filter | None) -> None:
            if answer is not None:
                self.filter = answer
                self.draw(time.time())

        self.push_screen(Filters(self.filter), filtered)

    def action_search(self) -> None:
        field = self.query_one("#search", Input)
        field.add_class("on")
        field.value = self.search
        field.focus()

    def action_clear(self) -> None:
        """Esc ends the search."""
        self.query_one("#search", Input).value = ""
        self.search = ""
        self._end_search()

    def on_input_changed(self, message: Input.Changed) -> None:
        if message.input.id == "search" and message.input.has_class("on"):
            self.search = message.value
            self.draw(time.time())

    def on_input_submitted(self, message: Input.Submitted) -> None:
        if message.input.id == "search":
            self._end_search()

    def _end_search(self) -> None:
        self.query_one("#search", Input).remove_class("on")
        self.concerns.focus()
        self.draw(time.time())
