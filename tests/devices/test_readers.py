"""Card-line readers, reporting devices, the key-card reader."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.angel_eye_shoe import AngelEyeShoe
from pitwatch.devices.card_line_readers import CardLinePositions, CardLineShoe
from pitwatch.devices.protocols import card_lines, wiegand
from pitwatch.devices.registry import TYPES, find
from pitwatch.devices.reporting import reporting_class
from pitwatch.devices.vocabulary import COMMON, EVENTS, is_card, is_position, is_printable, known
from pitwatch.devices.wiegand_reader import WiegandReader
from tests.devices.vectors_readers import MS, POSITIONS, REPORTING, SHOE, SWIPES, mismatch, run, settle, swipe


@pytest.mark.parametrize("case", SHOE, ids=[case[0] for case in SHOE])
def test_shoe(case):
    _, settings, pieces, want = case
    assert mismatch(CardLineShoe("shoe", settings), pieces, want) is None


@pytest.mark.parametrize("case", POSITIONS, ids=[case[0] for case in POSITIONS])
def test_positions(case):
    _, settings, pieces, want = case
    assert mismatch(CardLinePositions("felt", settings), pieces, want) is None


@pytest.mark.parametrize("case", REPORTING, ids=[case[0] for case in REPORTING])
def test_reporting(case):
    _, device_type, pieces, want = case
    assert mismatch(reporting_class(device_type)("camera"), pieces, want) is None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: CardLineShoe("shoe", {"codes": "ean13"}), "codes: 'ean13' is no code table; 'plain', 'barcode4'"),
        (lambda: CardLineShoe("shoe", {"codes": {"1": "1S"}}), "codes.1: '1S' is no card; such as 'TD'"),
        (lambda: AngelEyeShoe("shoe", {"decks": "eight"}), "decks: 'eight' is no number of decks; 1 to 12"),
        (
            lambda: WiegandReader("keys", {"format_37": "H10301"}),
            "format_37: 'H10301' is no format of 37 bits; H10304 or",
        ),
        (lambda: CardLinePositions("felt", {"channels": {"1": "seat-10"}}), "channels.1: 'seat-10' is no position"),
    ],
)
def test_bad_settings_say_where_and_what_would_be_right(make, says):
    with pytest.raises(ValueError, match=says.replace(".", r"\.")):
        make()


def test_each_bar_code_is_one_of_fifty_two_cards():
    cards = list(card_lines.barcode4().values())
    assert len(cards) == len(set(cards)) == 52
    assert all(is_card(card) for card in cards)


@given(st.lists(st.sampled_from(sorted(filter(None, card_lines.plain().values()))), max_size=12), st.data())
def test_any_split_gives_each_card_once(cards, data):
    codes = card_lines.plain()
    stream = b"".join(card_lines.line(card_lines.code_of(codes, card)) for card in cards)
    device, got = CardLineShoe("shoe"), []
    while stream:
        n = data.draw(st.integers(1, len(stream)))
        got += device.feed(stream[:n], 0)
        stream = stream[n:]
    assert [o.data["card"] if o.event == "card_drawn" else card_lines.CUT for o in got] == cards


@given(st.lists(st.binary(max_size=60), max_size=12))
def test_nothing_hostile_raises(chunks):
    for device in (CardLineShoe("shoe"), CardLinePositions("felt"), *(reporting_class(kind)("x") for kind in TYPES)):
        for o in run(device, list(enumerate(chunks))):
            assert known(device.TYPE, o.event)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted({field for events in EVENTS.values() for fields in events.values() for field in fields})


@given(st.sampled_from(TYPES), st.data())
def test_whatever_an_adapter_claims_is_publishable_and_has_its_fields(kind, data):
    event = data.draw(st.sampled_from(sorted(EVENTS[kind]) + sorted(COMMON)))
    fields = data.draw(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=4), JSON, max_size=5))
    line = json.dumps({"event": event, "data": fields}).encode() + b"\n"
    for o in reporting_class(kind)("x").feed(line, 0):
        json.dumps(o.data, allow_nan=False, ensure_ascii=False).encode()
        wanted = COMMON[o.event] if o.event in COMMON else EVENTS[kind][o.event]
        assert set(wanted) <= set(o.data)


def test_every_type_has_a_reporting_class_with_its_whole_vocabulary():
    for kind in TYPES:
        found = find(kind, "ndjson")
        assert (found.TYPE, set(found.EVENTS)) == (kind, set(EVENTS[kind]))


@pytest.mark.parametrize(
    ("text", "right"),
    [("seat-1", True), ("seat-9/2", True), ("dealer", True), ("seat-0", False), ("seat-10", False), ("seat-1/", False),
     ("seat-1/a", False), ("dealer/2", False), ("", False), (None, False), (3, False)],
)  # fmt: skip
def test_positions_of_the_vocabulary(text, right):
    assert is_position(text) is right


def test_what_prints_is_what_python_says():
    """Of the characters that are assigned; a device's Python may know others than this one."""
    for code in range(0x110000):
        char = chr(code)
        if unicodedata.category(char) != "Cn":
            assert is_printable(char) == char.isprintable(), hex(code)


