"""A simulated key-card reader: Wiegand pulses of 50 µs, 2 ms apart, as readers give them, or an OSDP answer."""

from __future__ import annotations

from pitwatch.devices.protocols import osdp, wiegand
from pitwatch.sim_hw.scene import MS, Scene
from pitwatch.sim_hw.table import SimDeviceSpec

PROTOCOLS = ("wiegand", "osdp")
PULSE = 50_000
APART = 2 * MS


class KeyReader:
    def __init__(self, scene: Scene, spec: SimDeviceSpec):
        self._scene = scene
        self._id = spec.id
        self._packets = spec.protocol == "osdp"

    def present(self, credential: str) -> None:
        """Swipe the card "facility:card", in 26 bits if its numbers fit, else in 34, else in 37."""
        facility, _, card = credential.partition(":")
        length = 37 if int(card) >> 16 else 26 if int(facility) < 256 else 34
        bits = wiegand.bits(int(facility), int(card), length)
        if self._packets:
            self._scene.put_bytes(self._id, osdp.encode(osdp.REPLY, 1, osdp.RAW, osdp.raw_data(bits)))
            return
        at = self._scene.t
        for bit in bits:
            line = "d1" if bit else "d0"
            self._scene.put_level(self._id, line, 1, at)
            self._scene.put_level(self._id, line, 0, at + PULSE)
            at += APART
