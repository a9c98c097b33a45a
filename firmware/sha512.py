"""SHA-512 (FIPS 180-4) for MicroPython, whose hashlib ends with SHA-256. For short texts: it is slow."""

_MASK = 0xFFFFFFFFFFFFFFFF


def _primes(count):
    found = []
    number = 2
    while len(found) < count:
        if all([number % prime for prime in found]):
            found.append(number)
        number += 1
    return found


def _root(number, power):
    """First 64 bits of the fraction of the square or cube root, by Newton's method on whole numbers."""
    number <<= 64 * power
    guess = 1 << 72
    while True:
        better = ((power - 1) * guess + number // guess ** (power - 1)) // power
        if better >= guess:
            return guess & _MASK
        guess = better


def sha512(data):
    """The digest, 64 bytes."""
    constants = [_root(prime, 3) for prime in _primes(80)]
    state = [_root(prime, 2) for prime in _primes(8)]
    data = bytes(data) + b"\x80" + bytes(-(len(data) + 17) % 128) + (len(data) * 8).to_bytes(16, "big")
    for at in range(0, len(data), 128):
        words = [int.from_bytes(data[at + 8 * n : at + 8 * n + 8], "big") for n in range(16)]
        a, b, c, d, e, f, g, h = state
        for n in range(80):
            if n >= 16:
                one, two = words[1], words[14]
                one = _turn(one, 1) ^ _turn(one, 8) ^ one >> 7
                two = _turn(two, 19) ^ _turn(two, 61) ^ two >> 6
                words.append((words[0] + one + words[9] + two) & _MASK)
                words.pop(0)
            word = words[min(n, 15)]
            first = h + (_turn(e, 14) ^ _turn(e, 18) ^ _turn(e, 41)) + (e & f ^ ~e & _MASK & g) + constants[n] + word
            second = (_turn(a, 28) ^ _turn(a, 34) ^ _turn(a, 39)) + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = (first + second) & _MASK, a, b, c, (d + first) & _MASK, e, f, g
        state = [(old + new) & _MASK for old, new in zip(state, (a, b, c, d, e, f, g, h))]  # noqa: B905
    return b"".join([word.to_bytes(8, "big") for word in state])


def _turn(word, by):
    return (word >> by | word << 64 - by) & _MASK
