"""Run in the unit's place: tries what a table has no business with, and what it needs, and writes down what came of it.

Argument: the file for the answers, {act: "done" or the error's name}. Each act stands alone; none harms the board.
"""

import ctypes
import fcntl
import json
import os
import socket
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
EVIOCGRAB = 0x40044590
GPIO_GET_CHIPINFO = 0x8044B401
TIOCSTI = 0x5412
SCHED_FIFO = 1


def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def write(path):
    with open(path, "a") as file:
        file.write("x")


def read(path):
    with open(path) as file:
        file.read()


def add(path):
    """A file that was not there, and is not there afterwards."""
    with open(path, "x"):
        pass
    os.unlink(path)


def set_uid_bit(path):
    with open(path, "w"):
        pass
    os.chmod(path, 0o4755)


def attach(pid):
    call("ptrace", PTRACE_ATTACH, pid, 0, 0)
    os.waitpid(pid, 0)
    call("ptrace", PTRACE_DETACH, pid, 0, 0)


def writable_code():
    libc.mmap.restype = ctypes.c_void_p
    size, anonymous_private, all_rights = 4096, 0x22, 7
    at = libc.mmap(None, size, all_rights, anonymous_private, -1, 0)
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")


def open_device(path, flags=os.O_RDWR):
    os.close(os.open(path, flags | os.O_NOCTTY | os.O_NONBLOCK))


def board(name):
    """A device file of the board, where the unit shows it, or beside the unit in /dev."""
    return os.path.join(os.environ.get("BOARD_DEVICES", "/dev"), name)


def gpio_lines(path):
    with open(path, "rb+", buffering=0) as chip:
        info = bytearray(68)
        fcntl.ioctl(chip, GPIO_GET_CHIPINFO, info)
        assert struct.unpack_from("@I", info, 64)[0] > 0


def connect(address, port):
    with socket.create_connection((address, port), timeout=2):
        pass


def new_socket(family, kind):
    socket.socket(family, kind).close()


def set_clock():
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME))


def real_time():
    os.sched_setscheduler(0, SCHED_FIFO, os.sched_param(1))
    os.sched_setscheduler(0, 0, os.sched_param(0))


def found(folder, name):
    if name not in os.listdir(folder):
        raise FileNotFoundError(2, name)


def other():
    """The process of another table, which has the same user; a table cannot see it, so it is told."""
    with open("/etc/pitwatch/PROBE/other") as file:
        return int(file.read())


def see_others():
    if not os.path.exists("/proc/1/status"):
        raise FileNotFoundError(2, "/proc/1")


FORBIDDEN = {
    "write /usr": lambda: add("/usr/lib/probe"),
    "write /etc": lambda: add("/etc/probe"),
    "write its configuration": lambda: write("/etc/pitwatch/PROBE.toml"),
    "write its program": lambda: add("/opt/pitwatch/probe"),
    "write /run": lambda: add("/run/probe"),
    "write /var": lambda: add("/var/lib/probe"),
    "another table's journal": lambda: os.listdir("/var/lib/pitwatch/OTHER"),
    "another table's signing key": lambda: read("/var/lib/pitwatch/OTHER/pitwatch-OTHER.key"),
    "another table's TLS key": lambda: read("/etc/pitwatch/OTHER/client.key"),
    "another table's configuration": lambda: read("/etc/pitwatch/OTHER.toml"),
    "a key that lies in /etc/pitwatch": lambda: read("/etc/pitwatch/old.key"),
    "which tables there are": lambda: found("/etc/pitwatch", "OTHER.toml"),
    "another table's files by its process": lambda: read(f"/proc/{other()}/root/etc/pitwatch/OTHER/client.key"),
    "another table's memory": lambda: open_device(f"/proc/{other()}/mem", os.O_RDONLY),
    "ptrace another table": lambda: attach(other()),
    "write its own keys": lambda: add("/etc/pitwatch/PROBE/probe"),
    "read shadow": lambda: read("/etc/shadow"),
    "look into /var/log": lambda: os.listdir("/var/log/journal"),
    "look into /boot": lambda: os.listdir("/boot/grub"),
    "look into /home": lambda: os.listdir("/home/dealer"),
    "D-Bus": lambda: open_device("/run/dbus/system_bus_socket", os.O_RDONLY | os.O_PATH),
    "write /proc/sys": lambda: write("/proc/sys/kernel/domainname"),
    "write a control group": lambda: os.mkdir("/sys/fs/cgroup/probe") or os.rmdir("/sys/fs/cgroup/probe"),
    "see other processes": see_others,
    "signal the first process": lambda: os.kill(1, 0),
    "ptrace": lambda: attach(int(os.environ.get("PROBE_PID", os.getppid()))),
    "make a device node": lambda: os.mknod("/tmp/probe-node", 0o60600, os.makedev(98, 0)),
    "a set-user-id file": lambda: set_uid_bit("/tmp/probe-suid"),
    "a user namespace": lambda: call("unshare", CLONE_NEWUSER),
    "a mount": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "memory to write and run": writable_code,
    "set the clock": set_clock,
    "real-time priority": real_time,
    "set the host's name": lambda: call("sethostname", b"board", 5),
    "a netlink socket": lambda: new_socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "a packet socket": lambda: new_socket(socket.AF_PACKET, socket.SOCK_RAW),
    "a raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close(),
    "an address of the internet": lambda: connect("203.0.113.5", 8883),
    "the disk itself": lambda: open_device(board("ubda"), os.O_RDONLY),
    "the kernel's log": lambda: open_device(board("kmsg"), os.O_RDONLY),
    "make an input device": lambda: open_device(board("uinput"), os.O_WRONLY),
    "hardware in /dev": lambda: os.stat("/dev/ttyS0"),
    "put a file among the devices": lambda: add(board("probe")),
}
NEEDED = {
    "write its journal": lambda: add(os.environ.get("STATE_DIRECTORY", "/var/lib/pitwatch/PROBE") + "/x"),
    "write /tmp": lambda: add("/tmp/x"),
    "read its configuration": lambda: read("/etc/pitwatch/PROBE.toml"),
    "read its TLS key": lambda: read("/etc/pitwatch/PROBE/client.key"),
    "read a rule book of the house": lambda: read("/etc/pitwatch/books/house/book.toml"),
    "read what tables share": lambda: read("/etc/pitwatch/shared/ca.crt"),
    "a serial port": lambda: open_device(board("ttyS0")),
    "a pseudo terminal": lambda: os.close(os.openpty()[0]),
    "a GPIO chip": lambda: gpio_lines(board("gpiochip0")),
    "a reader that types": lambda: open_device(board("input/event0"), os.O_RDONLY),
    "the broker": lambda: connect("10.9.0.2", 8883),
    "the broker by name": lambda: connect("broker.floor", 8883),
}


def what_comes_of(act):
    """In a process of its own, so that no act changes what the next may do."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            act()
            said = "done"
        except OSError as refused:
            said = type(refused).__name__ + ": " + os.strerror(refused.errno or 0)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as answer:
        said = answer.read()
    os.wait()
    return said or "killed"


def main():
    answers = {name: what_comes_of(act) for name, act in (FORBIDDEN | NEEDED).items()}
    with open(sys.argv[1], "w") as out:
        json.dump(answers, out)


if __name__ == "__main__":
    main()