# --- key cards


@pytest.mark.parametrize(("facility", "card", "bits"), SWIPES)
def test_swipes_there_and_back(facility, card, bits):
    assert wiegand.bits(facility, card, len(bits)) == [int(bit) for bit in bits]
    reader = WiegandReader("keys")
    seen, end = swipe(reader, bits, 0)
    seen += settle(reader, end + 25 * MS)
    assert [(o.event, o.data) for o in seen] == [
        ("credential_presented", {"credential": f"{facility}:{card}", "bits": len(bits)})
    ]


@given(st.sampled_from(wiegand.LENGTHS), st.data())
def test_every_single_wrong_bit_is_found(length, data):
    facility = data.draw(st.integers(0, (1 << wiegand.FACILITY_BITS[length]) - 1))
    bits = wiegand.bits(facility, data.draw(st.integers(0, (1 << wiegand.CARD_BITS[length]) - 1)), length)
    bits[data.draw(st.integers(0, length - 1))] ^= 1
    with pytest.raises(wiegand.BadFrameError, match="bad_parity"):
        wiegand.decode(bits)


@pytest.mark.parametrize(
    ("facility", "card", "length"),
    [(256, 0, 26), (0, 65536, 34), (-1, 0, 26), (1, 1, 35), (65536, 0, 37), (0, 1 << 19, 37)],
)
def test_what_does_not_fit_is_refused(facility, card, length):
    with pytest.raises(ValueError, match="does not fit"):
        wiegand.bits(facility, card, length)


def test_two_cards_one_after_the_other():
    reader = WiegandReader("keys")
    first, end = swipe(reader, SWIPES[2][2], 0)
    second, end = swipe(reader, SWIPES[3][2], end + 30 * MS)
    seen = first + second + settle(reader, end + 25 * MS)
    assert [o.data["credential"] for o in seen] == ["12:34567", "1:1"]


def test_the_end_of_a_swipe_is_found_by_the_next_pulse_when_nobody_ticked():
    reader = WiegandReader("keys")
    for start in (0, 1000 * MS):
        for i, bit in enumerate(SWIPES[2][2]):
            t = start + i * 2 * MS
            seen = reader.edge("d" + bit, 1, t)
            reader.edge("d" + bit, 0, t + 100_000)
            if start and not i:
                assert [o.data["credential"] for o in seen] == ["12:34567"]


def test_37_bits_without_a_facility():
    reader = WiegandReader("keys", {"format_37": "H10302"})
    seen, end = swipe(reader, SWIPES[-1][2], 0)
    seen += settle(reader, end + 25 * MS)
    assert [o.data["credential"] for o in seen] == [str(4660 << 19 | 305419)]


@pytest.mark.parametrize("behind", [0, 20_000])
def test_two_cards_at_once_are_no_card(behind):
    """Two readers on one pair of wires, the pulses of the second so many ns after those of the first."""
    reader = WiegandReader("keys")
    pulses = [(i * 2 * MS, bit) for i, bit in enumerate(SWIPES[2][2])]
    pulses += [(i * 2 * MS + behind, bit) for i, bit in enumerate(SWIPES[3][2])]
    edges = {(t + end, "d" + bit, level) for t, bit in pulses for end, level in ((0, 1), (50_000, 0))}
    seen = []
    for t, line, level in sorted(edges):
        seen += settle(reader, t) + reader.edge(line, level, t)
    seen += settle(reader, 200 * MS)
    assert [o.event for o in seen] == ["device_fault", "device_recovered"]
    assert seen[0].data["reason"] == "overlapping_pulses"


@given(st.sampled_from(wiegand.LENGTHS), st.data())
def test_a_missing_bit_or_a_pulse_of_noise_makes_no_card(length, data):
    facility = data.draw(st.integers(0, (1 << wiegand.FACILITY_BITS[length]) - 1))
    bits = "".join(map(str, wiegand.bits(facility, data.draw(st.integers(0, 65535)), length)))
    at = data.draw(st.integers(0, length - 1))
    for damaged in (bits[:at] + bits[at + 1 :], bits[:at] + "1" + bits[at:]):
        reader = WiegandReader("keys")
        seen, end = swipe(reader, damaged, 0)
        seen += settle(reader, end + 25 * MS)
        assert [o.event for o in seen] == ["device_fault", "device_recovered"]


