"""The progressive meter, whatever the game: jackpots, the lock-out until they are verified, the hands that are keyed.

Which hands there are and what is reported of them is the book's (`[[tables.progressive]]`); which hand lies at a
position the procedure says at the round's end (`OpenRound.hands`), so that no face-down card is given away before.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.people import SUPERVISORS
from pitwatch.rules.play.seats import seat_order

WATCHER = {"turn": 60, "class": "Progressive"}
RULES = (
    "unlocked-without-key-card", "wager-while-locked-out", "jackpot-without-lockout", "keyed-hand-not-seen",
    "multiple-jackpots-same-round",
)  # fmt: skip

UNLOCKED = "unlocked-without-key-card"
LOCKED_OUT = "wager-while-locked-out"
NOT_LOCKED = "jackpot-without-lockout"
NOT_SEEN = "keyed-hand-not-seen"
SEVERAL = "multiple-jackpots-same-round"

KEY = "hand:"

NOBODY = "unknown"
"""The role, in what is observed, of a key card that the table's configuration does not name."""


def plain(hand: str) -> str:
    """A hand's name as the book writes it: "Mini_Royal Spades" is "mini-royal-spades"."""
    return hand.strip().lower().replace("_", "-").replace(" ", "-")


class Jackpot:
    """A hand paid from the meter: `on_meter` if the meter registered it, else the cards show it. A meter that reports
    no seat may mean another table that shares it. `settled`: its lock-out is over."""

    def __init__(self, seat: str | None, hand: str | None, seq: int, on_meter: bool):
        self.seat = seat
        self.hand = hand
        self.seq = seq
        self.on_meter = on_meter
        self.settled = False

    def is_also(self, other: Jackpot) -> bool:
        """Whether the other is this one again, reported by another witness; takes in what that one knows besides."""
        if self.hand != other.hand and self.hand is not None and other.hand is not None:
            same = False
        elif self.seat == other.seat:
            same = True
        elif other.on_meter:
            same = other.seat is None and not self.on_meter
        else:
            same = self.seat is None
        if same:
            self.seat = self.seat or other.seat
            self.hand = self.hand or other.hand
            self.on_meter = self.on_meter or other.on_meter
        return same


