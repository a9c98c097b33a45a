"""Asks a PKCS#11 token for a public Ed25519 key or a signature. Run as a program of its own, for one question.

The token's library is somebody else's code: it may hang or crash, and keeps threads and memory. So no daemon loads it.
Reads one JSON object from standard input, the data from the descriptor in it, and writes one line of JSON. Standard
library only; names and numbers are those of PKCS#11 3.0.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable
from typing import Any

ULONG = ctypes.c_ulong

FUNCTIONS = {
    "C_Initialize": 0,
    "C_GetSlotList": 4,
    "C_GetTokenInfo": 6,
    "C_OpenSession": 12,
    "C_Login": 18,
    "C_GetAttributeValue": 24,
    "C_FindObjectsInit": 26,
    "C_FindObjects": 27,
    "C_FindObjectsFinal": 28,
    "C_SignInit": 42,
    "C_Sign": 43,
}
"""Their places in CK_FUNCTION_LIST."""

PUBLIC_KEY, PRIVATE_KEY = 2, 3
CLASS, LABEL, KEY_TYPE, ID, EC_POINT = 0x000, 0x003, 0x100, 0x102, 0x181
EC_EDWARDS = 0x40
EDDSA = 0x1057
SERIAL_SESSION = 0x04
USER = 1
LOGIN_REQUIRED, FINAL_TRY, LOCKED = 0x04, 0x20000, 0x40000
MOST_SLOTS, MOST_FOUND = 256, 2
BUFFER = 256

SAID = {
    0x21: "it does not sign data of this length",
    0x30: "device error",
    0x31: "device memory is full",
    0x32: "the token was removed",
    0x70: "it does not know EDDSA",
    0x63: "the key is not of a type for EDDSA",
    0x68: "the key may not sign",
    0xA1: "the PIN has characters that it does not accept",
    0xA2: "the PIN has a length that it does not accept",
    0xA3: "the PIN has expired",
    0xE0: "the token was removed",
    0xE1: "the token is not recognized",
    0x101: "the user is not logged in",
    0x102: "the user's PIN was never set",
}
PIN_INCORRECT, PIN_LOCKED, ALREADY_LOGGED_IN = 0xA0, 0xA4, 0x100


class TokenInfo(ctypes.Structure):
    _fields_ = [
        ("label", ctypes.c_char * 32),
        ("manufacturer", ctypes.c_char * 32),
        ("model", ctypes.c_char * 16),
        ("serial", ctypes.c_char * 16),
        ("flags", ULONG),
        ("counts", ULONG * 10),
        ("versions", ctypes.c_ubyte * 4),
        ("time", ctypes.c_char * 16),
    ]


class Attribute(ctypes.Structure):
    _fields_ = [("type", ULONG), ("value", ctypes.c_void_p), ("length", ULONG)]


class Mechanism(ctypes.Structure):
    _fields_ = [("type", ULONG), ("parameter", ctypes.c_void_p), ("length", ULONG)]


class FaultError(Exception):
    """`kind` "pin": the token refused the PIN, and counts how often."""

    def __init__(self, text: str, kind: str = ""):
        super().__init__(text)
        self.kind = kind


class Module:
    """A loaded PKCS#11 library. Each method raises FaultError."""

    def __init__(self, path: str):
        try:
            library = ctypes.CDLL(path)
            get: Callable[..., int] = library.C_GetFunctionList
        except (OSError, AttributeError) as error:
            missing = not os.path.exists(path)
            why = "no such file" if missing else f"is no PKCS#11 library: {error}"
            raise FaultError(f"module {path}: {why}") from None
        listed = ctypes.c_void_p()
        if get(ctypes.byref(listed)) or not listed.value:
            raise FaultError(f"module {path}: does not give its functions")
        # The version's two bytes stand before the pointers, and are filled up to the size of one.
        self._table = (ctypes.c_void_p * 68).from_address(listed.value + ctypes.sizeof(ctypes.c_void_p))
        self.path = path
        self.call("C_Initialize", None)

    def code(self, name: str, *arguments: Any) -> int:
        pointer = self._table[FUNCTIONS[name]]
        if not pointer:
            raise FaultError(f"module {self.path}: has no {name}")
        return int(ctypes.CFUNCTYPE(ULONG)(pointer)(*arguments))

    def call(self, name: str, *arguments: Any) -> None:
        if code := self.code(name, *arguments):
            raise FaultError(f"{SAID.get(code, f'error 0x{code:x}')} ({name})")

    def slot(self, asked: dict[str, str]) -> tuple[int, TokenInfo]:
        """The slot of the token that is asked for."""
        slots, count = (ULONG * MOST_SLOTS)(), ULONG(MOST_SLOTS)
        self.call("C_GetSlotList", ctypes.c_ubyte(1), slots, ctypes.byref(count))
        fitting, others = [], []
        for number in slots[: count.value]:
            info = TokenInfo()
            if self.code("C_GetTokenInfo", ULONG(number), ctypes.byref(info)):
                continue  # removed at this moment
            label, serial = (each.decode(errors="replace").rstrip(" ") for each in (info.label, info.serial))
            if asked["token"] in ("", label) and asked["serial"] in ("", serial):
                fitting.append((number, info))
            elif label:
                others.append(label)
        if not fitting:
            there = f"there is {', '.join(sorted(others)[:5])}" if others else "there is no other"
            raise FaultError(f"no such token is plugged in; {there}")
        if len(fitting) > 1:
            raise FaultError("several tokens have this label; name one by serial=")
        return fitting[0]

    def find(self, session: ULONG, class_: int, asked: dict[str, str]) -> list[int]:
        """The objects of a class that are asked for, at most two."""
        kind = ULONG(class_)
        wanted = [(CLASS, ctypes.cast(ctypes.byref(kind), ctypes.c_void_p), ctypes.sizeof(kind))]
        held = []
        for type_, value in ((LABEL, asked["object"].encode()), (ID, bytes.fromhex(asked["id"]))):
            if value:
                held.append(ctypes.create_string_buffer(value, len(value)))
                wanted.append((type_, ctypes.cast(held[-1], ctypes.c_void_p), len(value)))
        template = (Attribute * len(wanted))(*(Attribute(*each) for each in wanted))
        found, count = (ULONG * MOST_FOUND)(), ULONG()
        self.call("C_FindObjectsInit", session, template, ULONG(len(wanted)))
        self.call("C_FindObjects", session, found, ULONG(MOST_FOUND), ctypes.byref(count))
        self.call("C_FindObjectsFinal", session)
        return list(found[: count.value])

    def attribute(self, session: ULONG, thing: int, type_: int) -> bytes:
        room = ctypes.create_string_buffer(BUFFER)
        asked = Attribute(type_, ctypes.cast(room, ctypes.c_void_p), BUFFER)
        self.call("C_GetAttributeValue", session, ULONG(thing), ctypes.byref(asked), ULONG(1))
        return room.raw[: asked.length]


