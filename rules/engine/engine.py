"""The engine: observations in, rounds, irregularities and alerts out. Sans I/O; time comes with the observations.

    engine = Engine(load_game("toledo-2020/roulette"), TableFacts(devices=…))
    for seq, observation in …: records = engine.feed(seq, observation)

It only passes each observation to the procedure of the game's family and to the watchers that run beside it.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.engine.intake import admit
from pitwatch.rules.engine.noise import NOISE, Noise
from pitwatch.rules.engine.read_again import Heard, ReadAgain
from pitwatch.rules.engine.registry import class_of, families, watching
from pitwatch.rules.game import Game
from pitwatch.rules.records import NOTHING_KEPT, Kept, Record
from pitwatch.rules.table import TableFacts

Handler = Callable[[Observation], None]


def procedure_of(game: Game) -> type[Part]:
    """What follows the rounds of a game. Raises KeyError for a family without a procedure."""
    return class_of(families()[game.family])


class Engine:
    """Follows one table. `last_round` is the number of the last round of an earlier run, so that numbers go on; `kept`
    is what that run left of its monitors.

    Raises ValueError for a house option that the game does not declare, KeyError for a family without a procedure.
    """

    def __init__(self, game: Game, table: TableFacts, last_round: int = 0, kept: Kept = NOTHING_KEPT):
        self.desk = Desk(game, table, last_round, kept)
        procedure = procedure_of(game)(self.desk)
        self._parts = [procedure, *(class_of(path)(self.desk) for path in watching())]
        self.desk.listeners.extend(self._parts)
        self._again = ReadAgain(self.desk, procedure.COUNTS_HANDS)
        self._noise = Noise()
        self._by_event: dict[str, tuple[Handler, ...]] = {}
        self._tables = [procedure.handlers("before_")]
        self._tables += [part.handlers("on_") for part in self._parts[1:]]
        self._tables.append(procedure.handlers("on_"))

    @property
    def aligned(self) -> bool:
        """False until the first clean boundary: what is seen before it is partial, and nothing is judged."""
        return self.desk.aligned

    @property
    def deadline(self) -> int | None:
        """The time (ns) at which `tick` wants to be called, or None."""
        kept = self._again.deadline
        return kept if kept is not None else self._parts_due()

    def _parts_due(self) -> int | None:
        first = None
        for part in self._parts:
            due = part.deadline
            if due is not None and (first is None or due < first):
                first = due
        return first

    def feed(self, seq: int, observation: Observation) -> list[Record]:
        """Work on one observation, `seq` being its journal sequence. Deadlines that fell due before it come first. What
        may be a card read again is worked on a moment later."""
        again = self._again
        if again.deadline is not None:
            for heard in again.due(observation.t):
                self._hear(heard)
        for heard in again.told(seq, observation):
            self._hear(heard)
        records, self.desk.out = self.desk.out, []
        return records

    def _hear(self, heard: Heard) -> None:
        """One observation in its turn, after the deadlines before it."""
        seq, observation = heard.seq, heard.seen
        self._tick_parts(observation.t)
        if heard.doubtful:
            self._again.mark(heard)
        if self._noise.open or observation.event == NOISE:
            for each_seq, each in self._noise.passed(seq, observation):
                self._pass_on(each_seq, each, observation.t)
        else:
            self._pass_on(seq, observation, observation.t)
        if heard.doubtful:
            self._again.mark(heard)  # it may have opened the round

    def _pass_on(self, seq: int, observation: Observation, t: int) -> None:
        desk = self.desk
        desk.t, desk.seq = t, seq
        desk.availability.note(observation)
        observation = admit(observation)
        handlers = self._by_event.get(observation.event)
        if handlers is None:
            handlers = tuple(each[observation.event] for each in self._tables if observation.event in each)
            self._by_event[observation.event] = handlers
        for handle in handlers:
            handle(observation)

    def tick(self, t: int) -> list[Record]:
        """Let every deadline up to `t` (ns) fall due, in order."""
        for heard in self._again.due(t):
            self._hear(heard)
        if self._again.deadline is None:
            self._tick_parts(t)
        records, self.desk.out = self.desk.out, []
        return records

    def _tick_parts(self, t: int) -> None:
        while (due := self._parts_due()) is not None and due <= t:
            self.desk.t = due
            for part in self._parts:
                if part.deadline is not None and part.deadline <= due:
                    part.deadline = None
                    part.tick()

    def finish(self) -> list[Record]:
        """The stream ends (a capture's last line, a clean stop): the open round is put out as it stands."""
        for heard in self._again.due(None):
            self._hear(heard)
        for seq, each in self._noise.decided():
            self._pass_on(seq, each, self.desk.t)
        for part in self._parts:
            part.finish()
        records, self.desk.out = self.desk.out, []
        return records
