"""A PN532: its frames, the tags it lists, the host that asks it, the cards that come of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.pn532_host import AGAIN, MISSED, SILENT, Heard, Pn532Host
from pitwatch.devices.protocols import pn532
from pitwatch.devices.tag_reader import TagReader
from tests.devices.vectors_pn532 import ANSWERS, CASES, QUESTIONS, TAGS, framed, mismatch, unhex

UID = st.one_of(st.binary(min_size=4, max_size=4), st.binary(min_size=7, max_size=7)).map(lambda raw: raw.hex().upper())
UIDS = st.lists(UID, max_size=pn532.MOST_TAGS, unique=True)
MS = 1_000_000


@pytest.mark.parametrize(("name", "text"), QUESTIONS)
def test_what_is_asked(name, text):
    assert getattr(pn532, name) == unhex(text)


def test_nothing_is_asked_that_writes_a_tag():
    """InDataExchange and InCommunicateThru would; neither is among the questions."""
    from pitwatch.devices import pn532_host

    asked = {question[question.index(pn532.TO_CHIP) + 1] for question in pn532_host._QUESTIONS.values()}
    assert asked == {pn532.SAM, pn532.FIRMWARE, pn532.RF, pn532.LIST}


@pytest.mark.parametrize(("text", "answers", "discarded"), ANSWERS)
def test_answers_whole_and_byte_by_byte(text, answers, discarded):
    assert framed(pn532.Framer, text, answers, discarded) is None
    got = [(a.command, a.data) for a in pn532.Framer().feed(unhex(text))]
    assert got == [(command, unhex(data)) for command, data in answers]


@pytest.mark.parametrize(("text", "tags"), TAGS)
def test_tags(text, tags):
    assert pn532.tags(unhex(text)) == tags


@given(UIDS)
def test_every_list_there_and_back(uids):
    (answer,) = pn532.Framer().feed(pn532.listed(uids))
    assert (answer.command, pn532.tags(answer.data)) == (pn532.LIST, uids)


@given(st.lists(UIDS.map(pn532.listed) | st.binary(max_size=30) | st.just(pn532.ACK), max_size=8), st.data())
def test_splits_never_change_what_is_heard(pieces, data):
    rest = b"".join(pieces)
    whole, split, got = pn532.Framer(), pn532.Framer(), []
    want = [(a.command, a.data) for a in whole.feed(rest)]
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        got += [(a.command, a.data) for a in split.feed(rest[:n])]
        rest = rest[n:]
    assert got == want


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_cases(case):
    assert mismatch(TagReader, *case[1:]) is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"place": "seat-10"}, "place: 'seat-10' is no position"),
        ({"deck": {"04A1": "AS"}}, "deck.04A1: is no number of a tag"),
        ({"deck": {"DEADBEEF": "1S"}}, "deck.DEADBEEF: '1S' is no card"),
        ({"deck": {"DEADBEEF": "AS", "de:ad:be:ef": "2S"}}, "deck.de:ad:be:ef: is there twice"),
        ({"deck": {"DEADBEEF": "AS", "DEADBEE0": "AS"}}, "deck.DEADBEE0: AS has a tag already"),
    ],
)
def test_bad_settings_say_where(settings, says):
    with pytest.raises(ValueError, match=says):
        TagReader("felt", settings)


def test_two_decks_have_two_tags_of_a_card():
    TagReader("felt", {"deck": {"DEADBEEF": "AS", "DEADBEE0": "AS"}, "decks": 2})


class Owner(Heard):
    def __init__(self):
        self.told = []

    def reader_up(self, firmware, t):
        self.told.append(("up", firmware))

    def reader_said(self, answer, t):
        self.told.append(pn532.tags(pn532.Framer().feed(answer)[0].data))

    def reader_down(self, reason, fix, t):
        self.told.append(("down", reason))


class Chip:
    """Answers as the manual has it; `tags` lie before it, `mute` has no supply."""

    def __init__(self):
        self.tags, self.mute, self.t = [], False, 0
        self.owner = Owner()
        self.host = Pn532Host(self.owner)
        self.host.connected(0)

    def answer(self, question):
        command = question[question.index(pn532.TO_CHIP) + 1]
        if command == pn532.LIST:
            return pn532.listed(self.tags)
        data = bytes((0x32, 1, 6, 7)) if command == pn532.FIRMWARE else b""
        return pn532.frame(pn532.FROM_CHIP, bytes((command + 1,)) + data)

    def run(self, ns):
        ends = self.t + ns
        while True:
            out = self.host.take_output()
            if out and not self.mute:
                self.t += MS
                self.host.feed(pn532.ACK + self.answer(out), self.t)
                continue
            if self.host.deadline is None or self.host.deadline > ends:
                self.t = ends
                return
            self.t = max(self.t, self.host.deadline)
            self.host.tick(self.t)


def test_the_host_wakes_asks_and_tells_changes_alone():
    chip = Chip()
    chip.run(500 * MS)
    chip.tags = ["DEADBEEF"]
    chip.run(500 * MS)
    chip.tags = ["DEADBEEF", "04A1B2C3D4E580"]
    chip.run(500 * MS)
    chip.tags = []
    chip.run(1000 * MS)
    assert chip.owner.told == [("up", "1.6"), [], ["DEADBEEF"], ["DEADBEEF", "04A1B2C3D4E580"], []]


@pytest.mark.parametrize("misses", range(1, MISSED))
def test_a_tag_that_is_missed_once_or_twice_is_there_still(misses):
    chip = Chip()
    chip.tags = ["DEADBEEF"]
    chip.run(500 * MS)
    for _ in range(5):
        chip.tags = []
        chip.run(misses * 101 * MS)
        chip.tags = ["DEADBEEF"]
        chip.run(500 * MS)
    assert chip.owner.told == [("up", "1.6"), ["DEADBEEF"]]


def test_a_chip_without_supply_is_down_and_comes_back():
    chip = Chip()
    chip.tags = ["DEADBEEF"]
    chip.run(500 * MS)
    chip.mute = True
    chip.run(SILENT + 200 * MS)
    assert chip.owner.told[-1] == ("down", "no answer from the reader")
    chip.mute = False
    chip.run(AGAIN + 1000 * MS)
    assert chip.owner.told[-2:] == [("up", "1.6"), ["DEADBEEF"]]


@given(st.lists(st.tuples(st.binary(max_size=30) | UIDS.map(pn532.listed), st.integers(0, 4000)), max_size=30))
def test_nothing_that_a_chip_says_breaks_the_host(said):
    chip, t = Chip(), 0
    for data, pause in said:
        t += pause * MS
        chip.host.tick(t)
        chip.host.feed(data, t)
        assert chip.host.deadline is not None
        chip.host.take_output()
