"""Every game of the family, however its table is equipped: rounds as they should be stay silent, and come out whole."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pitwatch.rules.book import BOOKS, games, load_game, read_book
from pitwatch.rules.game import Game
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from pitwatch.rules.play.cards import DECK, JOKER
from pitwatch.rules.play.seats import is_seat
from tests.rules.pit_log import CALL, OVER
from tests.rules.table import Played, facts, play

FAMILY = "carnival-poker"
GAMES = {
    f"{book.name}/{game}": loaded
    for book in sorted(path.parent for path in BOOKS.glob("*/book.toml"))
    if not read_book(book).edition_of
    for game in games(book)
    if (loaded := load_game(f"{book.name}/{game}")).family == FAMILY
}
BANKED = [path for path, game in GAMES.items() if "bank-rounds-at-most" in game.figures]
WITH_BOARD = [path for path, game in GAMES.items() if DealPlan(game).need(COMMUNITY) > 1]


def test_the_three_books_have_24_of_them() -> None:
    assert len(GAMES) == 24


class Croupier:
    """Writes the pit log of rounds that keep to the rules. `board`: how the felt shows the community cards: "down" as
    they are laid, "blind" unread until they are turned, "turned" not before they are turned."""

    def __init__(self, game: Game, devices: tuple[str, ...], *, named: bool = False, board: str = "down"):
        self.rng = random.Random(f"{game.path} {devices} {named} {board}")
        self.devices, self.named, self.board = devices, named, board
        self.plan, self.turns = DealPlan(game), game.tables.get("turns", [])
        self.deck = [*DECK, *([JOKER] if "jokers" in game.figures else [])]
        self.dealt: dict[str, list[str]] = {}
        self.bank: str | None = None
        self.held = 0

    def round(self) -> str:
        seats = sorted(self.rng.sample([f"seat-{n}" for n in range(1, 7)], self.rng.randint(1, 5)))
        log = "+20\n"
        if "bank" in self.devices:
            log += self._pass_bank()
            seats = [seat for seat in seats if seat != self.bank] or ["seat-1" if self.bank != "seat-1" else "seat-2"]
        if "seats" in self.devices:
            log += "".join(f"seats seat_left seat=seat-{n}\n" for n in range(1, 7))
            log += "".join(f"seats seat_taken seat={seat}\n" for seat in seats)
        if "shuffler" in self.devices:
            log += "shuffler shuffle_started\nshuffler shuffle_completed cards=null\n"
        if "panel" in self.devices:
            log += CALL
        deck = self.rng.sample(self.deck, len(self.deck))
        hands = self.plan.in_order(seats, self.bank)
        self.dealt = {place: [] for place, _ in self.plan.packets(hands)}
        log += self._by_hand(hands, deck) if "shoe" in self.devices else self._by_machine(hands, deck)
        log += "+15\n" + self._play()
        return log + (OVER if "panel" in self.devices else "")

    def _pass_bank(self) -> str:
        if self.bank is not None and self.held < 2:
            self.held += 1
            return ""
        self.bank = f"seat-{int(self.bank[5:]) % 6 + 1}" if self.bank else "seat-1"
        self.held = 1
        return f"seats bank_moved seat={self.bank}\n"

    def _spot(self, place: str) -> str:
        return self.bank if place == "dealer" and self.bank else place

    def _by_machine(self, hands: list[str], deck: list[str]) -> str:
        log = ""
        for place, size in self.plan.packets(hands):
            if "shuffler" in self.devices:
                log += f"shuffler packet_dispensed cards={size} to={self._spot(place) if self.named else 'null'}\n"
            for card in [deck.pop() for _ in range(size)]:
                self.dealt[place].append(card)
                log += self._lay(place, card, first=True)
        return log

    def _by_hand(self, hands: list[str], deck: list[str]) -> str:
        log = ""
        for place in self.plan.laps(hands):
            card = deck.pop()
            self.dealt[place].append(card)
            log += f"shoe card_drawn card={card} to={self._spot(place) if self.named else 'null'}\n"
        return log

    def _lay(self, place: str, card: str, first: bool = False) -> str:
        if "card_position" not in self.devices or (first and place == COMMUNITY and self.board == "turned"):
            return ""
        unread = first and place == COMMUNITY and self.board == "blind"
        return f"card_position card_placed card={'null' if unread else card} to={self._spot(place)}\n"

    def _lift(self, place: str, card: str) -> str:
        if "card_position" not in self.devices:
            return ""
        return f"card_position card_removed card={card} to={self._spot(place)}\n"

    def _play(self) -> str:
        """The dealer burns what is to be burned, patrons look at their cards, the board is turned, all is collected."""
        log = ""
        board = list(self.dealt.get(COMMUNITY, []))
        for _ in range(self.plan.burned):
            card = board.pop()
            self.dealt[COMMUNITY].remove(card)
            if self.board == "down":
                log += self._lift(COMMUNITY, card) + self._lay("burn", card)
            elif self.board == "blind":
                log += self._lift(COMMUNITY, "null") + self._lay("burn", "null")
        for place in self.rng.sample(list(self.dealt), len(self.dealt)):
            if is_seat(place) and self.rng.random() < 0.5:
                cards = self.dealt[place]
                log += "".join(self._lift(place, card) for card in cards)
                log += "".join(self._lay(place, card) for card in self.rng.sample(cards, len(cards)))
        for number in self.turns:
            log += "+5\n"
            for card in board[:number]:
                lifted = {"down": card, "blind": "null"}.get(self.board)
                log += (self._lift(COMMUNITY, lifted) if lifted else "") + self._lay(COMMUNITY, card)
            board = board[number:]
        log += "+15\n"
        return log + "".join(self._lift(place, card) for place, cards in self.dealt.items() for card in cards)


def rounds_of(path: str, devices: tuple[str, ...], rounds: int = 12, **how: Any) -> tuple[Croupier, Played]:
    croupier = Croupier(GAMES[path], devices, **how)
    log = "".join(croupier.round() for _ in range(rounds))
    return croupier, play(path, facts(*(kind for kind in devices if kind != "bank")), log)


EQUIPPED = [
    ("shuffler",),
    ("shuffler", "panel"),
    ("shuffler", "seats"),
    ("shuffler", "panel", "seats"),
    ("card_position", "panel"),
    ("card_position", "panel", "seats"),
    ("shuffler", "card_position"),
    ("shuffler", "card_position", "panel", "seats"),
]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("devices", EQUIPPED, ids="-".join)
@pytest.mark.parametrize("path", GAMES)
def test_clean_rounds_are_silent_and_whole(path: str, devices: tuple[str, ...], named: bool) -> None:
    _, played = rounds_of(path, devices, named=named)
    assert played.rules == []
    assert [(each.partial, each.void) for each in played.rounds] == [(False, None)] * 12


@pytest.mark.parametrize("board", ["blind", "turned"])
@pytest.mark.parametrize("devices", [each for each in EQUIPPED if "card_position" in each], ids="-".join)
@pytest.mark.parametrize("path", WITH_BOARD)
def test_a_board_that_is_read_only_when_it_is_turned(path: str, devices: tuple[str, ...], board: str) -> None:
    _, played = rounds_of(path, devices, board=board)
    assert played.rules == []
    assert [each.partial for each in played.rounds] == [False] * 12


@pytest.mark.parametrize("path", BANKED)
@pytest.mark.parametrize("devices", [(*each, "bank") for each in EQUIPPED if "seats" in each], ids="-".join)
def test_the_bank_goes_round(path: str, devices: tuple[str, ...]) -> None:
    _, played = rounds_of(path, devices, rounds=16)
    assert played.rules == []
    assert len(played.rounds) == 16


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("path", GAMES)
def test_dealt_by_hand_from_a_shoe(path: str, named: bool) -> None:
    croupier, played = rounds_of(path, ("shoe", "panel", "seats"), named=named)
    assert played.rules == []
    if (named or not croupier.plan.from_bank) and not croupier.plan.burned:
        assert all(each.result["seat-1"]["hand"] for each in played.rounds if "seat-1" in each.result)


@pytest.mark.parametrize("path", GAMES)
def test_what_the_felt_shows_is_recorded_and_named(path: str) -> None:
    devices = ("shuffler", "card_position", "panel", "seats", *(("bank",) if path in BANKED else ()))
    croupier, played = rounds_of(path, devices)
    last = played.rounds[-1]
    shown = {place: cards for place, cards in last.cards.items() if place != "burn"}
    assert {place: sorted(map(str, cards)) for place, cards in shown.items()} == {
        place: sorted(cards) for place, cards in croupier.dealt.items()
    }
    assert last.counts == {}
    assert all(each["hand"] for each in last.result.values())
    assert all(None not in each["wagers"].values() for place, each in last.result.items() if is_seat(place))


@pytest.mark.parametrize("path", GAMES)
def test_a_short_and_a_long_hand(path: str) -> None:
    plan = DealPlan(GAMES[path])
    size = plan.need("seat-2")
    for cards in (size - 1, size + 1):
        log = CALL + "".join(
            f"shuffler packet_dispensed cards={cards if place == 'seat-2' else number} to={place}\n"
            for place, number in plan.packets(["seat-1", "seat-2"])
        )
        played = play(path, facts("shuffler", "panel", seats=("seat-1", "seat-2")), log + OVER)
        assert played.rules == ["wrong-card-count"]
        assert played.irregularities[0].observed == {"position": "seat-2", "cards": cards}
        assert played.irregularities[0].required == {"cards": size}


@pytest.mark.parametrize("path", GAMES)
def test_every_hand_that_a_wager_pays_is_one_of_its_ranking(path: str) -> None:
    from pitwatch.rules.hands.rankings import RANKINGS

    tables = GAMES[path].tables
    named = tables.get("hands", {})
    for wager in tables.get("wager", []):
        hands = RANKINGS[wager.get("ranking", tables["ranking"])].hands
        for hand in wager["pays"]:
            assert named.get(hand, {"of": hand})["of"] in hands, f"{wager['name']}: {hand}"
    for entry in tables.get("progressive", []):
        assert entry["of"] in RANKINGS[tables.get("progressive-ranking", tables["ranking"])].hands
