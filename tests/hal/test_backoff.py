"""0.5 s, doubling to 30 s; short again only after it held."""

from pitwatch.hal.backoff import Backoff
from pitwatch.hal.sim import SimClock

S = 1_000_000_000


class Opener:
    def __init__(self):
        self.clock = SimClock()
        self.backoff = Backoff(self.clock)
        self.tries = []
        self.works = False

    def fail(self):
        self.backoff.failed(self.again)

    def again(self):
        self.tries.append(self.clock.now())
        if self.works:
            self.backoff.opened()
        else:
            self.fail()


def test_the_wait_doubles_from_half_a_second_to_thirty():
    opener = Opener()
    opener.fail()
    opener.clock.advance_to(150 * S)
    waits = [b - a for a, b in zip([0, *opener.tries], opener.tries, strict=False)]
    assert [w / S for w in waits] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_what_held_starts_at_half_a_second_again():
    opener = Opener()
    opener.fail()
    opener.clock.advance_to(20 * S)
    opener.works = True
    opener.clock.advance_to(100 * S)
    opener.tries.clear()
    opener.fail()
    opener.clock.advance_to(100 * S + S // 2)
    assert opener.tries == [100 * S + S // 2]


def test_what_flaps_is_tried_ever_more_seldom():
    clock = SimClock()
    backoff = Backoff(clock)
    opened = []

    def open_and_lose():
        opened.append(clock.now())
        backoff.opened()
        backoff.failed(open_and_lose)

    open_and_lose()
    clock.advance_to(300 * S)
    assert len(opened) < 20
    assert opened[-1] - opened[-2] == 30 * S


def test_cancelled_it_tries_no_more_and_forgets():
    opener = Opener()
    opener.fail()
    opener.clock.advance_to(10 * S)
    opener.tries.clear()
    opener.backoff.cancel()
    opener.clock.advance_to(100 * S)
    assert opener.tries == []
    opener.fail()
    opener.clock.advance_to(100 * S + S // 2)
    assert len(opener.tries) == 1


def test_a_second_failure_replaces_the_first_timer():
    clock = SimClock()
    backoff = Backoff(clock)
    tries = []
    backoff.failed(lambda: tries.append("first"))
    backoff.failed(lambda: tries.append("second"))
    clock.advance_to(60 * S)
    assert tries == ["second"]
