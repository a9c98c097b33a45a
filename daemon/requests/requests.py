"""Requests to a table: `replay` of a sequence range, `acknowledge` of a record, `snapshot` of the present state; of
witnesses `consistency` of two sizes of the journal's tree, and `cosign` of a head; `hold` and `release` of records.

Off unless the configuration names the verbs, or a witness. Requests that are too large or too frequent are refused,
all others go to the journal. A client asks under its name at the broker (docs/access.md). Independent of MQTT: takes
bytes, gives answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from pitwatch.daemon.contract.asked import (
    MOST_BYTES,
    MOST_RECORDS,
    NAMED,
    REQUESTS,
    VERBS,
    AcknowledgeRequest,
    Asker,
    ConsistencyRequest,
    CosignRequest,
    HoldRequest,
    ReleaseRequest,
    ReplayRequest,
    Request,
    Verb,
)
from pitwatch.daemon.contract.messages import RequestData, ResponseData
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.requests.allowances import UNNAMED, Allowances
from pitwatch.daemon.requests.holds import Holds, NoHolds, around, span
from pitwatch.hal.clock import Clock

PORTION = 50
"""Records sent again at a time, so that nobody else waits for long."""

MOST_NAME = 64
"""Characters of a client's name."""

RETAINED = "retained at the broker, and no client waits for an answer; remove the retained message on request/"

Who = str | UnsetType
"""The client's name at the broker; unset for one who asks without."""


class Records(Protocol):
    """What of the journal requests need."""

    last: int
    committed: int

    def append(self, kind: str, subtopic: str, t_ns: int, data: Any, retained: bool = False) -> int: ...
    def read(self, after: int, limit: int, done: Callable[[list[Record]], None]) -> None: ...


class Tree(Protocol):
    """What of the journal's tree and its witnesses requests need. `done` is called on the loop, sooner or later; with
    text, that is why not."""

    @property
    def key(self) -> str | None:
        """The public key that signs the journal; None until there is one."""

    def consistency(self, old: int, new: int, done: Callable[[list[str] | str], None]) -> None: ...
    def cosign(self, note: str, done: Callable[[dict[str, Any] | str], None]) -> None: ...


class NoTree:
    """Of a table without a witness."""

    key: str | None = None

    def consistency(self, old: int, new: int, done: Callable[[list[str] | str], None]) -> None:
        done("this table has no tree")

    def cosign(self, note: str, done: Callable[[dict[str, Any] | str], None]) -> None:
        done("this table has no witness; its configuration names none")


