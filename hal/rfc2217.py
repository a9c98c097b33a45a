"""The telnet side of a serial port behind RFC 2217, for a listener. MicroPython subset. Opens nothing.

Input is bytes from the box. Output is the bytes that the device sent, and the bytes to send to the box to set its port
up. These are telnet commands, which the box keeps for itself: no byte reaches the device. Sources: RFC 854
and 855 (telnet), 856 (binary), 858 (go-ahead), 2217 (port control). Must not know what the device means.
"""

SE, SB, WILL, WONT, DO, DONT, IAC = 240, 250, 251, 252, 253, 254, 255
BINARY, GO_AHEAD, COM_PORT = 0, 3, 44
SET_BAUD, SET_BITS, SET_PARITY, SET_STOP, SET_CONTROL = 1, 2, 3, 4, 5
FROM_BOX = 100  # added to the number of a command in the box's answer
PARITIES = {"N": 1, "O": 2, "E": 3, "M": 4, "S": 5}
NO_FLOW_CONTROL = 1
LONGEST = 64  # bytes of one subnegotiation believed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.hal.address import Address

_OURS = (BINARY, COM_PORT)  # options we do ourselves
_THEIRS = (BINARY, GO_AHEAD, COM_PORT)  # options we want of the box


class Session:
    """One connection. `ready` once the box has confirmed speed, bits, parity and stop bits; `trouble` says in a few
    words why it will not. Flow control is switched off too, but to that some boxes do not answer, or with a state of
    their own.

    Send `out`, and empty it, after making the session and after each `feed`.
    """

    def __init__(self, address: "Address") -> None:
        """address: what the port is to be set to."""
        self.ready = False
        self.trouble = ""
        self.out = bytearray()
        self._wanted = {
            SET_BAUD: address.baud,
            SET_BITS: address.bits,
            SET_PARITY: PARITIES[address.parity],
            SET_STOP: address.stop,
            SET_CONTROL: NO_FLOW_CONTROL,
        }
        self._open = {command: self._wanted[command] for command in self._wanted if command != SET_CONTROL}
        """Not confirmed yet."""
        self._asked: set[tuple[int, int]] = set()  # (WILL or DO, option) said by us and not answered
        self._on: set[tuple[int, int]] = set()  # (WILL or DO, option) in force
        self._state = 0
        self._verb = 0
        self._sub = bytearray()
        self._after_cr = False
        self._set_up = False
        for option in _OURS:
            self._say(WILL, option)
        for option in _THEIRS:
            self._say(DO, option)

    def feed(self, data: bytes) -> bytes:
        """What the device sent, of the bytes that came."""
        plain = bytearray()
        for byte in data:
            if self._state == 0:  # data
                if byte == IAC:
                    self._state = IAC
                elif byte or not self._after_cr:
                    plain.append(byte)
                    # Before the box sends in binary, a carriage return is CR NUL (RFC 854).
                    self._after_cr = byte == 13 and (DO, BINARY) not in self._on
                else:
                    self._after_cr = False
            elif self._state == IAC:
                self._state = 0
                if byte == IAC:
                    plain.append(IAC)
                    self._after_cr = False
                elif byte in (WILL, WONT, DO, DONT):
                    self._state, self._verb = WILL, byte
                elif byte == SB:
                    self._state = SB
                    self._sub = bytearray()
            elif self._state == WILL:
                self._state = 0
                self._option(self._verb, byte)
            elif self._state == SB:
                if byte == IAC:
                    self._state = SE
                elif len(self._sub) < LONGEST:
                    self._sub.append(byte)
            else:  # an IAC within a subnegotiation
                if byte == IAC:
                    self._sub.append(IAC)
                    self._state = SB
                else:
                    self._state = 0
                    if byte == SE:
                        self._subnegotiation(self._sub)
        return bytes(plain)

    def _say(self, verb: int, option: int) -> None:
        self._asked.add((verb, option))
        self.out += bytes((IAC, verb, option))

    def _option(self, verb: int, option: int) -> None:
        """The box says what it does or wants done. Answers only to a change, so that no two ends answer for ever."""
        ours = verb in (DO, DONT)
        side = (WILL if ours else DO, option)
        agreed = verb in (DO, WILL)
        answered = side in self._asked
        self._asked.discard(side)
        if agreed:
            wanted = option in (_OURS if ours else _THEIRS)
            if side not in self._on and not answered:
                self.out += bytes((IAC, (WILL if wanted else WONT) if ours else (DO if wanted else DONT), option))
            if wanted:
                self._on.add(side)
        else:
            if side in self._on:
                self._on.discard(side)
                self.out += bytes((IAC, WONT if ours else DONT, option))
            if option == COM_PORT and ours:
                self.trouble = "the box does not let its port be set (RFC 2217)"
        if (WILL, COM_PORT) in self._on and not self._set_up:
            self._set_up = True
            for command in sorted(self._wanted):
                value = self._wanted[command]
                body = value.to_bytes(4, "big") if command == SET_BAUD else bytes((value,))
                self.out += bytes((IAC, SB, COM_PORT, command)) + body.replace(b"\xff", b"\xff\xff") + bytes((IAC, SE))

    def _subnegotiation(self, sub: bytearray) -> None:
        command = sub[1] - FROM_BOX if len(sub) > 2 and sub[0] == COM_PORT else 0
        if command not in self._open:
            return
        got = int.from_bytes(bytes(sub[2:]), "big")
        wanted = self._open.pop(command)
        if got != wanted:
            self.trouble = "the box cannot be set to %s: it answered %s" % (_name(command, wanted), _name(command, got))
        self.ready = not self._open and not self.trouble


def _name(command: int, value: int) -> str:
    if command == SET_BAUD:
        return "%d baud" % value
    if command == SET_PARITY:
        for letter, number in PARITIES.items():
            if number == value:
                return "parity %s" % letter
        return "parity %d" % value
    return "%d %s bits" % (value, "data" if command == SET_BITS else "stop")
