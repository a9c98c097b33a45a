"""The vocabulary of observations: device type to its events and their fields. MicroPython subset.

DESIGN section 2; fields beyond these are kept, an event outside it is a device fault of kind `unknown_event`.
"""

COMMON = {
    "device_online": (),
    "device_offline": ("reason",),
    "device_fault": ("reason",),
    "device_recovered": (),
    "bytes_discarded": ("count",),
    "edges_lost": ("count",),
}
"""Events that every device has."""

EVENTS = {
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


def known(device_type: str, event: str) -> bool:
    """Whether a device of this type may say this event."""
    return event in COMMON or event in EVENTS.get(device_type, ())
