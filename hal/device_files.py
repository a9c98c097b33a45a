"""Finds the board's device files. CPython on Linux.

A service that has a /dev without hardware (systemd's PrivateDevices=) has the board's devices mounted elsewhere, and
BOARD_DEVICES names the place. Configurations and messages use the usual names: /dev/….
"""

import os

BOARD_DEVICES = "BOARD_DEVICES"
DEV = "/dev"


def device_folder() -> str:
    """The folder that is /dev to the board."""
    return os.environ.get(BOARD_DEVICES) or DEV


def configured_path(file: str) -> str:
    """The path by which a configuration names this file: the reverse of `device_file`."""
    folder = device_folder()
    return DEV + file[len(folder) :] if file.startswith(folder + "/") else file


def device_file(path: str) -> str:
    """What to open for a path as the configuration has it; one outside /dev is itself."""
    return device_folder() + path[len(DEV) :] if path.startswith(DEV + "/") else path
