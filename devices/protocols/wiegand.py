"""Wiegand card formats of 26 and 34 bits. MicroPython subset. Must not know who holds a card.

The first bit makes the first half even, the last bit the second half odd. Between them stand the facility number (8 or
16 bits) and the card number (16 bits), most significant bit first.
"""

FACILITY_BITS = {26: 8, 34: 16}
CARD_BITS = 16


class BadFrameError(Exception):
    """`reason` is "bad_length" or "bad_parity"."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def decode(bits: "list[int]") -> "tuple[int, int]":
    """(facility, card) of the bits of one swipe. Raises BadFrameError."""
    if len(bits) not in FACILITY_BITS:
        raise BadFrameError("bad_length")
    half = len(bits) // 2
    if sum(bits[:half]) % 2 != 0 or sum(bits[half:]) % 2 != 1:
        raise BadFrameError("bad_parity")
    value = 0
    for bit in bits[1:-1]:
        value = value << 1 | bit
    return value >> CARD_BITS, value & 0xFFFF


def bits(facility: int, card: int, length: int) -> "list[int]":
    """The bits of one swipe of a simulated reader. Raises ValueError if a number does not fit the length."""
    if length not in FACILITY_BITS or not 0 <= facility < 1 << FACILITY_BITS[length] or not 0 <= card < 1 << CARD_BITS:
        raise ValueError(f"{facility}:{card} does not fit {length} bits; lengths are 26 and 34")
    data = [(facility << CARD_BITS | card) >> shift & 1 for shift in range(length - 3, -1, -1)]
    half = len(data) // 2
    return [sum(data[:half]) % 2] + data + [1 - sum(data[half:]) % 2]
