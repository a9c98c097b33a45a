"""Lists within lists made one: how the vectors are put together. Also runs on MicroPython, which has no `[*a, b]`."""


def flat(parts):
    out = []
    for part in parts:
        if isinstance(part, list):
            out += flat(part)
        else:
            out.append(part)
    return out
