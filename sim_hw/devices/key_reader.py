"""A simulated reader of key cards and badges, as each protocol sends them."""

from __future__ import annotations

from pitwatch.devices.protocols import em4100, ibutton, magstripe, osdp, wiegand
from pitwatch.sim_hw.scene import MS, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

PULSE = 50_000
APART = 2 * MS
REPEATED = 65 * MS
"""An RDM6300 sends a badge again as long as it is held."""


class KeyReader:
    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id
        self._protocol = spec.protocol

    def present(self, credential: str) -> None:
        """Show the card or badge with this credential, as the table's people are known by it."""
        if self._protocol == "em4100":
            self._badge(credential)
        elif self._protocol == "magstripe":
            names = self._scene.rng.choice(("", "BSTAFF/A^"))
            self._scene.put_bytes(self._id, magstripe.line(credential, names=names))
        elif self._protocol == "ibutton":
            self._touch(credential)
        else:
            self._card(credential)

    def _card(self, credential: str) -> None:
        """Swipe the card "facility:card", in 26 bits if its numbers fit, else in 34, else in 37."""
        facility, _, card = credential.partition(":")
        length = 37 if int(card) >> 16 else 26 if int(facility) < 256 else 34
        bits = wiegand.bits(int(facility), int(card), length)
        if self._protocol == "osdp":
            self._scene.put_bytes(self._id, osdp.encode(osdp.REPLY, 1, osdp.RAW, osdp.raw_data(bits)))
            return
        at = self._scene.t
        for bit in bits:
            line = "d1" if bit else "d0"
            self._scene.put_level(self._id, line, 1, at)
            self._scene.put_level(self._id, line, 0, at + PULSE)
            at += APART

    def _badge(self, credential: str) -> None:
        """Hold the badge "facility:card" to the reader for a while."""
        facility, _, card = credential.partition(":")
        tag = f"0F01{int(facility):02X}{int(card):04X}"
        for number in range(self._scene.rng.randint(1, 20)):
            self._scene.put_bytes(self._id, em4100.frame(tag), self._scene.t + number * REPEATED)

    def _touch(self, credential: str) -> None:
        """Hold the button "01-…" to the probe; its contact may open for a moment."""
        rng, at = self._scene.rng, self._scene.t
        for _ in range(rng.randint(1, 2)):
            self._scene.put_bytes(self._id, ibutton.line("+", credential), at)
            self._scene.put_bytes(self._id, ibutton.line("-", credential), at + rng.randint(200, 400) * MS)
            at += 500 * MS
