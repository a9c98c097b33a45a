"""What the hands of a poker game against the dealer come to, once their cards are seen. Data of the book:

    [tables] ranking                  which of `rules.hands.rankings` ranks the hands
    [tables] hand                     what a hand is made of, [["hand", "community"]]; of several ways the best counts
    [tables.parts]                    parts of the community cards in the order they are turned: flop = [0, 1, 2]
    [tables.hands.NAME]               a hand by another name: of (hand in a ranking), least, most or top (rank), suit
    [figures.dealer-qualifies]        {hand, rank}: the least hand with which the dealer qualifies
    [[tables.wager]]                  a wager that pays by the hand: name, of, ranking, pays; `when` the hand is higher,
                                      equal or lower than the dealer's; `dealer-qualifies`; `label` before the hand
    [[tables.progressive]]            hand, of, least, most, top, suit; in `progressive-ranking` of `progressive-of`
    [tables] progressive-folded       false: a folded hand does not qualify for the progressive
    [tables] premium                  the least hand that a supervisor verifies

`of` names "hand" (the position's own cards), "dealer", "community", a part, or "losing-hand". Judges nothing and
follows no deal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pitwatch.rules.game import Game
from pitwatch.rules.games.carnival.deal_plan import COMMUNITY, DealPlan
from pitwatch.rules.hands.poker_ranking import HEIGHT, Strength
from pitwatch.rules.hands.rankings import RANKINGS, Ranking
from pitwatch.rules.play.cards import all_read, suit
from pitwatch.rules.play.seats import DEALER, is_seat

NOT_SEEN = None
OWN = "hand"
LOSING = "losing-hand"

Cards = Mapping[str, Sequence[str | None]]


class Showdown:
    """Raises KeyError for a ranking that nobody knows."""

    def __init__(self, game: Game):
        tables = game.tables
        self._plan = DealPlan(game)
        self._against_dealer = self._plan.need(DEALER) > 0
        self._ranking = RANKINGS[tables["ranking"]]
        self._made_of: list[list[str]] = tables.get("hand", [[OWN]])
        self._parts: dict[str, list[int]] = tables.get("parts", {})
        self._named: dict[str, dict[str, Any]] = tables.get("hands", {})
        self._wagers: list[dict[str, Any]] = tables.get("wager", [])
        self._progressive: list[dict[str, Any]] = tables.get("progressive", [])
        self._progressive_of: list[str] = tables.get("progressive-of", [OWN])
        self._progressive_ranking = RANKINGS[tables.get("progressive-ranking", tables["ranking"])]
        self._premium: str | None = tables.get("premium")
        self.folded_qualify: bool = tables.get("progressive-folded", True)
        least = game.figures.get("dealer-qualifies")
        self._least: Strength | None = None
        if least is not None:
            place = self._ranking.hands.index(least.value["hand"])
            self._least = (place, *(HEIGHT[rank] for rank in least.value.get("rank", "")))

    # -- cards

    def _size(self, position: str) -> int:
        return self._plan.need(position) - (self._plan.burned if position == COMMUNITY else 0)

    def _take(self, cards: Cards, position: str, of: Sequence[str]) -> list[str] | None:
        """The cards that make something; None unless all of them were dealt and read, none of them twice."""
        taken: list[str] = []
        for name in of:
            place = position if name == OWN else COMMUNITY if name in self._parts else name
            read = all_read(cards.get(place, []))
            if read is None or len(read) != self._size(place):
                return None
            taken += [read[index] for index in self._parts[name]] if name in self._parts else read
        return taken if len(set(taken)) == len(taken) else None

    def _strength(self, cards: Cards, position: str) -> Strength | None:
        made = [_rank(self._ranking, self._take(cards, position, of)) for of in self._made_of]
        known = [strength for strength in made if strength is not None]
        return max(known) if len(known) == len(made) else None

    # -- the result

    def result(self, cards: Cards, positions: Sequence[str]) -> dict[str, Any]:
        """The result of a round by position: None wherever the faces were not seen.

        A hand has `hand`, against a dealer `against_dealer` (higher, equal, lower), and `wagers`: by wager that wins or
        pushes by the hand, the hand's name. The dealer has `hand`, and `qualifies` where that matters.
        """
        dealer = self._strength(cards, DEALER) if self._against_dealer else None
        result: dict[str, Any] = {}
        for position in positions:
            strength = self._strength(cards, position)
            name = NOT_SEEN if strength is None else self._ranking.hands[strength[0]]
            if position == DEALER:
                result[position] = {"hand": name}
                if self._least is not None:
                    result[position]["qualifies"] = strength >= self._least if strength is not None else NOT_SEEN
            elif is_seat(position):
                result[position] = {"hand": name}
                if self._against_dealer:
                    result[position]["against_dealer"] = _against(strength, dealer)
                seen = self._take(cards, position, [OWN]) is not None
                result[position]["wagers"] = self._wins(cards, position, strength, dealer) if seen else NOT_SEEN
        return result

    def _wins(
        self, cards: Cards, position: str, strength: Strength | None, dealer: Strength | None
    ) -> dict[str, str | None]:
        """The wagers that win, by name; None where cards that count were not seen. Of two ways to win by one wager the
        better paid counts."""
        wins: dict[str, str | None] = {}
        odds: dict[str, float] = {}
        for wager in self._wagers:
            name = wager["name"]
            applies = self._applies(wager, strength, dealer)
            if applies is None:
                wins.setdefault(name, NOT_SEEN)
            elif applies:
                seen, hand, pays = self._win(wager, cards, position, strength, dealer)
                if not seen:
                    wins.setdefault(name, NOT_SEEN)
                elif hand is not None and pays > odds.get(name, -1):
                    wins[name], odds[name] = hand, pays
        names = self.progressive(cards, position)
        if names:
            wins["progressive"] = names[0]
        return wins

    def _applies(self, wager: dict[str, Any], strength: Strength | None, dealer: Strength | None) -> bool | None:
        """Whether what the wager asks of the dealer's hand is so; None if that was not seen."""
        if "when" not in wager and "dealer-qualifies" not in wager and wager["of"] != [LOSING]:
            return True
        against = _against(strength, dealer)
        if against is None or dealer is None:
            return None
        qualifies = self._least is None or dealer >= self._least
        return (
            against in wager.get("when", [against])
            and wager.get("dealer-qualifies", qualifies) == qualifies
            and (wager["of"] != [LOSING] or against != "equal")
        )

    def _win(
        self, wager: dict[str, Any], cards: Cards, position: str, strength: Strength | None, dealer: Strength | None
    ) -> tuple[bool, str | None, float]:
        """Whether the cards were seen, the name of the hand that the wager pays for, if any, and the odds."""
        ranking = RANKINGS[wager["ranking"]] if "ranking" in wager else self._ranking
        taken: list[str] | None = None
        if wager["of"] == [LOSING]:
            made = min(strength, dealer) if strength is not None and dealer is not None else None
        else:
            taken = self._take(cards, position, wager["of"])
            if taken is None:
                return False, None, 0
            made = _rank(ranking, taken)
        if made is not None:
            for hand, odds in wager["pays"].items():
                if _is(self._named.get(hand, {"of": hand}), ranking, made, taken or ()):
                    return True, f"{wager['label']}-{hand}" if "label" in wager else hand, _odds(odds)
        return True, None, 0

    # -- hands that somebody else asks for

    def progressive(self, cards: Cards, position: str) -> tuple[str, ...] | None:
        """The progressive hands at a position, the best paid first; None if their cards were not all seen."""
        taken = self._take(cards, position, self._progressive_of)
        strength = _rank(self._progressive_ranking, taken)
        if strength is None or taken is None:
            return NOT_SEEN
        ranking = self._progressive_ranking
        return tuple(entry["hand"] for entry in self._progressive if _is(entry, ranking, strength, taken))

    def premium(self, cards: Cards, position: str) -> str | None:
        """The name of the hand at a position if a supervisor is to verify it; None if not, or if it was not seen."""
        strength = self._strength(cards, position)
        if strength is None or self._premium is None or strength[0] < self._ranking.hands.index(self._premium):
            return None
        return self._ranking.hands[strength[0]]


def _rank(ranking: Ranking, cards: Sequence[str] | None) -> Strength | None:
    if cards is None:
        return None
    try:
        return ranking.strength(cards)
    except ValueError:
        return None


def _is(named: Mapping[str, Any], ranking: Ranking, strength: Strength, cards: Sequence[str]) -> bool:
    least, most = named.get("top", named.get("least")), named.get("top", named.get("most"))
    return (
        ranking.hands[strength[0]] == named["of"]
        and (least is None or strength[1] >= HEIGHT[least])
        and (most is None or strength[1] <= HEIGHT[most])
        and ("suit" not in named or all(suit(card) == named["suit"] for card in cards))
    )


def _odds(pays: str) -> float:
    """What a unit wins: 1.5 of "3:2"; 0 of a push or of what is no odds."""
    wins, _, of = pays.replace(",", "").partition(":")
    return int(wins) / int(of) if wins.isdigit() and of.isdigit() else 0


def _against(strength: Strength | None, dealer: Strength | None) -> str | None:
    if strength is None or dealer is None:
        return NOT_SEEN
    return "equal" if strength == dealer else "higher" if strength > dealer else "lower"
