"""Which rules can be judged now: a rule needs its devices on line, and aligned since the last clean boundary."""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.game import PERSON, Game, Rule, chosen, is_choice
from pitwatch.rules.table import TableFacts, shows

Need = tuple[tuple[str, ...], ...]
"""All of these, each by any of these device ids."""


class Availability:
    """Keeps which devices are off line or not yet aligned."""

    def __init__(self, game: Game, table: TableFacts):
        self._game = game
        self._able = {device.id: (device.type, set(device.events)) for device in table.devices}
        self._options = game.settle_options(table.options)
        self._repeats = {device.id for device in table.devices if device.repeats_state}
        self._off: set[str] = set()
        self._unaligned: set[str] = {device.id for device in table.devices}
        self._shown: dict[tuple[str, ...], tuple[str, ...]] = {}  # answers of `_show`, asked many times a round
        self._needs: dict[str, Need | None] = {}
        self._resolve_all()
        self.clouded: set[str] = {device.id for device in table.devices}
        """Devices that were unavailable at some time since `fresh()`."""

    def _resolve_all(self) -> None:
        self._needs = {rule.id: self._resolve(rule) for rule in self._game.rules.values()}

    def _resolve(self, rule: Rule) -> Need | None:
        """The device ids that can serve each need; None if one need has no device at all, if only a person sees it or
        the house does not do it."""
        need = []
        for entry in rule.needs:
            if is_choice(entry) and chosen(entry, self._options):
                continue
            if entry == PERSON or is_choice(entry):
                return None
            able = self._show(tuple(entry.split(" | ")))
            if not able:
                return None
            need.append(able)
        return tuple(need)

    def _show(self, needs: tuple[str, ...]) -> tuple[str, ...]:
        """The devices that can show one of these `type.event`; every device shows `any.device_fault`."""
        known = self._shown.get(needs)
        if known is not None:
            return known
        found: list[str] = []
        for need in needs:
            kind, _, event = need.partition(".")
            if kind == "any":
                found += self._able
            found += [d for d, (type_, events) in self._able.items() if type_ == kind and shows(events, event)]
        shown = self._shown[needs] = tuple(dict.fromkeys(found))
        return shown

    def note(self, observation: Observation) -> None:
        """Follow what devices say of themselves."""
        device, event = observation.device, observation.event
        if device in self._able and event not in self._able[device][1]:
            self._learn(device, event)
        if event == "device_offline":
            self._off.add(device)
            self._cloud(device)
        elif event == "device_online":
            self._off.discard(device)
        elif event == "edges_lost" or (event == "bytes_discarded" and device not in self._repeats):
            self._cloud(device)

    def _learn(self, device: str, event: str) -> None:
        """A device that shows an event can show it, whatever its class declares (an adapter, a newer firmware)."""
        kind, events = self._able[device]
        events.add(event)
        self._shown.clear()
        if event in EVENTS.get(kind, ()):
            self._resolve_all()

    def _cloud(self, device: str) -> None:
        self._unaligned.add(device)
        self.clouded.add(device)

    def boundary(self) -> None:
        """A clean boundary: every device that is on line is aligned from here on."""
        self._unaligned &= self._off

    def fresh(self) -> None:
        """A round opens: forget what was unavailable before it."""
        self.clouded = self._off | self._unaligned

    def available(self, device: str) -> bool:
        return device not in self._off and device not in self._unaligned

    def watched(self, rule: str) -> bool:
        """Whether the table has the devices the rule needs, on line or not."""
        return self._needs.get(rule) is not None

    def judgeable(self, rule: str) -> bool:
        """Whether the rule can be judged now."""
        need = self._needs.get(rule)
        return need is not None and all(any(self.available(d) for d in able) for able in need)

    def sees(self, *needs: str) -> bool:
        """Whether a device that can show one of these `type.event` is available now."""
        return any(self.available(device) for device in self._show(needs))

    def on_line(self, need: str) -> bool:
        """Whether a device that can show this `type.event` is on line, aligned or not."""
        return not self._off.issuperset(self._show((need,)))

    def not_observable(self) -> tuple[str, ...]:
        """Rules the table could judge but could not throughout the round, for lack of an available device."""
        if not self.clouded:
            return ()
        return tuple(
            rule
            for rule, need in self._needs.items()
            if need is not None and any(all(d in self.clouded for d in able) for able in need)
        )
