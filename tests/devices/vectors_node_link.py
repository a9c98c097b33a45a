"""Published values and golden frames of the sensor node's wire, for CPython and MicroPython alike."""

CRC = [
    (b"123456789", 0x29B1),  # check value of CRC-16/IBM-3740 (CCITT-FALSE) in the catalogue of parametrised CRCs
    (b"", 0xFFFF),
    (b"\x00", 0xE1F0),
    (b"A", 0xB915),
]

RUN = bytes(range(1, 255))
COBS = [  # the examples of the paper and of its article in Wikipedia
    (b"\x00", b"\x01\x01"),
    (b"\x00\x00", b"\x01\x01\x01"),
    (b"\x00\x11\x00", b"\x01\x02\x11\x01"),
    (b"\x11\x22\x00\x33", b"\x03\x11\x22\x02\x33"),
    (b"\x11\x22\x33\x44", b"\x05\x11\x22\x33\x44"),
    (b"\x11\x00\x00\x00", b"\x02\x11\x01\x01\x01"),
    (RUN, b"\xff" + RUN),
    (b"\x00" + RUN, b"\x01\xff" + RUN),
    (RUN + b"\xff", b"\xff" + RUN + b"\x02\xff"),
    (RUN[1:] + b"\xff\x00", b"\xff" + RUN[1:] + b"\xff\x01\x01"),
    (RUN[2:] + b"\xff\x00\x01", b"\xfe" + RUN[2:] + b"\xff\x02\x01"),
    (b"", b"\x01"),
]
UNCOBS = [b"", b"\x00", b"\x02", b"\x05\x11\x22", b"\x02\x11\x00", b"\xff\x01"]  # what no encoder makes

FRAMES = [  # kind, body, frame, in hexadecimal; their CRCs were computed by Python's binascii.crc_hqx
    (3, "0700", "00 04030207 03e8eb 00"),
    (5, "", "00 020503e2fa 00"),
    (2, "341200000500", "00 0502063412 01 0205 0389bc 00"),
]


def broken(check):
    """(name, what is wrong or None) of every vector; `check` gives the modules crc, cobs, node_link, node_bodies."""
    crc, cobs, node_link, node_bodies = check
    for data, value in CRC:
        got = crc.crc16(data)
        yield "crc %r" % data, None if got == value else got
    for number, (data, coded) in enumerate(COBS):
        got = (cobs.encode(data), cobs.decode(coded))
        yield "cobs %d" % number, None if got == (coded, data) else got
    for coded in UNCOBS:
        got = cobs.decode(coded)
        yield "no cobs %r" % coded, None if got is None else got
    for kind, body, whole in FRAMES:
        body, whole = bytes.fromhex(body), bytes.fromhex(whole.replace(" ", ""))
        framer = node_link.Framer()
        seen = [one for i in range(len(whole)) for one in framer.feed(whole[i : i + 1])]
        got = (node_link.frame(kind, body), seen, framer.discarded)
        yield "frame %d" % kind, None if got == (whole, [(kind, body)], 0) else got
    batch = node_bodies.Batch()
    for record in EDGES:
        batch.edge(*record)
    batch.lost(300, EDGES[-1][2])
    want = (EDGES[-1][2] + 9, EDGES + [(-1, 300, EDGES[-1][2])])
    got = node_bodies.read_batch(batch.take(EDGES[-1][2] + 9))
    yield "batch", None if got == want else got


EDGES = [(0, 1, 10_000_000_000), (29, 0, 10_000_000_000), (4, 1, 10_000_000_127), (31, 1, 10_003_000_000)]