class Progressive(Part):
    """Figure of the book: `unlock-by`, the least role that may unlock the meter; a supervisor if not stated."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        hands: list[dict[str, Any]] = desk.game.tables.get("progressive", [])
        self._book = {entry["hand"]: entry for entry in hands}
        least = desk.game.figures.get("unlock-by")
        self._unlockers = SUPERVISORS[SUPERVISORS.index(least.value) :] if least is not None else SUPERVISORS
        self._types = {device.id: device.type for device in desk.table.devices}
        self._locked: int | None = None
        """Journal sequence of the lock-out; None while the meter is open or not known."""
        self._locked_out = False
        """A lock-out began in the open round; it may be over before the round is, and the cards show a jackpot."""
        self._shown: dict[str, int] = {}
        """Roles whose key card was shown since the lock-out, with the journal sequence of the last showing."""
        self._card_watched = False
        self._told_locked = False
        self._lit: dict[str, int] = {}
        self._wagers: dict[str, int] = {}
        """Seats with a progressive wager in this round, with the journal sequence of the coin-in light."""
        self._keyed: dict[str, int] = {}
        self._lock_owed: int | None = None
        self._jackpots: list[Jackpot] = []
        self._last_hands: dict[str, tuple[str, ...] | None] = {}

    # -- lock-out

    def on_meter_locked(self, observation: Observation) -> None:
        self._lock_owed = None
        if self._locked is None:
            self._locked = self.desk.seq
            self._locked_out = self.desk.round is not None
            self._shown, self._told_locked = {}, False
            self._card_watched = self.desk.judges(UNLOCKED)

    def on_meter_unlocked(self, observation: Observation) -> None:
        if self._locked is not None and self._card_watched and self._shown.keys().isdisjoint(self._unlockers):
            self.desk.breach(
                UNLOCKED,
                {"key_card": " and ".join(self._shown) or "none"},
                {"key_card": f"{self._unlockers[0]} or above"},
                [self._locked, *self._shown.values()],
                once=self.desk.seq,
            )
        self._locked = None
        for jackpot in self._jackpots:
            jackpot.settled = True

    def on_credential_presented(self, observation: Observation) -> None:
        credential = observation.data.get("credential")
        if credential is None:
            self._card_watched = False  # one that was not read may have been anybody's
        elif self._locked is not None:
            self._shown[self.desk.table.people.get(credential, NOBODY)] = self.desk.seq

    def on_device_offline(self, observation: Observation) -> None:
        kind = self._types.get(observation.device)
        if kind in ("progressive", "key_reader"):
            self._card_watched = False
        if kind == "progressive":
            self._locked = self._lock_owed = None
            self._lit.clear()
            self._wagers.clear()
            self._keyed.clear()

    def _wagered(self, what: dict[str, Any]) -> None:
        """Once a lock-out and round: the wagers of one round are one breach."""
        if self._locked is None or self._told_locked:
            return
        self._told_locked = self.desk.breach(
            LOCKED_OUT, {"meter": "locked out", **what}, {"wagers": "none until it is unlocked"}, [self._locked]
        )

    # -- wagers

    def on_coin_in(self, observation: Observation) -> None:
        seat = observation.data.get("seat")
        round_ = self.desk.round
        if seat is not None:
            self._lit[seat] = self.desk.seq
            if round_ is not None and not round_.cards and not round_.counts:
                self._wagers[seat] = self.desk.seq
        self._wagered({"coin_in": seat})

    def on_coin_in_cleared(self, observation: Observation) -> None:
        """What counts is whether the lamp was lit when the cards came; it goes out whenever the wager is settled."""
        self._lit.pop(observation.data.get("seat") or "", None)

    def on_seat_taken(self, observation: Observation) -> None:
        if self.desk.round is None:
            self._wagered({"seat_taken": observation.data.get("seat")})

    # -- the round

    def round_opened(self) -> None:
        self._wagered({"round": "opened"})
        self._judge_lock()
        self._jackpots, self._locked_out = [], False
        self._wagers = dict(self._lit)

    def round_closing(self) -> None:
        round_ = self.desk.round
        if round_ is None:
            return
        self._last_hands = dict(round_.hands)
        self._told_locked = False
        if round_.void is None:
            for position, hand in self._as_registered(round_.hands):
                self._jackpot(Jackpot(position, hand, self.desk.seq, False), [self._wagers[position]])
            self._judge_several(round_.hands)
            self._judge_keyed()
            self._judge_lock()
        self._keyed.clear()

    def _as_registered(self, hands: dict[str, tuple[str, ...] | None]) -> list[tuple[str, str]]:
        """Positions with a wager and their hands, as the hands were keyed; else as they are paid, from the right."""
        won = [(position, names[0]) for position, names in hands.items() if names and position in self._wagers]
        won.sort(key=lambda each: seat_order(each[0]), reverse=True)
        return sorted(won, key=lambda each: self._keyed.get(each[1], self.desk.seq))

    def _judge_several(self, hands: dict[str, tuple[str, ...] | None]) -> None:
        """More than one hand of this table's round comes off the meter: who is paid first is reported, from the
        right."""
        winners = [seat for seat, names in hands.items() if names and seat in self._wagers and self._on_meter(names[0])]
        if len(winners) > 1:
            winners.sort(key=seat_order)
            evidence = [self._wagers[seat] for seat in winners]
            self.desk.breach(SEVERAL, {"seats": winners}, {"pay_in_order": winners[::-1]}, evidence)

    def _on_meter(self, hand: str) -> bool:
        return bool(self._book.get(hand, {}).get("meter"))

    def _judge_lock(self) -> None:
        """The round of a jackpot is over and its meter is still open."""
        if self._lock_owed is not None and self._locked is None:
            self.desk.breach(NOT_LOCKED, {"meter": "open"}, {"meter": "locked out"}, [self._lock_owed])
        self._lock_owed = None

    # -- jackpots

    def on_jackpot(self, observation: Observation) -> None:
        seat, hand = observation.data.get("seat"), observation.data.get("hand")
        name = plain(hand) if hand is not None else self._only_meter_hand()
        self._jackpot(Jackpot(seat, name, self.desk.seq, True), [])

    def _only_meter_hand(self) -> str | None:
        """The hand of a jackpot that names none, if the book pays only one from the meter."""
        names = [name for name, entry in self._book.items() if entry.get("meter")]
        return names[0] if len(names) == 1 else None

    def _entry(self, jackpot: Jackpot) -> dict[str, Any]:
        """What the book says of the hand. What it does not name is no meter hand, unless the meter itself says so; of a
        hand that the meter does not name it says what it says of the best."""
        if jackpot.hand is None:
            return next((entry for entry in self._book.values() if entry.get("meter")), {})
        return self._book.get(jackpot.hand, {"meter": jackpot.on_meter})

    def _jackpot(self, new: Jackpot, evidence: list[int]) -> None:
        entry = self._entry(new)
        if not entry.get("meter"):
            return
        second = entry.get("second")
        before = [each for each in self._jackpots if self._entry(each).get("second") == second]
        if any(each.is_also(new) for each in before):
            return
        if new.on_meter:
            before = [each for each in before if not each.settled]
        if self._locked is None and (new.on_meter or not self._locked_out):
            self._lock_owed = new.seq
        self._jackpots.append(new)
        observed = {"position": new.seat, "hand": new.hand}
        if before:
            required = {"original_jackpot": before[0].seat}
            self.desk.breach(second or "", observed, required, [before[0].seq, *evidence], once=new.seat)
        else:
            self.desk.breach(entry.get("announce", ""), observed, {"hand": "verified"}, evidence, once=new.seat)

    # -- keyed hands

    def on_hand_keyed(self, observation: Observation) -> None:
        hand = observation.data.get("hand")
        if hand is not None:
            self._key(plain(hand), observation.data.get("on") is not False)

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if isinstance(key, str) and key.startswith(KEY):
            hand = plain(key.removeprefix(KEY))
            self._key(hand, hand not in self._keyed)

    def _key(self, hand: str, on: bool) -> None:
        """A hand keyed by accident is taken back by pressing again; keyed after the round it belongs to that round."""
        if not on:
            self._keyed.pop(hand, None)
        elif self.desk.round is not None:
            self._keyed[hand] = self.desk.seq
        else:
            self._judge_hand(hand, [], self._last_hands)

    def _judge_keyed(self) -> None:
        round_ = self.desk.round
        for hand, seq in self._keyed.items():
            self._judge_hand(hand, [seq], round_.hands if round_ is not None else {})

    def _judge_hand(self, hand: str, evidence: list[int], hands: dict[str, tuple[str, ...] | None]) -> None:
        """Only where the cards of every hand were seen, and the book knows the hand that was keyed."""
        if hand not in self._book or not hands or any(names is None for names in hands.values()):
            return
        if not any(hand in names for names in hands.values() if names is not None):
            seen = {position: names[0] if names else None for position, names in hands.items()}
            self.desk.breach(NOT_SEEN, {"keyed": hand, "hands": seen}, {"hands": hand}, evidence, once=hand)
