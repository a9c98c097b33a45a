"""A bar-code reader that types, made by the kernel's uinput: it types each line of the pipe /run/scan."""

import fcntl
import os
import struct
import time

from pitwatch.hal.hid_keys import EVENT, strokes

# linux/uinput.h
UI_DEV_CREATE, UI_DEV_SETUP, UI_SET_EVBIT, UI_SET_KEYBIT = 0x5501, 0x405C5503, 0x40045564, 0x40045565
EV_KEY, BUS_USB = 1, 3

keyboard = os.open("/dev/uinput", os.O_WRONLY)
fcntl.ioctl(keyboard, UI_SET_EVBIT, EV_KEY)
for key in range(1, 128):
    fcntl.ioctl(keyboard, UI_SET_KEYBIT, key)
fcntl.ioctl(keyboard, UI_DEV_SETUP, struct.pack("@HHHH80sI", BUS_USB, 0x05F9, 0x2203, 1, b"Scanner", 0))
fcntl.ioctl(keyboard, UI_DEV_CREATE)
os.mkfifo("/run/scan")
while True:
    with open("/run/scan") as lines:
        for line in lines:
            for char in line:
                for kind, code, value in strokes(char):
                    os.write(keyboard, struct.pack(EVENT, 0, 0, kind, code, value))
                time.sleep(0.005)
