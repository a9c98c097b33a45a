"""What lies at a poker hand when a reader tells lifts without a face: nobody knows which card it was."""

from __future__ import annotations

from pitwatch.rules.games.poker.hand import Card, Hand


def hand(*cards: Card) -> Hand:
    held = Hand()
    for card in cards:
        held.receive(card)
    return held


def test_a_lift_that_was_not_read_takes_one_of_those_that_lie() -> None:
    held = hand("AS", "KD")
    assert not held.lifted_unread
    held.lift(None)
    assert (held.on, held.away, held.lifted_unread) == (["AS"], 1, True)
    held.lift(None)
    assert (held.on, held.away, held.live, held.emptied) == ([], 2, False, True)
    held.lift(None)
    assert (held.on, held.away) == ([], 2)  # nothing lay there


def test_an_unread_card_is_the_one_that_was_lifted_unread() -> None:
    held = hand("AS", None)
    held.lift(None)
    assert held.on == ["AS"]
    held.lay_back("KD")
    assert (held.on, held.received, held.away, held.turned) == (["AS", "KD"], ["AS", "KD"], 0, True)


def test_the_card_taken_for_the_lifted_one_is_lifted_itself() -> None:
    """So it was another one before."""
    held = hand("AS", "KD", "QC")
    held.lift(None)
    assert held.on == ["AS", "KD"]
    held.lift("QC")
    assert (held.on, held.away) == (["AS"], 2)
    held.lay_back("QC")
    assert sorted(map(str, held.on)) == ["AS", "QC"]
    held.lay_back("KD")
    assert (sorted(map(str, held.on)), held.away, held.lifted_unread) == (["AS", "KD", "QC"], 0, False)


def test_a_card_that_lies_there_is_laid_back() -> None:
    """So it was this one that was lifted, and the one that was taken for it lies."""
    held = hand("AS", "KD")
    held.lift(None)
    held.lay_back("AS")
    assert (sorted(map(str, held.on)), held.away, held.lifted_unread) == (["AS", "KD"], 0, False)


def test_the_lifted_card_is_laid_back_unread_or_read() -> None:
    for back in (None, "KD"):
        held = hand("AS", "KD")
        held.lift(None)
        held.lay_back(back)
        assert (held.on, held.away, held.lifted_unread, held.fullest) == (["AS", "KD"], 0, False, 2)
        held.lift("KD")
        held.lay_back("KD")
        assert (held.on, held.received) == (["AS", "KD"], ["AS", "KD"])


def test_after_a_draw_nobody_knows_which_cards_were_kept() -> None:
    held = hand("AS", "KD", "QC")
    held.lift(None)
    held.replace("2C")
    held.draw_over()
    assert (held.on, held.away, held.drawn, held.fullest) == ([None, None, None], 0, 0, 3)
    assert not held.lifted_unread
    unread = hand("AS", None)
    unread.lift(None)
    unread.replace("2C")
    unread.draw_over()
    assert unread.on == ["AS", "2C"]  # the one that was given back had never been read
    read = hand("AS", "KD", "QC")
    read.lift("KD")
    read.replace("2C")
    read.draw_over()
    assert (read.on, read.away) == (["AS", "QC", "2C"], 0)


def test_a_face_that_never_lay_there_is_not_lifted() -> None:
    held = hand("AS", "KD")
    held.lift("9H")
    assert (held.on, held.away) == (["AS", "KD"], 0)
    none_left = hand("AS")
    none_left.lift(None)
    none_left.lift("AS")
    assert (none_left.on, none_left.away) == ([], 1)


def test_a_card_that_is_given_up_was_never_its_own() -> None:
    held = hand("AS", "KD", "AS", "QC")
    held.lift("QC")
    assert held.lacks_last(1)
    assert not held.lacks_last(2)
    held.give_up("QC")
    assert (held.received, held.on, held.size, held.away, held.fullest) == (
        ["AS", "KD", "AS"],
        ["AS", "KD", "AS"],
        3,
        0,
        3,
    )
    unread = hand("AS", "KD")
    unread.lift(None)
    assert unread.lacks_last(1)
    unread.give_up("KD")
    assert (unread.received, unread.away, unread.lifted_unread) == (["AS"], 0, False)


def test_of_cards_that_lie_unread_one_is_lifted_first() -> None:
    held = hand(None, "AS")
    held.lift(None)
    assert held.on == ["AS"]
    held.lay_back("KD")
    assert (held.on, held.received, held.lifted_unread) == (["AS", "KD"], ["KD", "AS"], False)
    shown = hand("AS", None)
    shown.lift("KD")
    assert (shown.on, shown.received, shown.turned, shown.away) == (["AS"], ["AS", "KD"], True, 1)


def test_a_hand_that_was_lifted_whole_was_emptied_until_the_draw_is_over() -> None:
    held = hand("AS", "KD", "QC")
    held.lift("QC")
    assert not held.emptied
    held.lift("KD")
    held.lift("AS")
    assert held.emptied
    held.lay_back("AS")
    held.lay_back("KD")
    held.lift("KD")
    assert held.emptied
    held.draw_over()
    assert (held.emptied, held.fullest, held.away) == (False, 1, 0)
    held.lay_back("KD")
    assert (held.on, held.fullest) == (["AS", "KD"], 2)


def test_a_card_that_was_read_may_come_back_unread() -> None:
    held = hand("AS")
    held.lift("AS")
    held.lay_back(None)
    assert (held.on, held.received, held.away) == ([None], ["AS"], 0)


def test_the_last_of_two_alike_is_given_up() -> None:
    held = hand("AS", "KD", "AS")
    held.lift("AS")
    held.give_up("AS")
    assert (held.received, held.size) == (["AS", "KD"], 2)


def test_whether_the_last_cards_of_a_hand_are_away() -> None:
    held = hand("AS", "KD", "QC")
    assert not held.lacks_last(1)
    held.lift("AS")
    assert not held.lacks_last(1)  # another one is away
    held.lift("QC")
    assert held.lacks_last(1)
    assert not held.lacks_last(2)
    unread = hand("AS", None)
    assert not unread.lacks_last(1)
    unread.lift(None)
    assert unread.lacks_last(1)
    both = hand("AS", None, None)
    both.lift(None)
    assert both.lacks_last(1)  # which of two unread cards is away nobody knows
