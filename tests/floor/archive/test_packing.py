"""What an archive gives back of a message is what came, byte for byte, whoever wrote it and whatever it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwatch.floor.archive.packing import DATA, ENVELOPED, OBSERVED, WHOLE, packed
from pitwatch.floor.archive.row import Row, row_of
from pitwatch.floor.archive.store import Store
from pitwatch.floor.message import Message, read_message
from tests.floor.archive.stream import WALL
from tests.floor.archive.test_store import NOW, rows

TABLE = "toledo/RL-07"


def as_written(
    kind: str, subtopic: str, data: Any, sequence: int, t_ns: int = 5_000_000_000, synced: bool = True, **more: Any
) -> Message:
    """As a table's own envelope writes it."""
    from pitwatch.daemon.contract.messages import CloudEvent, encode, utc

    event = CloudEvent(
        id=f"RL-07/b1/{sequence}",
        source=f"/{TABLE}",
        type=f"pitwatch.{kind}.v1",
        time=utc(t_ns + (WALL * 1_000_000_000 if synced else 0)),
        bootid="b1",
        monotonic=str(t_ns),
        clocksynced=synced,
        sequence=sequence,
        data=encode(data) if not isinstance(data, bytes) else data,  # type: ignore[arg-type]
        **more,
    )
    import msgspec

    payload = encode(msgspec.structs.replace(event, data=msgspec.Raw(event.data)))
    return read_message("pitwatch/1", f"pitwatch/1/{TABLE}/{subtopic}", payload, False)


def seen(device: str, event: str, sequence: int, **fields: Any) -> Message:
    data = {"t": 5.25, "device": device, "event": event, "data": fields}
    return as_written("observation", f"observation/{device}", data, sequence)


def row(message: Message) -> Row:
    made = row_of(message, NOW)
    assert made is not None
    return made


def test_each_form_leaves_out_what_the_columns_say() -> None:
    observed = packed(row(seen("shoe", "card_drawn", 5, card=None, to="seat-2")))
    assert observed == (OBSERVED, "", '5.25|{"card":null,"to":"seat-2"}')
    key = packed(row(seen("panel", "key_pressed", 6, key="no_spin")))
    assert (key.form, key.body[:10]) == (DATA, '{"t":5.25,')
    result = {"rule": "a/b/c", "category": "procedure", "severity": "warning", "round": 1}
    camera = packed(row(as_written("irregularity", "irregularity/warning", result, 7, camera="c-7", preroll=5)))
    assert (camera.form, camera.body[:16]) == (ENVELOPED, ',"camera":"c-7",')
    spaced = seen("shoe", "card_drawn", 8)
    spaced = read_message("pitwatch/1", f"pitwatch/1/{TABLE}/{spaced.subtopic}", spaced.payload + b" ", False)
    assert packed(row(spaced))[:2] == (ENVELOPED, "")
    loose = json.dumps(json.loads(spaced.payload)).encode()
    loose_row = row(read_message("pitwatch/1", f"pitwatch/1/{TABLE}/{spaced.subtopic}", loose, False))
    assert packed(loose_row) == (WHOLE, "", loose.decode())


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
awkward = st.sampled_from(["|", '"', ',"device":"x","event":"y","data":', "}", "\\", "x|{}", "é\u2028"]) | texts


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(awkward, awkward, st.dictionaries(awkward, values | awkward, max_size=4), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
async def test_observations_come_back_as_they_came(store: Store, told: list[tuple[str, str, Any, bool]]) -> None:
    messages = []
    for number, (device, event, data, withheld) in enumerate(told, 1):
        inner: dict[str, Any] = {"t": number * 0.37, "device": device, "event": event, "data": data}
        messages.append(
            as_written("observation", "observation/x", inner | ({"withheld": True} if withheld else {}), number)
        )
    await store.change("DELETE FROM event_rows")
    await store.put(rows(messages), [])
    found = await store.ask("SELECT sequence, payload FROM events ORDER BY sequence")
    assert [each["payload"].encode() for each in found] == [each.payload for each in messages]


async def test_a_time_that_is_corrected_later_leaves_the_message_as_it_was(store: Store) -> None:
    early = as_written("round", "round", {"round": 1, "game": "g", "partial": True, "void": None}, 1, synced=False)
    card = as_written(
        "observation",
        "observation/shoe",
        {"t": 6.0, "device": "shoe", "event": "card_drawn", "data": {}},
        2,
        synced=False,
    )
    await store.put(rows([early, card]), [])
    for sequence, offset in ((3, WALL), (4, WALL + 60)):  # it is set, then steps
        clock = {"event": "clock_set", "detail": {"wall_minus_monotonic_ns": offset * 1_000_000_000}}
        await store.put(rows([as_written("system", "system", clock, sequence)]), [])
        found = await store.ask("SELECT at, payload FROM events WHERE sequence < 3 ORDER BY sequence")
        minute = "00" if offset == WALL else "01"
        assert [each["at"] for each in found] == [f"2027-01-15T08:{minute}:05.000000Z"] * 2
        assert [each["payload"].encode() for each in found] == [early.payload, card.payload]
    assert await store.put(rows([early, card]), []) == []  # what comes again is known


async def test_a_record_that_comes_again_is_known_under_another_time_too(store: Store) -> None:
    first = as_written("round", "round", {"round": 1, "game": "g", "partial": False, "void": None}, 1)
    later = as_written(
        "round", "round", {"round": 1, "game": "g", "partial": False, "void": None}, 1, 90 * 86400 * 10**9
    )
    assert len(await store.put(rows([first]), [])) == 1
    assert await store.put(rows([later]), []) == []


async def test_an_id_that_is_not_that_of_its_number_is_no_event(store: Store) -> None:
    first = as_written("round", "round", {"round": 1, "game": "g", "partial": False, "void": None}, 5)
    for old, new in ((b'"sequence":5', b'"sequence":6'), (b'"id":"RL-07/b1/5"', b'"id":"RL-07/b2/5"')):
        forged = read_message("pitwatch/1", f"pitwatch/1/{TABLE}/round", first.payload.replace(old, new), False)
        with pytest.raises(ValueError, match="is not RL-07/b1/"):
            row_of(forged, NOW)
