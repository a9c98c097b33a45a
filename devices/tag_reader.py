"""A reader of tagged cards under one place: lists of tags in, cards laid and lifted out. MicroPython subset.

The deck table says which card each tag is. Must not know how many cards a hand may have.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import pn532
from pitwatch.devices.vocabulary import is_card, is_position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"card_position.pn532": "TagReader"}

SIZES = (8, 14, 20)  # hexadecimal digits of a tag's number


class TagReader(ByteDevice):
    """card_placed {card, to, tag}, card_removed {card, to, tag}: `tag` is the tag's number. A tag that the deck table
    does not have is a card not read (null), with `foreign`: true. A card that lies there when the reader comes on line
    was laid unseen: only that it is lifted is told.
    """

    TYPE = "card_position"
    EVENTS = ("card_placed", "card_removed")
    SETTINGS = {
        "place": ("dealer", 'position of the reader, such as "seat-1" or "dealer"'),
        "deck": ({}, "tag = card of every card in use, or the name of a TOML file that holds it"),
        "decks": (1, "how many tags may stand for the same card"),
    }
    SERIAL = (115200, "8N1")
    POLLED = True

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, pn532.Framer())
        if not is_position(self.settings["place"]):
            raise ValueError(f'place: {self.settings["place"]!r} is no position; such as "seat-1" or "dealer"')
        self._cards: dict[str, str] = {}
        alike: dict[str, int] = {}
        for tag, card in self.settings["deck"].items():
            number = tag.replace(":", "").replace(" ", "").upper()
            if len(number) not in SIZES or not all([char in "0123456789ABCDEF" for char in number]):
                raise ValueError(f"deck.{tag}: is no number of a tag; 4, 7 or 10 bytes in hexadecimal")
            if not is_card(card):
                raise ValueError(f"deck.{tag}: {card!r} is no card; such as 'TD'")
            if number in self._cards:
                raise ValueError(f"deck.{tag}: is there twice")
            alike[card] = alike.get(card, 0) + 1
            if alike[card] > self.settings["decks"]:
                raise ValueError(f"deck.{tag}: {card} has a tag already; leave one, or set decks")
            self._cards[number] = card
        self._there: list[str] | None = None

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """Which place has a reader is told too, as `card_placed:burn`."""
        return cls.EVENTS + ("card_placed:" + str((settings or {}).get("place", "dealer")),)

    def _message(self, answer: "pn532.Answer", t: int) -> "list[Observation]":
        now = pn532.tags(answer.data) if answer.command == pn532.LIST else None
        if now is None:
            return []
        self.understood += 1
        if self._there is None:
            self._there = now
            return []
        gone = [tag for tag in self._there if tag not in now]
        new = [tag for tag in now if tag not in self._there]
        self._there = now
        return [self._say("card_removed", tag, t) for tag in gone] + [self._say("card_placed", tag, t) for tag in new]

    def interrupted(self, t: int) -> "list[Observation]":
        self._there = None
        return super().interrupted(t)

    def _say(self, event: str, tag: str, t: int) -> "Observation":
        data: dict[str, Any] = {"card": self._cards.get(tag), "to": self.settings["place"], "tag": tag}
        if tag not in self._cards:
            data["foreign"] = True
        return self.saw(t, event, **data)
