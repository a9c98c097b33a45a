"""Cases: what people do about an irregularity, an alert, a trouble or a jackpot. An append-only, chained record in the
archive's database, from which every view of a case is folded.

`Change` is one entry, `folded` makes a `Case` of entries, `CaseStore` appends and reads them, `Identity` is who did it.
May import: the archive's store, journal signing and tlog of the daemon. `opening` and `keeper` work for the archive.
"""

from pitwatch.floor.cases.case import Case, folded
from pitwatch.floor.cases.change import Change, EventRef
from pitwatch.floor.cases.identity import Identity
from pitwatch.floor.cases.refusal import ConflictError, RefusedChangeError
from pitwatch.floor.cases.store import CaseStore

__all__ = ["Case", "CaseStore", "Change", "ConflictError", "EventRef", "Identity", "RefusedChangeError", "folded"]
