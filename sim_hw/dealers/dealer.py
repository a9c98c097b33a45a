"""What all simulated dealers share: the panel, the key card, the lid, and how a fault is described.

A fault is a rule id that `play` is given; the dealer breaks that rule once, in the act it concerns, and puts right what
the house would put right. `FAULTS` says how and what the table must have for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pitwatch.sim_hw.devices.contacts import Contacts
from pitwatch.sim_hw.devices.key_reader import KeyReader
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import KEY_READERS, SimDeviceSpec, SimTable


@dataclass(frozen=True)
class Fault:
    """`how` it comes about; `needs`: devices or lines in the notation of `SimTable.has`; `brings`: rules that are
    broken with it because the document makes one the consequence of the other."""

    how: str
    needs: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()


LID = Fault("the lid of the electronics is opened and closed", ("enclosure#lid",))


class Dealer:
    """Base of the dealers. Times in seconds."""

    FAULTS: ClassVar[dict[str, Fault]] = {}

    def __init__(self, scene: Scene, table: SimTable):
        self.scene = scene
        self.rng = scene.rng
        self.table = table
        self._panel = self.contacts("panel")
        self._lid = self.contacts("enclosure")
        readers = [device for device in table.devices if device.type == "key_reader" and device.protocol in KEY_READERS]
        self._reader = KeyReader(scene, readers[0]) if readers else None
        self._shift = sorted(card for card, role in table.people.items() if role == "dealer")
        self._moments = 0
        self._moment = 0

    def contacts(self, device_type: str) -> Contacts:
        """The lines of the table's device of a type; without one, contacts of which none is wired."""
        spec = self.table.of(device_type, "lines")
        return Contacts(self.scene, spec or SimDeviceSpec("", device_type, "lines"))

    @classmethod
    def faults(cls, table: SimTable) -> dict[str, Fault]:
        """`FAULTS`, and what depends on the game's book."""
        return cls.FAULTS

    def begin(self) -> None:
        """Open the table, before the first round."""

    def play(self, fault: str | None) -> None:
        """Play one round, breaking the rule `fault` if one is given."""
        raise NotImplementedError

    def finish(self) -> None:
        """Close the table after the last round: time enough for the last lamp to go out."""
        self.scene.wait(3)

    def key(self, name: str) -> bool:
        """Press a panel key and let go; returns whether the panel has it."""
        kind, colon, rest = name.partition(":")
        line = f"{kind}-{rest}" if colon else name.replace("_", "-")
        if not self._panel.has(line):
            return False
        seconds = self.rng.uniform(0.08, 0.2)
        self._panel.press(line, seconds)
        self.scene.wait(seconds + 0.05)
        return True

    def badge(self, *roles: str) -> bool:
        """Somebody with one of these roles shows the key card; returns whether anybody could."""
        holders = [credential for credential, role in self.table.people.items() if role in roles]
        if self._reader is None or not holders:
            return False
        self._reader.present(self.rng.choice(sorted(holders)))
        self.scene.wait(1)
        return True

    def sign_on(self) -> None:
        """The dealer who opens the table shows the key card, where there is a reader for it."""
        if self._shift and self._reader is not None:
            self._reader.present(self._shift[0])
            self.scene.wait(1)

    def relieve(self) -> bool:
        """Another dealer takes over and shows the key card, or presses the panel's key; returns whether that shows."""
        if len(self._shift) < 2 or self._reader is None:
            return self.key("dealer_change")
        self._shift.append(self._shift.pop(0))
        self._reader.present(self._shift[0])
        self.scene.wait(1)
        return True

    def open_lid(self) -> None:
        """Somebody opens the lid within the next half minute and closes it again, while play goes on."""
        at = self.rng.uniform(0, 30)
        self._lid.set("lid", 1, after=at)
        self._lid.set("lid", 0, after=at + self.rng.uniform(2, 8))

    def pick_moment(self, moments: int) -> None:
        """Choose at which of the round's `moments` a fault of the equipment shows."""
        self._moments = 0
        self._moment = self.rng.randrange(moments)

    def disturb(self, fault: str | None) -> None:
        """One of the round's moments after another: at the chosen one the equipment fails, or is opened, if that is the
        fault."""
        if fault not in ("equipment-malfunction", "tampering-suspected"):
            return
        self._moments += 1
        if self._moments - 1 != self._moment:
            return
        if fault == "tampering-suspected":
            self.open_lid()
        else:
            self.equipment_fails()

    def equipment_fails(self) -> None:
        """Something at the table shows a fault for a while."""
        raise NotImplementedError
