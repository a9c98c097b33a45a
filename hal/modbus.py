"""Modbus TCP as far as digital inputs are read: function 2 and nothing else. MicroPython subset. Opens nothing.

There is no function here that writes, so nothing above can switch an output of a module. General knowledge of the
trade (MODBUS Application Protocol, MODBUS Messaging on TCP/IP).
"""

READ_INPUTS = 2
MOST_INPUTS = 2000  # of one question
HEADER = 6  # bytes before the unit: transaction, protocol 0, length

EXCEPTIONS = {
    1: "function 2 is not known there",
    2: "it has no such inputs",
    3: "it refuses so many inputs",
    4: "it failed",
    6: "it is busy",
    10: "the gateway has no way to this unit",
    11: "the unit behind the gateway does not answer",
}


class Refused(Exception):  # noqa: N818
    """The module answers with an exception; `code` is its number."""

    def __init__(self, code: int) -> None:
        super().__init__(EXCEPTIONS.get(code, "exception %d" % code))
        self.code = code


class Garbled(Exception):  # noqa: N818
    """What came is no answer to the question."""


def request(transaction: int, unit: int, first: int, count: int) -> bytes:
    """The question for `count` inputs from address `first` on."""
    body = bytes((unit, READ_INPUTS, first >> 8, first & 255, count >> 8, count & 255))
    return bytes((transaction >> 8, transaction & 255, 0, 0, 0, len(body))) + body


def length(header: bytes) -> int:
    """Bytes that follow the first six of an answer. Raises Garbled."""
    follows = header[4] << 8 | header[5]
    if header[2] or header[3] or not 3 <= follows <= 256:
        raise Garbled("no Modbus TCP")
    return follows


def levels(transaction: int, unit: int, count: int, answer: bytes) -> "list[int] | None":
    """The levels that a whole answer tells, one for each input; None if it answers an older question. Raises Refused,
    Garbled."""
    if answer[0] << 8 | answer[1] != transaction:
        return None
    if answer[6] != unit:
        raise Garbled("unit %d answers in place of %d" % (answer[6], unit))
    if answer[7] == READ_INPUTS | 0x80:
        raise Refused(answer[8])
    wanted = (count + 7) // 8
    if answer[7] != READ_INPUTS or answer[8] != wanted or len(answer) != HEADER + 3 + wanted:
        raise Garbled("no answer of %d inputs" % count)
    return [answer[9 + place // 8] >> place % 8 & 1 for place in range(count)]
