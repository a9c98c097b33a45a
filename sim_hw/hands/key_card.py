"""A hand that shows a key card or badge to the reader."""

from __future__ import annotations

from pitwatch.sim_hw.devices.key_reader import KeyReader
from pitwatch.sim_hw.hands.act import Act, Ask, CannotActError, Hand

STRANGER = "a card that the table does not know"
UNKNOWN = {"magstripe": "990001", "ibutton": "01-00000BADC0DE"}
"""A credential nobody holds, in the notation of the protocol; "facility:card" elsewhere."""


class KeyCardHand(Hand):
    def acts(self) -> tuple[Act, ...]:
        people = {f"{role} ({credential})": credential for credential, role in self.table.people.items()}
        reader = KeyReader(self.scene, self.spec)

        def show(who: str) -> None:
            credential = people.get(who) or UNKNOWN.get(self.spec.protocol, "99:1")
            try:
                reader.present(credential)
            except ValueError as error:
                raise CannotActError(f"{who}: {error}") from None

        return (Act("show", "Show a key card", show, (Ask("who", "card of", (*people, STRANGER)),)),)
