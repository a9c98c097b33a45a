"""Inputs that are nearly right: seeds with bits flipped, pieces cut, doubled, moved, mixed and cut short. Seeded."""

from __future__ import annotations

from random import Random

WORDS = (
    b"\x00", b"\xff", b"\x02", b"\x03", b"\x53", b"\r\n", b"\n", b"0", b"-1", b"9" * 20, b"null", b"[", b"{", b'"',
    b"\xc3", b"\\u0000", b"1e999",
)  # fmt: skip
LONGEST = 600


def mutated(chance: Random, seeds: list[bytes]) -> bytes:
    """One input."""
    data = bytearray(chance.choice(seeds))
    for _ in range(1 << chance.randrange(4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + 1 + chance.randrange(16))
        match chance.randrange(8):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(data):
                data[at] = chance.randrange(256)
            case 2:
                del data[at:end]
            case 3:
                data[at:at] = data[at:end] * chance.randrange(1, 4)
            case 4:
                data[at:end] = chance.choice(WORDS)
            case 5:
                other = chance.choice(seeds)
                begin = chance.randrange(len(other) + 1)
                data[at:at] = other[begin : begin + 40]
            case 6:
                del data[at:]
            case _:
                data[at:at] = chance.randbytes(1 + chance.randrange(8))
    return bytes(data[: max(LONGEST, len(seeds[0]))])