def log_in(module: Module, session: ULONG, info: TokenInfo, pin: str | None) -> None:
    """Raises FaultError. The last try before the token locks itself is left to a person."""
    if pin is None:
        if info.flags & LOGIN_REQUIRED:
            raise FaultError("the token wants a PIN; name its file by pin-source=file:/PIN.FILE")
        return
    if info.flags & LOCKED:
        raise FaultError("the token is locked after too many wrong PINs; its security officer unlocks it")
    if info.flags & FINAL_TRY:
        raise FaultError("one more wrong PIN locks the token; log in with the right one: pkcs11-tool --login --test")
    raw = pin.encode()
    code = module.code("C_Login", session, ULONG(USER), raw, ULONG(len(raw)))
    if code == PIN_INCORRECT:
        raise FaultError("the PIN is wrong", "pin")
    if code == PIN_LOCKED:
        raise FaultError("the token is locked after too many wrong PINs; its security officer unlocks it", "pin")
    if code not in (0, ALREADY_LOGGED_IN):
        raise FaultError(SAID.get(code, f"error 0x{code:x} (C_Login)"), "pin" if code in (0xA1, 0xA2, 0xA3) else "")


def public_key(module: Module, session: ULONG, asked: dict[str, str]) -> bytes:
    """The 32 bytes of an Ed25519 key."""
    found = module.find(session, PUBLIC_KEY, asked)
    if not found:
        raise FaultError("no such public key in the token; make the key anew, or store its public half beside it")
    if len(found) > 1:
        raise FaultError("several keys in the token have this name; name one by id=")
    kind = int.from_bytes(module.attribute(session, found[0], KEY_TYPE), sys.byteorder)
    point = module.attribute(session, found[0], EC_POINT) if kind == EC_EDWARDS else b""
    if len(point) == 34 and point.startswith(b"\x04\x20"):  # in an OCTET STRING, as 2.40 has it
        point = point[2:]
    if len(point) != 32:
        raise FaultError("the key is not Ed25519; make another: pkcs11-tool --keypairgen --key-type EC:edwards25519")
    return point


def signature(module: Module, session: ULONG, asked: dict[str, str], data: bytes) -> bytes:
    found = module.find(session, PRIVATE_KEY, asked)
    if not found:
        raise FaultError("no such key in the token")
    if len(found) > 1:
        raise FaultError("several keys in the token have this name; name one by id=")
    how = Mechanism(EDDSA, None, 0)
    made, length = ctypes.create_string_buffer(BUFFER), ULONG(BUFFER)
    module.call("C_SignInit", session, ctypes.byref(how), ULONG(found[0]))
    module.call("C_Sign", session, data, ULONG(len(data)), made, ctypes.byref(length))
    return made.raw[: length.value]


def answer(asked: dict[str, Any], data: bytes) -> dict[str, str]:
    """The public key and the signature of the data, in hex. Raises FaultError."""
    module = Module(asked["module"])
    slot, info = module.slot(asked)
    session = ULONG()
    module.call("C_OpenSession", ULONG(slot), ULONG(SERIAL_SESSION), None, None, ctypes.byref(session))
    log_in(module, session, info, asked["pin"])
    signed = signature(module, session, asked, data) if asked["sign"] else b""
    public = b"" if asked["sign"] else public_key(module, session, asked)
    return {"public": public.hex(), "signature": signed.hex()}


def main() -> None:
    asked = json.loads(sys.stdin.buffer.read())
    # What the library prints must not stand between the lines of the answer.
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        with open(asked["data"], "rb") as file:
            said = answer(asked, file.read())
    except FaultError as error:
        said = {"fault": str(error), "kind": error.kind}
    os.write(out, json.dumps(said).encode())
    os._exit(0)  # the library's own end may hang when the token is gone


if __name__ == "__main__":
    main()
