"""Takes a firmware image that comes over the wire: pieces to a file, then verified, then unpacked beside the firmware
that runs. MicroPython only; imported when an image comes.

The file and its size are all that is kept, so that after a power cut the next piece is where the file ends. An image is
started only if its signature is of the key in `node.pub`, which was copied to the node by hand.
Image: docs/hardware.md, "Firmware over the wire".
"""

import hashlib
import os

from pitwatch.devices.protocols import node_bodies
from pitwatch.firmware import slots
from pitwatch.firmware.ed25519 import verifies

PART, WANTED = "image", "image.sha"
MOST = 262144  # bytes of an image
SIGNATURE = 64
MAGIC = b"pitwatch-node-image-v1"
ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789_./"


class RefusedError(Exception):
    pass


class Updating:
    """`begin`, `piece` and `end` return the body of the answer. `taken`: start again now."""

    def __init__(self, feed):
        """`feed` keeps the watchdog quiet while something takes long."""
        self.taken = False
        self._feed = feed
        self._size = -1
        self._older = False

    def begin(self, body):
        asked = node_bodies.read_begin(body)
        if asked is None:
            return self._refuse("no such frame")
        size, digest, older = asked
        if not slots.read("node.pub"):
            return self._refuse("the node has no key: node.pub must be copied to it once")
        if slots.read("trial"):
            return self._refuse("the firmware that came last has still to prove itself: start the table")
        if not SIGNATURE < size <= MOST:
            return self._refuse("an image of %d bytes cannot be" % size)
        wanted = "".join(["%02x" % byte for byte in digest])
        if slots.read(WANTED) != wanted or _length() > size:
            slots.remove(PART)
            slots.write(WANTED, wanted)
        self._size, self._older = size, older
        return self._got()

    def piece(self, body):
        sent = node_bodies.read_piece(body)
        if self._size < 0 or sent is None:
            return node_bodies.got_body(0, node_bodies.NOT_BEGUN, "")
        offset, data = sent
        if offset == _length() and offset + len(data) <= self._size:
            with open(PART, "ab") as file:
                file.write(data)
        return self._got()

    def end(self):
        if self._size < 0:
            return node_bodies.got_body(0, node_bodies.NOT_BEGUN, "")
        if _length() != self._size:
            return self._got()
        try:
            self._verify()
            slot = slots.spare()
            clear(slot)
            self._unpack(slot)
            self._feed()
            slots.write("trial", slot)
        except RefusedError as refused:
            slots.remove(PART)
            return self._refuse(str(refused))
        slots.remove(PART)
        slots.remove(WANTED)
        self.taken = True
        return node_bodies.got_body(self._size, node_bodies.TAKEN, "")

    def _got(self):
        return node_bodies.got_body(_length(), node_bodies.TAKING, "")

    def _refuse(self, reason):
        self._size = -1
        return node_bodies.got_body(0, node_bodies.REFUSED, reason)

    def _verify(self):
        """Raises RefusedError."""
        left, whole, signed = self._size - SIGNATURE, hashlib.sha256(), hashlib.sha256()
        with open(PART, "rb") as file:
            while left:
                data = file.read(min(left, 512))
                left -= len(data)
                self._feed()
                whole.update(data)
                signed.update(data)
            signature = file.read(SIGNATURE)
        whole.update(signature)
        if slots.read(WANTED) != _hex(whole.digest()):
            raise RefusedError("the image is damaged; send it again")
        try:
            key = bytes([int(slots.read("node.pub")[at : at + 2], 16) for at in range(0, 64, 2)])
        except ValueError:
            raise RefusedError("node.pub holds no key of 64 hexadecimal digits") from None
        self._feed()
        if not verifies(key, MAGIC + b" " + _hex(signed.digest()).encode() + b"\n", signature):
            raise RefusedError("the image is not signed with the house's key")

    def _unpack(self, slot):
        """Raises RefusedError. What is signed is trusted, but for its build."""
        with open(PART, "rb") as file:
            words = file.readline().split()
            if len(words) != 3 or words[0] != MAGIC:
                raise RefusedError("it is no image of this form")
            build, running = int(words[1]), slots.build(slots.running())
            if build < running and not self._older:
                raise RefusedError("it is of build %d, older than build %d of the node" % (build, running))
            for _ in range(int(words[2])):
                self._feed()
                name, size = file.readline().split()
                _unpack_one(file, slot, str(name, "ascii"), int(size))
        slots.write(slot + "/build", str(build))


def clear(path):
    """Remove a folder with all that is in it, or a file."""
    try:
        for entry in os.listdir(path):
            clear(path + "/" + entry)
        os.rmdir(path)
    except OSError:
        slots.remove(path)


def _unpack_one(file, slot, name, size):
    if not name.startswith("pitwatch/") or ".." in name or any([c not in ALLOWED for c in name]):
        raise RefusedError("it has a file named " + name)
    at = slot
    for level in name.split("/"):
        if not _is_there(at):
            os.mkdir(at)
        at += "/" + level
    with open(at, "wb") as out:
        while size:
            data = file.read(min(size, 512))
            if not data:
                raise RefusedError("it ends within " + name)
            out.write(data)
            size -= len(data)


def _length():
    return os.stat(PART)[6] if _is_there(PART) else 0


def _is_there(path):
    try:
        return bool(os.stat(path))
    except OSError:
        return False


def _hex(data):
    return "".join(["%02x" % byte for byte in data])
