"""Where the document has a rule for any misdeal (stadium blackjack, 4998): a call that carries out the remedy of
another rule is no irregularity of its own."""

from __future__ import annotations

from tests.rules.table import Played, facts, play

GAME = "toledo-2020/stadium-etg-blackjack"
CALL, OVER, MISDEAL = (f"panel key_pressed key={key}\n" for key in ("no_more_bets", "round_over", "misdeal"))
SHOE = "shoe shoe_started decks=8\n"
AGAIN = "+20\n" + CALL + "".join(f"shoe card_drawn card={card} to={to}\n" for card, to in (
    ("TH", "seat-1"), ("9H", "dealer"), ("8H", "seat-1"), ("9C", "dealer"))) + OVER  # fmt: skip


def drawn(*cards: str) -> str:
    """`8C:seat-1`."""
    return "".join("shoe card_drawn card={} to={}\n".format(*each.split(":")) for each in cards)


def stadium(log: str) -> Played:
    return play(GAME, facts("shoe", "panel"), SHOE + CALL + log + AGAIN)


DEAL = drawn("TS:seat-1", "5D:seat-2", "TD:dealer", "8C:seat-1")


def test_a_call_after_a_wrong_number_of_cards_is_its_remedy() -> None:
    played = stadium(DEAL + drawn("9D:dealer", "2C:seat-1") + MISDEAL)
    assert played.rules == ["wrong-card-count-player"]
    assert [each.void for each in played.rounds] == ["wrong-card-count-player", None]


def test_a_call_for_what_no_device_saw_is_the_rule_itself() -> None:
    played = stadium(DEAL + MISDEAL)
    assert played.rules == ["misdeal"]
    assert [each.void for each in played.rounds] == ["misdeal", None]
    twice = stadium(DEAL + drawn("9D:dealer", "2C:seat-1") + MISDEAL + "+20\n" + CALL + DEAL + MISDEAL)
    assert twice.rules == ["wrong-card-count-player", "misdeal"]


def test_a_person_may_report_it_besides() -> None:
    report = "panel key_pressed key=report:misdeal\n"
    assert stadium(DEAL + drawn("9D:dealer", "2C:seat-1") + MISDEAL + report).rules == [
        "wrong-card-count-player", "misdeal",
    ]  # fmt: skip
