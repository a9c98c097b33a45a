"""Whatever a stream holds, in whatever order: no exception, the same records twice, rounds in sequence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.book import BOOKS, books, games, load_game
from pitwatch.rules.engine import Engine
from pitwatch.rules.play.cards import DECK, JOKER
from pitwatch.rules.records import Record, Round
from tests.rules.table import SECOND, facts

BOOK = "toledo-2020"
GAMES = {game: load_game(f"{BOOK}/{game}") for game in games(BOOKS / BOOK)}
ELSEWHERE = (
    "california/pan-9-dragon-9-bonus", "california/party-craps", "california/ez-baccarat-panda-8",
    "california/golden-frog-baccarat", "columbus-2016/commission-free-baccarat-dragon-bonus",
)  # fmt: skip
"""Games of other books that are followed otherwise than any of this one."""
GAMES |= {game: load_game(game) for game in ELSEWHERE}
for path in [f"{folder.name}/{game}" for folder in books() for game in games(folder)]:
    game = load_game(path)
    if game.family not in {each.family for each in GAMES.values()}:  # a family that this book does not have
        GAMES[path] = game
TYPES = tuple(EVENTS)

POSITIONS = ["seat-1", "seat-2", "seat-3/2", "dealer", "player", "banker", "community", "burn", "discard", "elsewhere"]
KEYS = [
    "no_more_bets", "round_over", "misdeal", "supervisor", "dealer_change", "deck_changed", "hand_shuffled",
    "no_spin", "no_roll", "hand:straight", "report:wrong-card-count", "report:nothing", "",
]  # fmt: skip
NONSENSE = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 500), st.text(max_size=3), st.lists(st.integers(), max_size=2)
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "card": st.sampled_from([*DECK[:12], JOKER, "1X", "", None]),
    "to": st.sampled_from([*POSITIONS, None]),
    "cards": st.sampled_from([-1, 0, 1, 2, 3, 4, 52, 416, None]),
    "decks": st.sampled_from([0, 1, 8, None]),
    "key": st.sampled_from(KEYS),
    "seat": st.sampled_from(["seat-1", "seat-2", "seat-9", None]),
    "number": st.sampled_from([0, 1, 8, 18]),
    "shakes": st.sampled_from([1, 3]),
    "hand": st.sampled_from(["straight", "mini-royal-spades", "x", None]),
    "pocket": st.sampled_from(["0", "00", "17", None]),
    "faces": st.sampled_from([[1, 6], [None, 2], [], None]),
    "at": st.sampled_from([["layout", "off"], [], None]),
    "blackjack": st.booleans(),
    "winner": st.sampled_from(["player", "banker", "tie", None]),
    "direction": st.sampled_from(["cw", "ccw", None]),
}
LIKELY = [
    ("shuffler", "packet_dispensed"), ("card_position", "card_placed"), ("card_position", "card_removed"),
    ("shoe", "card_drawn"), ("panel", "key_pressed"), ("seats", "seat_taken"), ("shuffler", "shuffle_started"),
]  # fmt: skip


@st.composite
def observations(draw: st.DrawFn) -> list[Observation]:
    stream, t = [], 0
    anything = [(kind, event) for kind, events in EVENTS.items() for event in sorted(events)]
    for _ in range(draw(st.integers(0, 40))):
        kind, event = draw(st.one_of(st.sampled_from(LIKELY), st.sampled_from(anything)))
        data = {name: draw(field) for name, field in FIELDS.items() if draw(st.booleans())}
        if draw(st.integers(0, 9)) == 0:
            data[draw(st.sampled_from(list(FIELDS)))] = draw(NONSENSE)
        t += draw(st.sampled_from([0, SECOND, 30 * SECOND]))
        stream.append(Observation(t, kind, event, data))
    return stream


def run(game: str, types: tuple[str, ...], stream: list[Observation]) -> list[Record]:
    engine = Engine(GAMES[game], facts(*types))
    records = [record for seq, each in enumerate(stream, start=1) for record in engine.feed(seq, each)]
    return records + engine.finish()


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(types=st.sets(st.sampled_from(TYPES)).map(lambda kinds: tuple(sorted(kinds))), stream=observations())
def test_any_stream(game: str, types: tuple[str, ...], stream: list[Observation]) -> None:
    records = run(game, types, stream)
    assert records == run(game, types, stream)
    rounds = [record for record in records if isinstance(record, Round)]
    assert [each.round for each in rounds] == list(range(1, len(rounds) + 1))
    assert all(each.opened <= each.closed for each in rounds)
