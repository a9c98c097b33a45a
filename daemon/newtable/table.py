"""The questions about the table itself: its name, the game, what the house chose, the broker, the pace."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.config import STATISTICS_BOUNDS
from pitwatch.daemon.config.sections import NAME
from pitwatch.daemon.newtable.asking import Answers, Asker
from pitwatch.daemon.newtable.file import Draft, value
from pitwatch.rules.book import book as books
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.engine.following import followed_by
from pitwatch.rules.game import Game

MOST_SHOWN = 30
"""Games that are listed at once."""

NONE = "none"


def ask_table(asker: Asker, path: Path) -> tuple[Draft, Game]:
    """Everything but devices."""
    asker.say("The table")
    site = asker.ask("site", "Site, as in topics (a short name of the casino)", None, _name)
    table = asker.ask("id", "Name of the table", path.stem if NAME.match(path.stem) else None, _name)
    game = _game(asker)
    asker.say(f"  {game.name}, by {game.title}")
    draft = Draft(site=site, id=table, game=game.path, title=game.name)
    draft.options = _options(asker, game)
    draft.mqtt = _broker(asker, path)
    pace = asker.ask("rounds_an_hour", "Rounds an hour that the house expects of a full table", NONE, _pace)
    draft.rounds_an_hour = None if pace == NONE else float(pace)
    return draft, game


def _name(answer: str) -> str:
    if not NAME.match(answer):
        raise ValueError("letters, digits, - and _ are right, without blanks")
    return answer


def _game(asker: Asker) -> Game:
    """By its id, or chosen among those in whose id or name every word of the answer stands."""
    only_one = isinstance(asker, Answers)
    while True:
        question = "Game, as BOOK/GAME or by words of its name (roulette)"
        answer = asker.ask("game", question, None, lambda given: _some_game(given, only_one))
        with contextlib.suppress(BookError):
            return books.load_game(answer)
        found = _matching(answer)
        if len(found) == 1:
            return found[0]
        choices = [f"{game.path}  {game.name}" for game in found[:MOST_SHOWN]] + ["none of these: ask again"]
        if len(found) > MOST_SHOWN:
            asker.say(f"  {len(found)} games, of which the first {MOST_SHOWN}:")
        number = asker.choose("game", "Which game", choices, None)
        if number < len(choices) - 1:
            return found[number]


def _some_game(answer: str, only_one: bool) -> str:
    """Raises ValueError if there is none, or several where `only_one` will do."""
    with contextlib.suppress(BookError):
        return _followed(books.load_game(answer)).path
    found = _matching(answer)
    if not found:
        raise ValueError(f"no game is called {answer!r}; `pitwatch rules list` shows all")
    if only_one and len(found) > 1:
        raise ValueError(f"{answer!r} fits {', '.join(game.path for game in found[:3])} …; name one of them")
    return answer


def _followed(game: Game) -> Game:
    if not followed_by(game):
        raise ValueError(f"{game.path} has no rounds to follow; name the game that is dealt")
    return game


def _matching(answer: str) -> list[Game]:
    words = answer.lower().replace("-", " ").split()
    found = []
    for folder in books.books():
        for name in books.games(folder):
            game = books.read_game(folder, name)
            called = f"{game.path} {game.name}".lower().replace("-", " ")
            if words and all(word in called for word in words) and followed_by(game):
                found.append(game)
    return found


def _options(asker: Asker, game: Game) -> dict[str, Any]:
    """What differs from the book's defaults."""
    if isinstance(asker, Answers):
        given = asker.data.get("options", {})
        if not isinstance(given, dict):
            raise asker.error("options", 'is no table; options = { wheel = "double-zero" } is right')
        try:
            game.settle_options(given)
        except ValueError as error:
            raise asker.error(f"options.{error}", "") from None
        return given
    chosen: dict[str, Any] = {}
    if not game.options:
        return chosen
    asker.say("What the book leaves to the house:")
    while True:
        for name, settled in game.settle_options(chosen).items():
            asker.say(f"  {name} = {value(settled)}  ({game.options[name].allows()})")

        def check(answer: str) -> str:
            if answer:
                name, _, told = answer.partition("=")
                game.settle_options({name.strip(): _value(told.strip())})
            return answer

        answer = asker.ask("options", "Change one, as NAME = VALUE (Enter: it is right so)", "", check)
        if not answer:
            return chosen
        name, _, told = answer.partition("=")
        chosen[name.strip()] = _value(told.strip())


def _value(text: str) -> str | int | bool:
    text = text.strip('"')
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isascii() and text.isdigit() else text


def _broker(asker: Asker, path: Path) -> str:
    """The lines of `[mqtt]`: those that `provision` made for the table if they lie beside it, else a URL."""
    made = path.parent / path.stem / "mqtt.toml"
    if made.is_file() and asker.yes("provisioned", f"Take the broker and certificates of {made}?", True):
        try:
            text = made.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{made}: cannot be read: {error}") from None
        return "\n".join(line for line in text.splitlines() if line.strip() != "[mqtt]")
    url = asker.ask("broker", f"Broker, such as mqtts://broker.example ({NONE}: later)", "mqtt://127.0.0.1:1883", _url)
    return "" if url == NONE else f"url = {value(url)}"


def _url(answer: str) -> str:
    if answer != NONE:
        parse_broker_url(answer)
    return answer


def _pace(answer: str) -> str:
    least, most = STATISTICS_BOUNDS["rounds_an_hour"]
    if answer == NONE:
        return answer
    try:
        pace = msgspec.convert(answer, float, strict=False)
    except msgspec.ValidationError:
        pace = 0.0
    if not least <= pace <= most:
        raise ValueError(f"a number from {least} to {most}, or {NONE}, is right")
    return answer
