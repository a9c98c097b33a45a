"""The floor's network on the board itself: more addresses for the loopback, and a name server for broker.floor.

Argument: the addresses, the first of them the name server's, the second the broker's.
"""

import fcntl
import socket
import struct
import sys

SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFFLAGS, UP = 0x8916, 0x891C, 0x8914, 1


def name_address(number, address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for request, value in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, "255.255.255.255")):
            sockaddr = struct.pack("@HH4s8x", socket.AF_INET, 0, socket.inet_aton(value))
            fcntl.ioctl(s, request, struct.pack("16s16s8x", b"lo:%d" % number, sockaddr))


def answer(query, address):
    """To a question for an IPv4 address: the broker's. To any other: that there is none."""
    end = query.index(b"\0", 12) + 1
    name, (kind,) = query[12:end], struct.unpack_from("!H", query, end)
    mine = name.lower() == b"\x06broker\x05floor\0"
    found = mine and kind == 1
    head = query[:2] + struct.pack("!HHHHH", 0x8580 | (0 if mine else 3), 1, int(found), 0, 0)
    record = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + socket.inet_aton(address) if found else b""
    return head + query[12 : end + 4] + record


for number, address in enumerate(sys.argv[1:], 1):
    name_address(number, address)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind((sys.argv[1], 53))
    with open("/run/names-ready", "w"):
        pass
    while True:
        query, who = server.recvfrom(512)
        server.sendto(answer(query, sys.argv[2]), who)
