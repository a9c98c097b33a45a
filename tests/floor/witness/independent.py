"""A log, a verifier of cosignatures and a witness over HTTP, written from C2SP's specifications alone: signed-note,
tlog-checkpoint, tlog-cosignature, tlog-witness, and RFC 6962 for trees. Imports nothing of this project."""

from __future__ import annotations

import base64
import struct
import threading
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def key_id(name: str, kind: int, public: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def vkey(name: str, kind: int, public: bytes) -> str:
    return f"{name}+{key_id(name, kind, public).hex()}+{b64(bytes([kind]) + public)}"


# -- RFC 6962, section 2.1, as its recursive definitions read


def mth(leaves: list[bytes]) -> bytes:
    """`leaves` are hashes of leaves."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return sha256(b"\1" + mth(leaves[:k]) + mth(leaves[k:])).digest()


def split(n: int) -> int:
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def proof(m: int, leaves: list[bytes]) -> list[bytes]:
    return [] if m in (0, len(leaves)) else subproof(m, leaves, True)


def subproof(m: int, leaves: list[bytes], whole: bool) -> list[bytes]:
    n = len(leaves)
    if m == n:
        return [] if whole else [mth(leaves)]
    k = split(n)
    if m <= k:
        return [*subproof(m, leaves[:k], whole), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), mth(leaves[:k])]


def consistent(m: int, old: bytes, n: int, new: bytes, path: list[bytes]) -> bool:
    """By rebuilding both roots from the proof, the way it was made."""
    if m > n:
        return False
    if m == n:
        return old == new and not path
    if m == 0:
        return not path
    rest = list(path)

    def rebuild(m: int, n: int, whole: bool) -> tuple[bytes, bytes]:
        if m == n:
            one = old if whole else rest.pop(0)
            return one, one
        k = split(n)
        if m <= k:
            left_old, left_new = rebuild(m, k, whole)
            return left_old, sha256(b"\1" + left_new + rest.pop(0)).digest()
        right_old, right_new = rebuild(m - k, n - k, False)
        left = rest.pop(0)
        return sha256(b"\1" + left + right_old).digest(), sha256(b"\1" + left + right_new).digest()

    try:
        return rebuild(m, n, True) == (old, new) and not rest
    except IndexError:
        return False


class Log:
    """A log that signs its heads. `seed` of its key."""

    def __init__(self, origin: str, seed: int = 1):
        self.origin = origin
        self.secret = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.public = self.secret.public_key().public_bytes_raw()
        self.leaves: list[bytes] = []

    @property
    def vkey(self) -> str:
        return vkey(self.origin, 1, self.public)

    def grow(self, count: int, what: str = "record") -> Log:
        for _ in range(count):
            self.leaves.append(sha256(b"\0" + f"{what} {len(self.leaves)}".encode()).digest())
        return self

    def note(self, size: int | None = None) -> str:
        leaves = self.leaves[:size]
        text = f"{self.origin}\n{len(leaves)}\n{b64(mth(leaves))}\n"
        signature = key_id(self.origin, 1, self.public) + self.secret.sign(text.encode())
        return f"{text}\n— {self.origin} {b64(signature)}\n"

    def request(self, old: int, size: int | None = None) -> bytes:
        lines = [f"old {old}", *map(b64, proof(old, self.leaves[:size])), "", self.note(size)]
        return "\n".join(lines).encode()


def cosigned_at(note: str, name: str, public: bytes) -> int | None:
    """When a witness cosigned a note; None if it did not."""
    text, _, below = note.rpartition("\n\n")
    text += "\n"
    for line in below.splitlines():
        dash, who, encoded = line.split(" ")
        raw = base64.b64decode(encoded)
        if dash != "—" or who != name or raw[:4] != key_id(name, 4, public) or len(raw) != 4 + 8 + 64:
            continue
        (at,) = struct.unpack(">Q", raw[4:12])
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(raw[12:], f"cosignature/v1\ntime {at}\n{text}".encode())
        except InvalidSignature:
            continue
        return int(at)
    return None


class Witness:
    """Another witness, over HTTP on a free port of this machine. `answer` may be replaced by a hostile one."""

    def __init__(self, name: str, logs: dict[str, list[bytes]]):
        self.name = name
        self.secret = Ed25519PrivateKey.from_private_bytes(bytes([77]) * 32)
        self.public = self.secret.public_key().public_bytes_raw()
        self.logs = logs
        self.heads: dict[str, tuple[int, bytes]] = {}
        self.requests: list[bytes] = []
        witness = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                witness.requests.append(body)
                status, kind, answer = (
                    (404, "text/plain", b"") if self.path != "/w/add-checkpoint" else witness.answer(body)
                )
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/w"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def vkey(self) -> str:
        return vkey(self.name, 4, self.public)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, body: bytes) -> tuple[int, str, bytes]:
        head, _, note = body.decode().partition("\n\n")
        first, *lines = head.split("\n")
        old, path = int(first.removeprefix("old ")), [base64.b64decode(line) for line in lines]
        text, _, below = note.rpartition("\n\n")
        text += "\n"
        origin, size_line, root_line = text.splitlines()[:3]
        size, root = int(size_line), base64.b64decode(root_line)
        if origin not in self.logs:
            return 404, "text/plain", b""
        if not any(self._signed(text, below, origin, public) for public in self.logs[origin]):
            return 403, "text/plain", b""
        if old > size:
            return 400, "text/plain", b""
        known, known_root = self.heads.get(origin, (0, sha256(b"").digest()))
        if old != known or (known == size and root != known_root):
            return 409, "text/x.tlog.size", f"{known}\n".encode()
        if not consistent(known, known_root, size, root, path):
            return 422, "text/plain", b""
        self.heads[origin] = (size, root)
        at = int(time.time())
        signature = self.secret.sign(f"cosignature/v1\ntime {at}\n{text}".encode())
        raw = key_id(self.name, 4, self.public) + struct.pack(">Q", at) + signature
        return 200, "text/plain", f"— {self.name} {b64(raw)}\n".encode()

    @staticmethod
    def _signed(text: str, below: str, origin: str, public: bytes) -> bool:
        for line in below.splitlines():
            _, who, encoded = line.split(" ")
            raw = base64.b64decode(encoded)
            if who != origin or raw[:4] != key_id(origin, 1, public):
                continue
            try:
                Ed25519PublicKey.from_public_bytes(public).verify(raw[4:], text.encode())
            except InvalidSignature:
                continue
            return True
        return False
