"""What a field of the vocabulary may hold: for each kind of field the last value that is right, and the first on either
side that is not."""

import pytest

from pitwatch.devices import vocabulary
from pitwatch.devices.vocabulary import (
    COMMON,
    EVENTS,
    MOST_KEY,
    fields_of,
    is_card,
    is_key,
    is_pocket,
    is_position,
    problem,
)

RIGHT = {
    "card": ["AC", "TD", "9H", "KS", "2C", "JK", None],
    "to": [*vocabulary.PLACES, "seat-1", "seat-9", "seat-3/1", "seat-3/9", None],
    "cards": [0, 1, 416, None],
    "decks": [0, 8, None],
    "dice": [0, 5, None],
    "count": [0, 1 << 40],
    "shakes": [0, 3],
    "number": [0, 7],
    "revolutions": [0, 0.5, 12, None],
    "rpm": [0, 16.2],
    "direction": ["".join("cw"), "".join("ccw"), None],
    "pocket": ["0", "00", "1", "9", "10", "36"],
    "state": ["x"],
    "reason": ["x"],
    "kind": ["x"],
    "winner": ["player", "banker", "tie", None],
    "pairs": [[], ["player"], ["banker", "player"]],
    "credential": ["12:34567"],
    "key": ["no_more_bets", "collection_taken", "hand:royal", "report:x", "hand:" + "x" * (MOST_KEY - 5)],
    "zone": ["a", None],
    "faces": [[], [1, 6], [None, 3], None],
    "at": [[], ["layout", "off"], None],
    "seat": ["seat-1", "seat-9", None],
    "hand": ["royal", None],
    "on": [True, False, None],
    "blackjack": [True, False, None],
}  # fmt: skip
WRONG = {
    "card": ["", "A", "1C", "AX", "CA", "10C", "JKK", "ACx", "JJ", "ac", 3, ["AC"], True],
    "to": ["", "seat-0", "seat-10", "seat-", "seat-1/", "seat-1/0", "seat-1/10", "seat-1//", "dealer/1", "seat1-1", 3],
    "cards": [-1, 1.5, True, "1", []],
    "decks": [-1, 1.5, True, "8"],
    "dice": [-1, True, "5"],
    "count": [-1, None, True, "1"],
    "shakes": [-1, None, 2.5],
    "number": [-1, None, 0.5],
    "revolutions": [-0.1, True, "3"],
    "rpm": [-1, None, True, "16"],
    "direction": ["", "left", "CW", True, 0],
    "pocket": ["37", "-1", "01", "000", "", None, 0, 17, True],
    "state": ["", None, 3],
    "reason": ["", None, 3],
    "kind": ["", None, 3],
    "winner": ["", 3, True],
    "pairs": [None, ["tie"], [None], "player", ["player", ""], {}],
    "credential": ["", None, 12],
    "key": ["", None, 3, "no-more-bets", "hand:", "report:", "hand", "other:x", "hand:a\nb", "hand:" + "x" * 124],
    "zone": ["", 3],
    "faces": [[0], [7], [-1], [1.0], [True], ["1"], "1", 6],
    "at": [["seat-1"], [None], [""], "layout", 3],
    "seat": ["aaaa-1", "zzzz-1", "seat-0", "seat-10", "seat-", "dealer", "", "seat-1/1", 1],
    "hand": ["", 3],
    "on": [0, 1, "true", []],
    "blackjack": [0, 1, "true"],
}  # fmt: skip


def an_event_with(field):
    """(device type, event, right data) of some event that has the field."""
    for kind, events in EVENTS.items():
        for event in (*events, *COMMON):
            fields = fields_of(kind, event)
            if field in fields:
                return kind, event, {name: RIGHT[name][0] for name in fields}
    raise AssertionError(field)


def test_every_field_of_every_event_is_tried():
    named = {field for events in (COMMON, *EVENTS.values()) for fields in events.values() for field in fields}
    assert named == RIGHT.keys() == WRONG.keys()


@pytest.mark.parametrize("field", RIGHT)
def test_what_a_field_may_hold(field):
    kind, event, data = an_event_with(field)
    for value in RIGHT[field]:
        assert problem(kind, event, data | {field: value}) == "", value
    for value in WRONG[field]:
        said = problem(kind, event, data | {field: value})
        assert said.startswith(f"{field} is not "), value
    del data[field]
    assert problem(kind, event, data).startswith(f"{field} is missing; ")


def test_fields_that_nobody_asks_for_are_kept():
    assert problem("shoe", "card_drawn", {"card": "AC", "to": None, "index": 3, "more": object()}) == ""
    assert problem("shoe", "bytes_discarded", {"count": 3, "lost": None}) == ""


def test_what_the_device_s_type_cannot_say():
    assert fields_of("shoe", "ball_launched") is None
    assert fields_of("wheel", "ball_launched") == ("direction",)
    assert fields_of("wheel", "device_fault") == ("reason",)
    assert not vocabulary.known("shoe", "ball_launched")
    assert vocabulary.known("shoe", "edges_lost")


def test_every_card_every_pocket_every_seat_and_no_other():
    ranks, suits = "A23456789TJQK", "CDHS"
    letters = [chr(code) for code in range(32, 127)]
    pairs = [a + b for a in letters for b in letters]
    assert [text for text in pairs if is_card(text)] == sorted([*(r + s for r in ranks for s in suits), "JK"])
    assert [text for text in (*letters, *pairs) if is_pocket(text)] == [
        *map(str, range(10)),
        "00",
        *map(str, range(10, 37)),
    ]
    assert [n for n in range(-1, 30) if is_position(f"seat-{n}")] == list(range(1, 10))
    assert [n for n in range(-1, 30) if is_position(f"seat-1/{n}")] == list(range(1, 10))


def test_a_key_is_as_long_as_it_may_be_and_no_longer():
    for kind in ("hand:", "report:"):
        assert is_key(kind + "x" * (MOST_KEY - len(kind)))
        assert not is_key(kind + "x" * (MOST_KEY - len(kind) + 1))
    assert MOST_KEY == 128
