"""The vocabulary of devices: the events of each device type, and the values of each field. MicroPython subset.

docs/contract.md lists it. A device may add fields, never leave one out; an event outside it is a device
fault of kind `unknown_event`. Must not know any device or game.
"""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
PLACES = ("dealer", "player", "banker", "community", "burn", "discard")
AREAS = ("layout", "stacked", "rail", "bank", "bowl", "off")  # where a die can come to rest
KEYS = (
    "no_more_bets", "round_over", "no_spin", "no_roll", "misdeal", "supervisor", "dealer_change", "dice_inspected",
    "dice_set_changed", "deck_changed", "cards_verified", "hand_shuffled", "collection_taken",
    "wheel_serviced",
)  # fmt: skip
MOST_KEY = 128  # characters of a key
NAMING_KEYS = ("hand", "report")  # keys that name something: "hand:<name>", "report:<rule-id>"

COMMON: "dict[str, tuple[str, ...]]" = {
    "device_online": (),
    "device_offline": ("reason",),
    "device_fault": ("reason",),
    "device_recovered": (),
    "bytes_discarded": ("count",),
    "edges_lost": ("count",),
}
"""Events that every device has."""

EVENTS: "dict[str, dict[str, tuple[str, ...]]]" = {
    "shuffler": {
        "shuffle_started": (),
        "shuffle_completed": ("cards",),
        "count_failed": ("cards",),
        "packet_dispensed": ("cards", "to"),
        "jammed": (),
        "jam_cleared": (),
        "stopped": (),
        "door_opened": (),
        "door_closed": (),
        "cards_inserted": (),
        "cards_removed": (),
    },
    "shoe": {
        "shoe_started": ("decks",),
        "card_drawn": ("card", "to"),
        "cut_card_drawn": (),
        "reader_error": ("kind",),
        "reader_error_cleared": ("kind",),
        "result_declared": ("winner", "pairs"),
        "locked": (),
        "unlocked": (),
    },
    "card_position": {"card_placed": ("card", "to"), "card_removed": ("card", "to")},
    "discard_rack": {"cards_counted": ("cards",), "emptied": ()},
    "peek": {"hole_card_checked": ("blackjack",)},
    "key_reader": {"credential_presented": ("credential",)},
    "dice": {
        "throw_started": ("dice",),
        "end_wall_struck": ("dice",),
        "die_off_table": ("zone",),
        "dice_settled": ("faces", "at"),
        "dice_counted": ("dice",),
        "shaker_count": ("shakes",),
        "start_number": ("number",),
    },
    "wheel": {
        "rotor": ("rpm", "direction"),
        "ball_launched": ("direction",),
        "ball_left_rim": ("revolutions", "direction"),
        "ball_settled": ("pocket",),
        "ball_expelled": (),
        "ball_floating": (),
        "object_detected": (),
        "ball_missing": (),
        "launch_failed": (),
        "wheel_state": ("state",),
        "result_announced": ("pocket",),
    },
    "panel": {"key_pressed": ("key",)},
    "seats": {"seat_taken": ("seat",), "seat_left": ("seat",), "bank_moved": ("seat",)},
    "progressive": {
        "coin_in": ("seat",),
        "coin_in_cleared": ("seat",),
        "hand_keyed": ("hand", "on"),
        "meter_locked": (),
        "meter_unlocked": (),
        "jackpot": ("seat", "hand"),
    },
    "enclosure": {"opened": (), "closed": ()},
}
"""Device type to {event: fields}, besides the common ones."""


def is_card(value: object) -> bool:
    """Rank and suit such as "TD", or "JK"; None (unreadable) is no card."""
    if not isinstance(value, str) or len(value) != 2:
        return False
    return value == "JK" or (value[0] in RANKS and value[1] in SUITS)


def is_seat(value: object) -> bool:
    """ "seat-1" to "seat-9"."""
    return isinstance(value, str) and len(value) == 6 and value[:5] == "seat-" and value[5] in "123456789"


def is_position(value: object) -> bool:
    """A place at the table, a seat, or a further hand at a seat such as "seat-3/2"; None (unknown) is no position."""
    if not isinstance(value, str):
        return False
    seat, slash, hand = value.partition("/")
    return value in PLACES or (is_seat(seat) and (not slash or (len(hand) == 1 and hand in "123456789")))


