"""OSDP: packets and keys as the standard and open implementations publish them. Plain data; also run on MicroPython.

KEYS and CRCS are of SIA's OSDP specification, Annex E; PACKETS of the tests of an open implementation (OSDP.Net), the
acknowledgement there taken off the wire of a real reader.
"""


def unhex(text):
    return bytes([int(text[i : i + 2], 16) for i in range(0, len(text), 2)])


CRCS = [("537f0d00046e0080250000", 0x386E), ("53000900046100", 0x66C0)]
CHECKSUMS = ["537f0c00006e00802500000f", "5300080000610044"]

KEYS = {
    "ours": unhex("b0b1b2b3b4b5b6b7"),
    "theirs": unhex("a0a1a2a3a4a5a6a7"),
    "secret": unhex("bf8dc2a8329acb8c67c6d0cd9a451682"),
    "mac1": unhex("5e86c676603bdee2d8beafe178637332"),
    "mac2": unhex("6fda86e857777e81132035758239172e"),
    "reader's proof": unhex("fde5d2f428ec16312471ea3c02bd7796"),
    "panel's proof": unhex("26d3356e07762d262801fc8e6665a891"),
    "first MAC": unhex("b2a30057eb98ba2229ec1f875662b524"),
}

# (bytes, address, reply, sequence, code, security block, data)
PACKETS = [
    ("538008000540689f", 0, True, 1, 0x40, 0, ""),
    ("530008000660" + "89cc", 0, False, 2, 0x60, 0, ""),
    ("53000700026044", 0, False, 2, 0x60, 0, ""),
]

# (data of a card reply, bits)
CARDS = [("0500100012ab", "0001001010101011"), ("00011a00" + "8643839" + "40", "10000110010000111000001110")]
