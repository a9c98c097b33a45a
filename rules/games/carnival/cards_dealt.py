"""The cards of one round against the dealer, as packets and readers tell of them: whose they are, where they lie, which
was turned and which was laid before. Judges nothing; `procedure` does.
"""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.games.carnival.board import Board
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from pitwatch.rules.games.carnival.dealt import Dealt
from pitwatch.rules.games.carnival.felt import Felt
from pitwatch.rules.games.carnival.folds import Folds
from pitwatch.rules.games.carnival.one_at_a_time import OneAtATime
from pitwatch.rules.games.carnival.packets import Packets
from pitwatch.rules.play.card_game import card_of, position_of
from pitwatch.rules.play.flickers import Flickers
from pitwatch.rules.play.packet_game import PacketGame
from pitwatch.rules.play.seats import ASIDE, is_seat
from pitwatch.rules.watchers.deck import decks_in_use, whole_set


class CardsDealt(PacketGame):
    """The procedure overrides `laid` and `laid_back`."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._plan = DealPlan(desk.game)
        self._shuffler = desk.has("shuffler.packet_dispensed")
        self._reads_backs = False
        """Whether the reader is known to see community cards that lie face down."""
        self._one_deck = decks_in_use(desk.game, desk.options) == 1
        self._deck = whole_set(desk.game, desk.options)
        self._one_at_a_time = OneAtATime(desk, self._plan)

    def _deal_begins(self, hands: list[str], known: bool, bank: str | None) -> None:
        """A deal begins to these hands. `known`: they are all, in the order of the deal; `bank`: the seat that
        banks, if any and if it is known."""
        self._bank = bank
        self._packets = Packets(self._plan, self._plan.packets(hands) if known else [])
        self._felt = Felt(self._lifted)
        self._flickers = Flickers()
        self._folds = Folds()
        self._dealt = Dealt(self._plan, self._packets, self._felt, hands, bank)
        self._laps: list[str] = self._plan.laps(hands) if known else []
        self._board = Board(self._plan.burned)
        self._one_at_a_time.round_opens()
        self._seen: dict[str, list[int]] = {}
        self._in_doubt = False

    def laid(self, position: str) -> None:
        """A card that is new to the felt lies at a position."""

    def laid_back(self, position: str) -> None:
        """A card that was lifted lies again, at this position."""

    # -- whose cards they are

    def _placed(self, observation: Observation) -> Observation:
        """The same with the position as the game knows it."""
        to = observation.data.get("to")
        place = self._plan.place(to, self._bank) if isinstance(to, str) else to
        if place == to:
            return observation
        return Observation(observation.t, observation.device, observation.event, {**observation.data, "to": place})

    def on_card_drawn(self, observation: Observation) -> None:
        super().on_card_drawn(self._placed(observation))

    def on_card_placed(self, observation: Observation) -> None:
        observation = self._placed(observation)
        card = card_of(observation)
        self._folds.laid(position_of(observation), card, self._felt.away())
        if observation.data.get("to") == COMMUNITY and (COMMUNITY, card) in self._lifted:
            self._board.laid_back(card)
        super().on_card_placed(observation)

    def on_card_removed(self, observation: Observation) -> None:
        super().on_card_removed(self._placed(observation))

    def on_packet_dispensed(self, observation: Observation) -> None:
        super().on_packet_dispensed(self._placed(observation))

    def where(self, position: str | None, card: str | None) -> str | None:
        """A shoe that does not know where its cards go: dealt by hand, they go round one at a time."""
        if position is not None or self.reader or self.desk.round is None or not self._laps:
            return position
        return self._laps.pop(0)

    def _saw(self, position: str) -> None:
        self._seen.setdefault(position, []).append(self.desk.seq)

    def _evidence(self, position: str) -> list[int]:
        return self._seen.get(position, []) or ([] if self.first is None else [self.first])

    # -- cards on the felt

    def dealt(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None or position in ASIDE:
            if position == "burn" and card in self._felt.of(COMMUNITY):
                self._board.burns(card, in_play=not any(map(is_seat, self._felt.away())))
            self._in_doubt = self._in_doubt or position is None
            return
        felt = self._felt
        if felt.lay_back(position, card):
            self.laid_back(position)
        elif felt.lay_back_unread(position, card):
            self._turned(position, card)
        elif self._lies_already(position, card):
            pass
        elif card is not None and None in felt.of(position) and self._is_turned(position):
            felt.read(position, card)
            self._turned(position, card)
        else:
            if position == COMMUNITY and self._dealt.hands_complete:
                self._board.shown(card, self.desk.t)
            felt.lay(position, card)
            self._one_at_a_time.laid(position)
            self._flickers.laid(self.desk.t, position, card)
            over = None in felt.of(position) and len(felt.of(position)) > self._plan.need(position)
            if over and self._flickers.one_card(position.__eq__):
                felt.one_less(position)
                self._one_at_a_time.doubtful = True
            felt.record(self.cards)
            self.laid(position)
            return
        felt.record(self.cards)

    def _turned(self, position: str, card: str | None) -> None:
        """A card that lay there unread was turned."""
        if position == COMMUNITY:
            self._board.laid_back(card)

    def _lies_already(self, position: str | None, card: str | None) -> bool:
        """Whether the reader shows a card of the single deck again where all lie that belong there."""
        pile = self._felt.of(position or "")
        full = position is not None and len(pile) >= self._plan.need(position) > 0
        return self._one_deck and full and card is not None and card in pile

    def _is_turned(self, position: str) -> bool:
        """Whether a card that is read at a position where one lay unread is that one: all is dealt."""
        return len(self._felt.of(position)) >= self._plan.need(position) and self.complete()

    def lifted(self, position: str | None, card: str | None) -> None:
        if self.desk.round is None or position is None:
            return
        if position == COMMUNITY:
            self._board.lifted(card, self.desk.t)
        if card is None:
            self._felt.lift_unread(position)
        elif self._felt.shows(position, card):
            self._lifted.append((position, card))
            self._felt.record(self.cards)
        if self._felt.cleared:
            self.cleared()
            if not self._shuffler and self.called is None and self.complete():
                self.close()

    def _forget_counts_of_seen_cards(self) -> None:
        for position in list(self.counts):
            pile = self._felt.of(position)
            if None not in pile and len(pile) >= self.counts[position]:
                del self.counts[position]

    # -- how far the deal has come

    def complete(self) -> bool:
        return self._dealt.complete

    def dealt_out(self) -> bool:
        return self._dealt.surely_complete or self._packets.out == self._deck

    def _dealt_now(self) -> bool:
        """Whether a community card on the felt is dealt, not only turned now: some readers see no card that lies face
        down. A card that comes while hands are dealt shows that this one does; so does a whole board of which no card
        was read, where the hands were told likewise."""
        whole = self._dealt.hands_exact and len(self._felt.of(COMMUNITY)) == self._plan.need(COMMUNITY)
        backs = whole and not any(card for pile in self._felt.piles.values() for card in pile)
        self._reads_backs = self._reads_backs or not self._dealt.hands_complete
        return self._reads_backs or backs
