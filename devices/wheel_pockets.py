"""The order of the pockets on a roulette rotor. MicroPython subset. Must not know how a pocket is found.

Both orders are common knowledge of the trade; checked against wizardofodds.com/games/roulette/number-sequence and
predictem.com/roulette/the-roulette-wheel. They are as seen from above, going clockwise.
"""

DOUBLE_ZERO = (
    "0", "28", "9", "26", "30", "11", "7", "20", "32", "17", "5", "22", "34", "15", "3", "24", "36", "13", "1",
    "00", "27", "10", "25", "29", "12", "8", "19", "31", "18", "6", "21", "33", "16", "4", "23", "35", "14", "2",
)  # fmt: skip
SINGLE_ZERO = (
    "0", "32", "15", "19", "4", "21", "2", "25", "17", "34", "6", "27", "13", "36", "11", "30", "8", "23", "10",
    "5", "24", "16", "33", "1", "20", "14", "31", "9", "22", "18", "29", "7", "28", "12", "35", "3", "26",
)  # fmt: skip
ORDERS = {"double-zero": DOUBLE_ZERO, "single-zero": SINGLE_ZERO}


def order_of(wheel: str) -> "tuple[str, ...]":
    """The pockets of a kind of wheel, clockwise from "0". Raises ValueError for a kind there is none of."""
    if wheel not in ORDERS:
        raise ValueError("wheel: %r is not a wheel; 'double-zero' or 'single-zero'" % (wheel,))
    return ORDERS[wheel]


def pocket_at(order: "tuple[str, ...]", at_index: str, turned: float, direction: str) -> str:
    """The pocket under a fixed reader.

    at_index: the pocket there when the rotor's index mark is at its sensor; turned: parts of a revolution since then;
    direction: of the rotor, "cw" or "ccw". A rotor that turns clockwise brings the pockets past in the reverse order.
    """
    steps = round(turned * len(order))
    if direction == "cw":
        steps = -steps
    return order[(order.index(at_index) + steps) % len(order)]