@pytest.mark.parametrize("bits", ["1", "0" * 25, "0" * 27, "1" * 33, "01" * 100])
def test_other_lengths_are_faults_with_their_bits(bits):
    reader = WiegandReader("keys")
    seen, end = swipe(reader, bits, 0)
    seen += settle(reader, end + 25 * MS)
    assert [o.event for o in seen] == ["device_fault", "device_recovered"]
    assert seen[0].data == {"reason": "bad_length", "bits": len(bits), "pattern": bits[:64], "frames": 1}


def test_a_noisy_cable_is_one_report_in_ten_seconds():
    reader, seen, t = WiegandReader("keys"), [], 0
    for _ in range(100):
        more, _ = swipe(reader, "1", t)
        seen += more
        t += 150 * MS
    seen += settle(reader, t)
    assert [o.data["frames"] for o in seen if o.event == "device_fault"] == [1, 67]


def test_a_line_that_was_lost_while_it_was_active_is_neither_stuck_nor_in_the_next_card_s_way():
    reader = WiegandReader("keys")
    reader.initial({"d0": 0, "d1": 0}, 0)
    reader.edge("d0", 1, 1000 * MS)
    reader.interrupted(1000 * MS + 20_000)
    assert reader.initial({"d0": 0, "d1": 0}, 3000 * MS) == []
    seen, end = swipe(reader, SWIPES[2][2], 3100 * MS)
    seen += settle(reader, end + 600 * MS)
    assert [o.data for o in seen] == [{"credential": "12:34567", "bits": 26}]


def test_a_stuck_line_that_is_well_when_it_is_found_again_recovers():
    reader = WiegandReader("keys")
    reader.initial({"d0": 1, "d1": 0}, 0)
    assert [o.event for o in settle(reader, 5000 * MS)] == ["device_fault"]
    reader.interrupted(6000 * MS)
    assert [o.event for o in reader.initial({"d0": 0, "d1": 0}, 7000 * MS)] == ["device_recovered"]


LATE = st.sampled_from([(), (0,), (0, 60_000), (0, 250_000), (180_000,)])


@given(st.sampled_from(SWIPES), st.lists(LATE, min_size=37, max_size=37), st.sampled_from([1, 2, 20]))
def test_a_pulse_that_was_over_before_the_kernel_looked_is_a_bit_all_the_same(card, late, gap):
    """Then one or two edges say that the line is at rest, which it was; () stands for a pulse seen as it was."""
    reader, seen = WiegandReader("keys"), []
    facility, number, bits = card
    t = 1000 * MS
    reader.initial({"d0": 0, "d1": 0}, 0)
    for bit, after in zip(bits, late, strict=False):
        seen += settle(reader, t)
        for level, at in [(0, at) for at in after] or [(1, 0), (0, 50_000)]:
            seen += reader.edge("d" + bit, level, t + at)
        t += gap * MS
    seen += settle(reader, t + 600 * MS)
    assert [o.data for o in seen] == [{"credential": f"{facility}:{number}", "bits": len(bits)}]


def test_a_line_that_says_once_more_that_it_is_at_rest_as_it_is_opened_is_no_bit():
    reader = WiegandReader("keys")
    seen = reader.edge("d0", 0, 5 * MS)
    reader.initial({"d0": 0, "d1": 0}, 10 * MS)
    seen += reader.edge("d1", 0, 10 * MS + 1000)
    assert seen + settle(reader, 1000 * MS) == []


def test_a_stuck_line_is_told_and_its_end():
    reader = WiegandReader("keys")
    reader.initial({"d0": 1, "d1": 0}, 0)
    seen = settle(reader, 5000 * MS)
    assert [(o.event, o.data) for o in seen] == [
        ("device_fault", {"reason": "line stuck", "line": "d0", "seconds": 0.5})
    ]
    assert [o.event for o in reader.edge("d0", 0, 6000 * MS)] == ["device_recovered"]
    assert reader.deadline is None


@given(
    st.lists(st.tuples(st.sampled_from(["d0", "d1", "d2"]), st.integers(0, 1), st.integers(0, 300 * MS)), max_size=80)
)
def test_no_train_of_edges_raises_or_goes_back_in_time(edges):
    reader, t, seen = WiegandReader("keys"), 0, []
    for line, level, pause in edges:
        t += pause
        seen += settle(reader, t)
        seen += reader.edge(line, level, t)
    assert [o.t for o in seen] == sorted(o.t for o in seen)
