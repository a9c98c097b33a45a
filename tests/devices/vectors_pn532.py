"""What a PN532 is asked and answers. Plain data; also run on MicroPython."""


def unhex(text):
    return bytes.fromhex(text.replace(" ", ""))


QUESTIONS = [
    ("FIRMWARE_PLEASE", "00 00 FF 02 FE D4 02 2A 00"),
    ("SAM_OFF", "00 00 FF 05 FB D4 14 01 00 00 17 00"),
    ("TAGS_PLEASE", "00 00 FF 04 FC D4 4A 02 00 E0 00"),
]
"""(name, bytes)."""

NONE = "00 00 FF 03 FD D5 4B 00 E0 00"
NTAG = "00 00 FF 0F F1 D5 4B 01 01 00 44 00 07 04 A1 B2 C3 D4 E5 80 40 00"
CLASSIC = "00 00 FF 0C F4 D5 4B 01 01 00 04 08 04 DE AD BE EF 96 00"
ACK = "00 00 FF 00 FF 00"

ANSWERS = [
    ("00 00 FF 06 FA D5 03 32 01 06 07 E8 00", [(0x02, "32 01 06 07")], 0),
    ("00 00 FF 02 FE D5 15 16 00", [(0x14, "")], 0),
    (ACK + NONE, [(0x4A, "00")], 0),
    (NTAG, [(0x4A, "01 01 00 44 00 07 04 A1 B2 C3 D4 E5 80")], 0),
    ("00 00 FF 01 FF 7F 81 00", [(0, "")], 0),
    # noise before, wrong checks, a question heard back, one frame cut by the next
    ("12 34" + CLASSIC, [(0x4A, "01 01 00 04 08 04 DE AD BE EF")], 2),
    ("00 00 FF 0C F4 D5 4B 01 01 00 04 08 04 DE AD BE EF 97 00", [], None),
    ("00 00 FF 0C F5 D5 4B 01", [], None),
    ("00 00 FF 02 FE D4 02 2A 00" + NONE, [(0x4A, "00")], 0),
]  # fmt: skip
"""(bytes, [(command, data)], bytes thrown away or None for any number)."""

TAGS = [
    ("00", []),
    ("01 01 00 44 00 07 04 A1 B2 C3 D4 E5 80", ["04A1B2C3D4E580"]),
    ("01 01 00 04 08 04 DE AD BE EF", ["DEADBEEF"]),
    ("02 01 00 04 08 04 DE AD BE EF 02 00 44 00 07 04 A1 B2 C3 D4 E5 80", ["DEADBEEF", "04A1B2C3D4E580"]),
    ("01 01 03 44 20 07 04 A1 B2 C3 D4 E5 80 05 75 33 92 03", ["04A1B2C3D4E580"]),
    ("", None), ("01", None), ("01 01 00 04 08 05 DE AD BE EF 01", None), ("01 01 00 04 08 04 DE AD BE", None),
    ("00 00", None), ("02 01 00 04 08 04 DE AD BE EF", None),
]  # fmt: skip
"""(data of an answer to LIST, tags)."""

DECK = {"04:A1:B2:C3:D4:E5:80": "AS", "DEADBEEF": "TD"}

CASES = [
    ("laid and lifted", [(0, NONE), (1, NTAG), (2, NTAG), (3, NONE)],
     [(1, "card_placed", {"card": "AS", "to": "seat-2", "tag": "04A1B2C3D4E580"}),
      (3, "card_removed", {"card": "AS", "to": "seat-2", "tag": "04A1B2C3D4E580"})]),
    ("one in place of another", [(0, NONE), (1, NTAG), (2, CLASSIC)],
     [(1, "card_placed", {"card": "AS", "to": "seat-2", "tag": "04A1B2C3D4E580"}),
      (2, "card_removed", {"card": "AS", "to": "seat-2", "tag": "04A1B2C3D4E580"}),
      (2, "card_placed", {"card": "TD", "to": "seat-2", "tag": "DEADBEEF"})]),
    ("there as the reader comes on line", [(0, NTAG), (1, NONE)],
     [(1, "card_removed", {"card": "AS", "to": "seat-2", "tag": "04A1B2C3D4E580"})]),
    ("of another deck", [(0, NONE), (1, "00 00 FF 0C F4 D5 4B 01 01 00 04 08 04 DE AD BE F0 95 00")],
     [(1, "card_placed", {"card": None, "to": "seat-2", "tag": "DEADBEF0", "foreign": True})]),
]  # fmt: skip


def framed(framer_class, text, want, discarded):
    """None if it holds byte by byte, else what was heard."""
    framer, data = framer_class(), unhex(text)
    got = [a for i in range(len(data)) for a in framer.feed(data[i : i + 1])]
    framer.interrupt()
    got = [(a.command, a.data) for a in got]
    lost = framer.take_discarded()
    want = [(command, unhex(each)) for command, each in want]
    return None if got == want and discarded in (None, lost) else [got, lost]


def mismatch(device_class, pieces, want):
    device = device_class("felt", {"place": "seat-2", "deck": DECK})
    seen = [o for t, text in pieces for o in device.feed(unhex(text), t * 1000000000)]
    seen = [(o.t, o.event, o.data) for o in seen]
    return None if seen == [(t * 1000000000, event, data) for t, event, data in want] else seen
