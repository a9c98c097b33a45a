"""Wiegand card formats of 26, 34 and 37 bits. MicroPython subset. Must not know who holds a card.

The first bit makes the first half even, the last bit the second half odd; in 37 bits the halves share the middle bit.
Between them stand the facility number and the card number, most significant bit first: 8 + 16 bits in 26 (H10301),
16 + 16 in 34, 16 + 19 in 37 (H10304). H10302 is the other use of 37 bits, a card number of 35 bits and no facility; the
two look alike on the wire. Facts: HID's published descriptions of its open formats.
"""

LENGTHS = (26, 34, 37)
FACILITY_BITS = {26: 8, 34: 16, 37: 16}
CARD_BITS = {26: 16, 34: 16, 37: 19}
H10304, H10302 = "H10304", "H10302"
FORMATS_37 = (H10304, H10302)


class BadFrameError(Exception):
    """`reason` is "bad_length" or "bad_parity"."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def decode(bits: "list[int]") -> "tuple[int, int]":
    """(facility, card) of the bits of one swipe; 37 bits as H10304. Raises BadFrameError."""
    if len(bits) not in LENGTHS:
        raise BadFrameError("bad_length")
    half = (len(bits) + 1) // 2
    if sum(bits[:half]) % 2 != 0 or sum(bits[-half:]) % 2 != 1:
        raise BadFrameError("bad_parity")
    value = 0
    for bit in bits[1:-1]:
        value = value << 1 | bit
    card_bits = CARD_BITS[len(bits)]
    return value >> card_bits, value & (1 << card_bits) - 1


def credential(bits: "list[int]", format_37: str = H10304) -> str:
    """ "facility:card" in decimal, such as "12:34567"; of an H10302 card its number alone. Raises BadFrameError."""
    facility, card = decode(bits)
    if len(bits) == 37 and format_37 == H10302:
        return str(facility << CARD_BITS[37] | card)
    return f"{facility}:{card}"


def check_format_37(value: object) -> None:
    """Whether a setting names a format of 37 bits. Raises ValueError with one line that says what would be right."""
    if value not in FORMATS_37:
        raise ValueError(f"format_37: {value!r} is no format of 37 bits; {' or '.join(FORMATS_37)}")


def bits(facility: int, card: int, length: int) -> "list[int]":
    """The bits of one swipe of a simulated reader. Raises ValueError if a number does not fit the length."""
    fits = length in LENGTHS and 0 <= facility < 1 << FACILITY_BITS[length] and 0 <= card < 1 << CARD_BITS[length]
    if not fits:
        raise ValueError(f"{facility}:{card} does not fit {length} bits; lengths are 26, 34 and 37")
    data = [(facility << CARD_BITS[length] | card) >> shift & 1 for shift in range(length - 3, -1, -1)]
    half = (length + 1) // 2 - 1
    return [sum(data[:half]) % 2] + data + [1 - sum(data[-half:]) % 2]
