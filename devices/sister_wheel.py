"""Which of two wheels of one maker sends on a port. MicroPython subset. Must not know what is done about it.

Their status lines are alike in form, not in meaning.
Some lines only one of the two sends. The rest differs in time alone: a Slingshot 2 counts a spin as it leaves state 5,
a Mercury 360 as it enters it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.protocols.cammegh import Status

RESULT, CLOSED = 5, 6
MARKS = 2  # that point one way with none the other way between: a flipped bit makes one line of the other wheel
UNWATCHED = 5_000_000_000  # ns between two status lines in which a whole spin may have gone unheard
COUNTS = 256


class SisterWheel:
    """`is_own` once the wheel has proved to be the one expected, `is_other` once it has proved to be the other.

    counts_at_result: whether the expected wheel counts a spin as it enters state 5.
    """

    def __init__(self, counts_at_result: bool) -> None:
        self._counts_at_result = counts_at_result
        self.forget()

    def forget(self) -> None:
        """Another wheel may be there from now on."""
        self.is_own = self.is_other = False
        self._own = self._other = 0
        self._status: Status | None = None
        self._heard = 0

    def own(self, marks: int = 1) -> None:
        """A line came that only the expected wheel sends."""
        self._other = 0
        self._own = min(self._own + marks, MARKS)
        if self._own >= MARKS:
            self.is_own, self.is_other = True, False

    def other(self, sure: bool = False) -> None:
        """A line came that only the other wheel sends."""
        self._own = 0
        self._other = MARKS if sure else min(self._other + 1, MARKS)
        if self._other >= MARKS:
            self.is_own, self.is_other = False, True

    def heard(self, now: "Status", t: int) -> None:
        """A status line came that either may send."""
        before, self._status = self._status, now
        gap, self._heard = t - self._heard, t
        if before is None:
            return
        if gap > UNWATCHED:
            self.is_own = False  # plugs may have been exchanged meanwhile
            self._own = 0
            return
        if RESULT not in (now.state, before.state) or now.state == CLOSED:
            return
        step = (now.spin - before.spin) % COUNTS
        if step > 1 or (before.state == now.state and not step):
            return
        leaving = now.state != RESULT
        counted_early = not step if leaving else step == 1  # also if it counts while the result is shown
        if counted_early == self._counts_at_result:
            self.own()
        else:
            self.other()