class Requests:
    """`answer(verb, data)` sends a response, `again(record)` a record once more; `snapshot()` says how things stand;
    `soon(work)` does work after whatever else is waiting."""

    def __init__(
        self,
        verbs: tuple[str, ...],
        journal: Records,
        clock: Clock,
        answer: Callable[[str, ResponseData], None],
        again: Callable[[Record], None],
        snapshot: Callable[[], dict[str, Any]],
        soon: Callable[[Callable[[], None]], object] = lambda work: work(),
        tree: Tree = NoTree(),  # noqa: B008  it has no state
        holds: Holds = NoHolds(),  # noqa: B008  nor this
    ):
        self._verbs = verbs
        self._journal = journal
        self._clock = clock
        self._answer = answer
        self._again = again
        self._snapshot = snapshot
        self._soon = soon
        self._tree = tree
        self._holds = holds
        self._replaying = False
        self._allowances = Allowances(self._uncounted)

    @property
    def refused(self) -> int:
        """Requests that came beyond the allowance, and those that the broker kept for the table."""
        return self._allowances.refused

    def take(self, asked: str, payload: bytes, retained: bool) -> None:
        """One request as it came; `asked` is VERB/CLIENT, or VERB alone of a client without a name. What was retained
        is no request: nobody waits for its answer."""
        if not payload:
            return
        now = self._clock.now()
        verb, named, client = asked.partition("/")
        nobody = bool(named) and not (0 < len(client) <= MOST_NAME and client.isprintable())
        name = UNNAMED if nobody else client
        if retained:
            self._allowances.count(name, now, RETAINED, asked[: 2 * MOST_NAME])
            return
        if not self._allowances.take(name, now):
            return
        who: Who = name or UNSET
        known: Verb = next((each for each in VERBS if each == verb), "unknown")
        try:
            if nobody:
                raise ValueError(f"no client has this name; 1 to {MOST_NAME} printable characters are right")
            request = self._read(known, payload)
        except ValueError as error:
            self._refuse(known, who, _asker(payload), str(error))
            return
        if known in NAMED and who is UNSET:
            self._refuse(known, who, request, f"a hold needs the client's name; publish on request/{known}/CLIENT")
        elif isinstance(request, ReplayRequest):
            self._replay(who, request)
        elif isinstance(request, AcknowledgeRequest):
            self._acknowledge(who, request)
        elif isinstance(request, ConsistencyRequest):
            self._consistency(who, request)
        elif isinstance(request, CosignRequest):
            self._tree.cosign(request.note, lambda found: self._cosigned(who, request, found))
        elif isinstance(request, HoldRequest):
            self._hold(who, request)
        elif isinstance(request, ReleaseRequest):
            self._release(who, request)
        else:
            self._accept("snapshot", who, request, {})
            said = ResponseData(request=request.id, client=who, ok=True, snapshot=self._snapshot())
            self._answer("snapshot", said)

    def _read(self, verb: str, payload: bytes) -> Request:
        """Raises ValueError that says what would be right."""
        if verb not in self._verbs:
            raise ValueError(f"not answered here; this table answers {', '.join(self._verbs)}")
        if len(payload) > MOST_BYTES:
            raise ValueError(f"too long; {MOST_BYTES} bytes are the most")
        try:
            return msgspec.json.decode(payload, type=REQUESTS[verb])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"not readable: {str(error)[:200]}") from None

    def _replay(self, who: Who, request: ReplayRequest) -> None:
        reason = None
        if request.last < request.first or request.last - request.first >= MOST_RECORDS:
            reason = f"first to last may be {MOST_RECORDS} records"
        elif request.last > self._journal.committed:
            reason = f"there are records up to {self._journal.committed}"
        elif self._replaying:
            reason = "another replay is under way"
        if reason is not None:
            self._refuse("replay", who, request, reason)
            return
        self._accept("replay", who, request, {"first": request.first, "last": request.last})
        self._replaying = True
        self._journal.read(
            request.first - 1, request.last - request.first + 1, lambda records: self._replayed(who, request, records)
        )

    def _replayed(self, who: Who, request: ReplayRequest, records: list[Record]) -> None:
        self._send_again(who, request, [record for record in records if record.seq <= request.last], 0)

    def _send_again(self, who: Who, request: ReplayRequest, wanted: list[Record], sent: int) -> None:
        for record in wanted[sent : sent + PORTION]:
            self._again(record)
        sent += PORTION
        if sent < len(wanted):
            self._soon(lambda: self._send_again(who, request, wanted, sent))
            return
        self._replaying = False
        missing = request.last - request.first + 1 - len(wanted)
        reason = f"{missing} records of these are no longer kept" if missing else ""
        answer = ResponseData(request=request.id, client=who, ok=not missing, reason=reason, count=len(wanted))
        self._answer("replay", answer)

    def _acknowledge(self, who: Who, request: AcknowledgeRequest) -> None:
        if request.sequence > self._journal.last:
            self._refuse("acknowledge", who, request, f"there are records up to {self._journal.last}")
            return
        self._accept("acknowledge", who, request, {"sequence": request.sequence, "note": request.note})
        self._answer("acknowledge", ResponseData(request=request.id, client=who, ok=True))

    def _consistency(self, who: Who, request: ConsistencyRequest) -> None:
        if request.old > request.new:
            self._refuse("consistency", who, request, f"a tree of {request.old} records does not grow to {request.new}")
        elif request.new > self._journal.committed:
            self._refuse("consistency", who, request, f"there are records up to {self._journal.committed}")
        else:
            self._tree.consistency(request.old, request.new, lambda found: self._proven(who, request, found))

    def _proven(self, who: Who, request: ConsistencyRequest, found: list[str] | str) -> None:
        if isinstance(found, str):
            self._refuse("consistency", who, request, found)
            return
        self._accept("consistency", who, request, {"old": request.old, "new": request.new})
        self._answer("consistency", self._of_tree(ResponseData(request=request.id, client=who, ok=True, proof=found)))

    def _of_tree(self, answer: ResponseData) -> ResponseData:
        return msgspec.structs.replace(answer, size=self._journal.committed, key=self._tree.key)

    def _cosigned(self, who: Who, request: CosignRequest, found: dict[str, Any] | str) -> None:
        if isinstance(found, str):
            self._refuse("cosign", who, request, found)
            return
        self._accept("cosign", who, request, found)
        self._answer("cosign", ResponseData(request=request.id, client=who, ok=True))

    def _hold(self, who: Who, request: HoldRequest) -> None:
        try:
            named = span(request, self._journal.committed)
        except ValueError as error:
            self._refuse("hold", who, request, str(error))
            return
        if named is not None:
            self._hold_range(who, request, *named, None)
            return
        assert request.sequence is not UNSET
        self._journal.read(request.sequence - 1, 1, lambda records: self._hold_around(who, request, records))

    def _hold_around(self, who: Who, request: HoldRequest, records: list[Record]) -> None:
        assert request.sequence is not UNSET
        try:
            first, last = around(request.sequence, records)
        except ValueError as error:
            self._refuse("hold", who, request, str(error))
            return
        first = min(max(first, self._holds.kept_from), request.sequence)
        self._hold_range(who, request, first, last, request.sequence)

    def _hold_range(self, who: Who, request: HoldRequest, first: int, last: int, irregularity: int | None) -> None:
        reason = self._holds.refusal(first)
        if reason is not None:
            self._refuse("hold", who, request, reason)
            return
        arguments: dict[str, Any] = {"first": first, "last": last, "reason": request.reason}
        if irregularity is not None:
            arguments["sequence"] = irregularity
        number = self._accept("hold", who, request, arguments)
        self._holds.hold(number, first, last, irregularity, who, request.by, request.reason)
        answer = ResponseData(request=request.id, client=who, ok=True, hold=number, first=first, last=last)
        self._answer("hold", answer)

    def _release(self, who: Who, request: ReleaseRequest) -> None:
        held = self._holds.get(request.hold)
        if held is None:
            self._refuse("release", who, request, f"no hold {request.hold} stands")
            return
        self._accept("release", who, request, {"hold": request.hold, "reason": request.reason})
        self._holds.release(held, who, request.by, request.reason)
        self._answer("release", ResponseData(request=request.id, client=who, ok=True, hold=request.hold))

    def _accept(self, verb: Verb, who: Who, request: Any, arguments: dict[str, Any]) -> int:
        accepted = RequestData(
            verb=verb, request=request.id, client=who, by=request.by, accepted=True, arguments=arguments
        )
        return self._note(accepted)

    def _refuse(self, verb: Verb, who: Who, request: Any, reason: str) -> None:
        identifier = request.id if request is not None else None
        by = request.by if request is not None else ""
        self._note(RequestData(verb=verb, request=identifier, client=who, by=by, accepted=False, reason=reason))
        if verb in VERBS:
            answer = ResponseData(request=identifier, client=who, ok=False, reason=reason)
            if verb == "consistency":
                answer = self._of_tree(answer)
            self._answer(verb, answer)

    def _uncounted(self, name: str, count: int, why: str) -> None:
        reason = f"{count} {why}"
        self._note(
            RequestData(verb="unknown", request=None, client=name or UNSET, by="", accepted=False, reason=reason)
        )

    def _note(self, data: RequestData) -> int:
        return self._journal.append("request", "requested", self._clock.now(), data)


def _asker(payload: bytes) -> Asker | None:
    if len(payload) > MOST_BYTES:
        return None
    try:
        return msgspec.json.decode(payload, type=Asker)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
