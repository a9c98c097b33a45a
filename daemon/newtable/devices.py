"""The questions about devices: what speaks at which plug, what else is connected, and what each gives at the game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config.device_config import read_device
from pitwatch.daemon.config.sections import NAME, Sections
from pitwatch.daemon.newtable.asking import Answers, Asker, Terminal
from pitwatch.daemon.newtable.file import Draft
from pitwatch.daemon.newtable.gains import Gains, facts_of
from pitwatch.daemon.newtable.lines import ask_lines
from pitwatch.daemon.newtable.listening import Heard
from pitwatch.daemon.newtable.plugs import Plug
from pitwatch.daemon.newtable.reader_test import answers
from pitwatch.devices import registry
from pitwatch.rules.game import Game

NODE = "node"
"""The shape of a sensor node's wire: lines, not a device."""

LINK = {"serial": "serial", "keyboard": "hid", "1-wire": "w1"}
TYPED = ("card_lines", "magstripe", "em4100")
"""Protocols of readers that type."""


class Devices:
    """Asks about the plugs one by one and puts the devices into the draft."""

    def __init__(self, asker: Asker, draft: Draft, game: Game, path: Path):
        self._asker = asker
        self._draft = draft
        self._options = game.settle_options(draft.options)
        self._path = path
        self.gains = Gains(game, self._options)

    def introduce(self) -> None:
        by_person = self.gains.of_person()
        self._asker.say(f"{self.gains.of} documented rules; {by_person} of them only a person sees.")
        self._told_missing()

    def _told_missing(self) -> None:
        missing = self.gains.missing([facts_of(each) for each in self._draft.devices])
        if missing:
            self._asker.say(f"Devices that would add rules: {', '.join(f'{kind} {many}' for kind, many in missing)}")

    def given(self, heard: Sequence[Heard]) -> None:
        """The devices of a file of answers: those that it writes out, then those that speak."""
        asker = self._asker
        assert isinstance(asker, Answers)
        written = asker.data.get("device", [])
        if not isinstance(written, list):
            raise asker.error("device", "devices are written as [[device]], each with its own table")
        for number, device in enumerate(written):
            where = f"device[{number}]"
            if not isinstance(device, dict):
                raise asker.error(where, "is no table; write [[device]] and its keys below")
            try:
                read = read_device(Sections(self._path), device, where, self._options)
            except ConfigError as error:
                raise asker.error("", str(error).removeprefix(f"{self._path}: ")) from None
            self._put({**device, "protocol": read.protocol}, "")
        used = " ".join(str(device.get("link")) for device in written)
        if asker.yes("found", "Take every device that speaks?", True):
            for each in heard:
                if each.plug.path not in used:
                    self._spoke(each)

    def ask(self, heard: Sequence[Heard], others: Sequence[Plug]) -> None:
        """A person, about each plug; those that speak first."""
        for each in sorted(heard, key=lambda each: not each.protocol):
            self._asker.say()
            if not self._spoke(each):
                self._ask_serial(each)
        for plug in others:
            self._asker.say()
            if plug.kind == "gpio":
                while self._ask_lines(f"{plug.name}: is another device wired to its lines", "gpio:", plug):
                    pass
            else:
                self._ask_quiet(plug)

    # -- a port that speaks

    def _spoke(self, heard: Heard) -> bool:
        """Offers what was recognised. Whether something was, and taken."""
        plug, protocol = heard.plug, heard.protocol
        if not protocol or protocol == NODE:
            return False
        kinds = [kind for kind in registry.TYPES if protocol in registry.protocols(kind)]
        useful = [kind for kind in kinds if not self.gains.is_idle(kind)] or kinds
        asker = self._asker
        asker.say(f"{plug.name}: {protocol} speaks there at {heard.baud} baud")
        number = 0
        if len(useful) > 1:
            if not isinstance(asker, Terminal):
                asker.say(f"  it may be a {' or a '.join(useful)}: write it as [[device]] with {_url(heard)}")
                return True
            number = asker.choose("", "Which is it", useful, 0)
        device = {"id": self._free(useful[number]), "type": useful[number], "protocol": protocol, "link": _url(heard)}
        return self._offer(device, f"{plug.name}, recognised by what it sends.")

    # -- a port that does not

    def _ask_serial(self, heard: Heard) -> None:
        plug, asker = heard.plug, self._asker
        if heard.reason:
            asker.say(f"{plug.name}: {heard.reason}")
            return
        if heard.protocol == NODE:
            link = f"node:serial:{plug.path}?baud={heard.baud}"
            while self._ask_lines(f"{plug.name}: a sensor node. Is another device wired to its pins", link, None):
                pass
            return
        came = f"{heard.came} bytes came, of no protocol that is known" if heard.came else "nothing came"
        asker.say(f"{plug.name}: {came} (a device without power, or one that speaks only when used)")
        self._ask_quiet(plug)

    def _ask_quiet(self, plug: Plug) -> None:
        """What a person knows to be connected."""
        found = [each for each in self._fitting(plug) if not self.gains.is_idle(each[0])]
        choices = ["nothing, or something else"] + [f"{kind} by {protocol}" for kind, protocol in found]
        self._asker.say(f"{plug.name}: what is connected?")
        number = self._asker.choose("", "Which", choices, 0)
        if not number:
            return
        kind, protocol = found[number - 1]
        cls = registry.find(kind, protocol)
        link = f"{LINK[plug.kind]}:" + ("" if plug.kind == "1-wire" else plug.path)
        if plug.kind == "serial":
            baud, _ = cls.SERIAL or (9600, "8N1")
            link += f"?baud={baud}"
        note = f"{plug.name}, as told; nothing was heard of it yet."
        if cls.POLLED:
            link = f"{protocol}:{link}"
            note = self._ask_reader(plug, link)
            if not note:
                return
        self._offer({"id": self._free(kind), "type": kind, "protocol": protocol, "link": link}, note)

    def _fitting(self, plug: Plug) -> list[tuple[str, str]]:
        """Types and protocols that such a plug can carry."""
        known = [each for each in registry.classes() if registry.find(*each).SERIAL is not None]
        if plug.kind == "1-wire":
            return [each for each in known if each[1] == "ibutton"]
        if plug.kind == "keyboard":
            return [each for each in known if each[1] in TYPED]
        return [each for each in known if each[1] != "ibutton"]

    def _ask_reader(self, plug: Plug, link: str) -> str:
        """Asks a card reader whether it is there, if the person is sure; returns the note, "" if it is not taken."""
        asker = self._asker
        asker.say("  Pitwatch must send such a reader questions. To a gaming device it must never send anything.")
        if not asker.yes("", f"  Is it certain that {plug.name} leads to a card reader alone?", False):
            asker.say("  then nothing is sent, and the plug is left out")
            return ""
        identity, reason = answers(link)
        if identity:
            asker.say(f"  it answers: {identity}")
            return f"{plug.name}, which answers as {identity}."
        asker.say(f"  no answer: {reason}")
        return (
            f"{plug.name}, as told; it did not answer yet." if asker.yes("", "  Take it all the same?", False) else ""
        )

    # -- lines

    def _ask_lines(self, question: str, link: str, chip: Plug | None) -> bool:
        """One device on lines; whether there was one."""
        kinds = [kind for kind, protocol in registry.classes() if protocol in ("lines", "wiegand")]
        useful = [kind for kind in kinds if not self.gains.is_idle(kind)]
        self._asker.say(f"{question}?")
        number = self._asker.choose("", "Which", ["none", *useful], 0)
        if not number:
            return False
        kind = useful[number - 1]
        protocol = "wiegand" if ("wiegand" in registry.protocols(kind)) else "lines"
        lines = ask_lines(self._asker, kind, registry.find(kind, protocol), chip)
        link = "wiegand:" if chip is not None and protocol == "wiegand" else link
        device = {"id": self._free(kind), "type": kind, "protocol": protocol, "link": link, "lines": lines}
        self._offer(device, "")
        return True

    # -- what is taken

    def _offer(self, device: dict[str, Any], note: str) -> bool:
        """Says what the device gives, and takes it if it is right and wanted. Whether it was taken."""
        asker = self._asker
        try:
            read_device(Sections(self._path), device, "device", self._options)
        except ConfigError as error:
            asker.say(f"  it cannot be taken: {error.key}: {str(error).rpartition(error.key + ': ')[2]}")
            asker.say("  write it into the file by hand: docs/hardware.md")
            return True
        adds = self.gains.adds(facts_of(device), [facts_of(each) for each in self._draft.devices])
        of_use = not self.gains.is_idle(device["type"])
        gives = _in_words(adds) if of_use else "shows nothing that this game uses"
        asker.say(f"  {device['type']} by {device['protocol']}: {gives}")
        if not isinstance(asker, Terminal):
            if not of_use:
                asker.say("  it is left out")
                return False
        elif not asker.yes("", "  Take it", of_use):
            return False
        if isinstance(asker, Terminal):
            device["id"] = asker.ask("", "  Its name", device["id"], self._new_id)
        self._put(device, "\n".join(each for each in (note, f"At this game it {gives}.") if each))
        return True

    def _put(self, device: dict[str, Any], note: str) -> None:
        self._draft.devices.append(device)
        self._draft.notes[device["id"]] = note

    def _free(self, kind: str) -> str:
        """A name no device has: `wheel`, `wheel-2`."""
        taken = {each["id"] for each in self._draft.devices}
        number = next(number for number in range(1, 100) if _numbered(kind, number) not in taken)
        return _numbered(kind, number)

    def _new_id(self, answer: str) -> str:
        if not NAME.match(answer):
            raise ValueError("letters, digits, - and _ are right, without blanks")
        if any(each["id"] == answer for each in self._draft.devices):
            raise ValueError(f"another device is called {answer}")
        return answer

    def sum_up(self) -> tuple[int, int]:
        """Rules judged, of how many; says it, and what would add to them."""
        devices = [facts_of(each) for each in self._draft.devices]
        judged = len(self.gains.judged(devices))
        self._asker.say()
        many = f"{len(devices)} device{'' if len(devices) == 1 else 's'}"
        self._asker.say(f"With {many} {judged} of {self.gains.of} rules are judged.")
        self._told_missing()
        return judged, self.gains.of


def _numbered(kind: str, number: int) -> str:
    return kind if number == 1 else f"{kind}-{number}"


def _url(heard: Heard) -> str:
    return f"serial:{heard.plug.path}?baud={heard.baud}"


def _in_words(rules: Sequence[str]) -> str:
    if not rules:
        return "adds no rule that the other devices do not show"
    shown = ", ".join(rules[:4]) + (" …" if len(rules) > 4 else "")
    return f"adds {len(rules)} rule{'s' if len(rules) > 1 else ''}: {shown}"
