"""Card readers that send one line of text a card. MicroPython subset.

A code table maps a line's text to a card, to None for "a card that I could not read", or to CUT. Sources: "barcode4" is
the code of a public bar-code card project; "plain" is the notation of this project. Must not know where a card goes.
"""

from pitwatch.devices.protocols.line_framer import fitting_lines
from pitwatch.devices.vocabulary import RANKS, SUITS, is_card

SHAPE = {"card_lines": "fits"}

CUT = "cut"
UNREADABLE = "??"


def barcode4() -> "dict[str, str | None]":
    """Suit 1 spade, 2 heart, 3 club, 4 diamond; rank 01 to 13; 0: "3130" is the king of clubs."""
    codes: dict[str, str | None] = {}
    for suit, letter in enumerate("SHCD"):
        for rank, name in enumerate(RANKS):
            codes[f"{suit + 1}{rank + 1:02d}0"] = name + letter
    return codes


def plain() -> "dict[str, str | None]":
    """Cards as this project writes them, "JK", "??" for a card not read, "CUT" for the cut card."""
    codes: dict[str, str | None] = {rank + suit: rank + suit for rank in RANKS for suit in SUITS}
    codes["JK"] = "JK"
    codes[UNREADABLE] = None
    codes["CUT"] = CUT
    return codes


def table(codes: object) -> "dict[str, str | None]":
    """The code table a setting names or spells out. Raises ValueError with one line that says what would be right."""
    if codes is None or codes == "plain":
        return plain()
    if codes == "barcode4":
        return barcode4()
    if not isinstance(codes, dict):
        raise ValueError(f"codes: {codes!r} is no code table; 'plain', 'barcode4' or a table of code = card")
    spelt: dict[str, str | None] = {}
    for code, card in codes.items():
        if not (is_card(card) or card in (CUT, UNREADABLE)):
            raise ValueError(f"codes.{code}: {card!r} is no card; such as 'TD', 'JK', '??' (unreadable) or 'cut'")
        spelt[code] = None if card == UNREADABLE else card
    return spelt


def code_of(codes: "dict[str, str | None]", card: "str | None") -> str:
    """The code that stands for a card, for a simulated reader. Raises KeyError if the table has none."""
    for code, known in codes.items():
        if known == card:
            return code
    raise KeyError(card)


def line(code: str, channel: str = "", removed: bool = False) -> bytes:
    """The bytes of one card from a simulated reader; with a channel, from a reader of several positions."""
    text = f"{'-' if removed else ''}{channel} {code}" if channel else code
    return (text + "\r\n").encode()


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    codes = plain()
    codes.update(barcode4())
    return fitting_lines(data, lambda text: len(text) <= 16 and text.strip().split(" ")[-1] in codes)
