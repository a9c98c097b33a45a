"""Hardware errors, each with the place and the fix. MicroPython subset."""


class HalError(Exception):
    """`where` names the port, chip or line; `what` says what is wrong; `fix` says what would be right."""

    def __init__(self, where: str, what: str, fix: str = "") -> None:
        super().__init__("%s: %s%s" % (where, what, "; " + fix if fix else ""))
        self.where = where
        self.what = what
        self.fix = fix


class Missing(HalError):  # noqa: N818
    """No such port, chip or line, or it was taken away."""


class Busy(HalError):  # noqa: N818
    """Somebody else holds it."""


class Forbidden(HalError):  # noqa: N818
    """The process may not open it."""


class Unusable(HalError):  # noqa: N818
    """It is there but cannot do what was asked (an option the hardware lacks, a library not installed)."""