def is_key(value: object) -> bool:
    """A key of the dealer's panel: one of KEYS, or "hand:<name>" or "report:<rule-id>" in at most MOST_KEY printable
    characters."""
    if not isinstance(value, str) or len(value) > MOST_KEY:
        return False
    kind, _, name = value.partition(":")
    return value in KEYS or (kind in NAMING_KEYS and len(name) > 0 and is_printable(name))


def is_printable(text: str) -> bool:
    """Whether no character of a text breaks, bends or hides what stands beside it. A letter that is printed nowhere
    yet counts as printable."""
    return not any([first <= ord(char) <= last for char in text for first, last in _NOT_PRINTABLE])


# Controls, spaces other than " ", marks that hide or turn the writing, halves of characters, private use.
_NOT_PRINTABLE = (
    (0x00, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F),
    (0x890, 0x891), (0x8E2, 0x8E2), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200F), (0x2028, 0x202F),
    (0x205F, 0x206F), (0x3000, 0x3000), (0xD800, 0xF8FF), (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),
    (0xE0000, 0xE00FF), (0xE01F0, 0x10FFFF),
)  # fmt: skip


def is_pocket(value: object) -> bool:
    """ "0" to "36", or "00"."""
    return value == "00" or (isinstance(value, str) and value in _POCKETS)


_POCKETS = tuple([str(number) for number in range(37)])


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) > 0


def _is_bool(value: object) -> bool:
    return value is True or value is False


def _is_direction(value: object) -> bool:
    return value == "cw" or value == "ccw"


def _is_faces(value: object) -> bool:
    return isinstance(value, list) and all([face is None or (_is_count(face) and 1 <= face <= 6) for face in value])


def _is_areas(value: object) -> bool:
    return isinstance(value, list) and all([area in AREAS for area in value])


def _is_pairs(value: object) -> bool:
    return isinstance(value, list) and all([side in ("player", "banker") for side in value])


# field: (check, may it be None, what would be right)
_FIELDS = {
    "card": (is_card, True, 'a card such as "TD", "JK", or null'),
    "to": (is_position, True, 'a position such as "seat-3", "player", or null'),
    "cards": (_is_count, True, "a number of cards, or null"),
    "decks": (_is_count, True, "a number of decks, or null"),
    "dice": (_is_count, True, "a number of dice, or null"),
    "count": (_is_count, False, "a number"),
    "shakes": (_is_count, False, "a number"),
    "number": (_is_count, False, "a number"),
    "revolutions": (_is_number, True, "a number of revolutions, or null"),
    "rpm": (_is_number, False, "revolutions a minute"),
    "direction": (_is_direction, True, '"cw", "ccw", or null'),
    "pocket": (is_pocket, False, 'a pocket "0" to "36" or "00"'),
    "state": (_is_text, False, "a state's name"),
    "reason": (_is_text, False, "a reason"),
    "kind": (_is_text, False, "a kind of error"),
    "winner": (_is_text, True, '"player", "banker", "tie", or null'),
    "pairs": (_is_pairs, False, 'a list of "player" and "banker"'),
    "credential": (_is_text, False, "a credential"),
    "key": (
        is_key,
        False,
        "one of " + ", ".join(KEYS) + ", hand:<name>, report:<rule-id>; at most 128 characters, all printable",
    ),
    "zone": (_is_text, True, "a zone's name, or null"),
    "faces": (_is_faces, True, "a list of faces 1 to 6 or null, or null"),
    "at": (_is_areas, True, "a list of places where the dice lie, or null"),
    "seat": (is_seat, True, '"seat-1" to "seat-9", or null'),
    "hand": (_is_text, True, "a hand's name, or null"),
    "on": (_is_bool, True, "true, false, or null"),
    "blackjack": (_is_bool, True, "true, false, or null"),
}


def fields_of(device_type: str, event: str) -> "tuple[str, ...] | None":
    """The fields an event of a device type must have, or None if the type has no such event."""
    if event in COMMON:
        return COMMON[event]
    return EVENTS[device_type].get(event)


def known(device_type: str, event: str) -> bool:
    """Whether a device of this type may say this event."""
    return fields_of(device_type, event) is not None


def problem(device_type: str, event: str, data: "dict[str, object]") -> str:
    """What is wrong with the data of a known event, naming the field and what would be right; "" if nothing is."""
    for field in fields_of(device_type, event) or ():
        check, optional, right = _FIELDS[field]
        if field not in data:
            return f"{field} is missing; {right}"
        value = data[field]
        if not (check(value) or (optional and value is None)):
            return f"{field} is not {right}"
    return ""
