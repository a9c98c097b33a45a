"""CRC-16/CCITT-FALSE, also listed as CRC-16/IBM-3740: polynomial 0x1021, initial value 0xFFFF, nothing reflected.

MicroPython subset. Its published check value, over the nine bytes "123456789", is 0x29B1. From the initial value 0x1D0F
it is CRC-16/SPI-FUJITSU, whose check value is 0xE5CC.
"""

from array import array


def _table() -> "array[int]":
    entries = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
        entries.append(crc & 0xFFFF)
    return array("H", entries)


_TABLE = _table()


def crc16(data: "bytes | bytearray", crc: int = 0xFFFF) -> int:
    """The check value of the bytes, 0 to 0xFFFF; `crc` is the initial value."""
    table = _TABLE
    for byte in data:
        crc = ((crc & 0xFF) << 8) ^ table[(crc >> 8) ^ byte]
    return crc
