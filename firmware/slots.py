"""Which of the firmwares on a node runs: the one that was copied to it by hand, or one of two that came over the wire.

MicroPython only. Small files beside main.py keep it, each written beside and renamed, so that a power cut at any moment
leaves one that can start:

`slot`: the folder of the firmware that has proved itself, a or b; absent: the files that were copied by hand.
`trial`: the folder of one that is to prove itself. `tried`: it was started already; started again, it has failed.
"""

import os


def read(name):
    try:
        with open(name) as file:
            return file.read().strip()
    except OSError:
        return ""


def write(name, text):
    with open(name + ".new", "w") as file:
        file.write(text)
    os.rename(name + ".new", name)


def remove(name):
    try:
        os.remove(name)
    except OSError:  # it is not there
        return


def choose():
    """(folder to start from, whether it is on trial)."""
    slot, trial = read("slot"), read("trial")
    if trial and trial != slot and read("tried") != trial:
        write("tried", trial)
        return trial, True
    remove("trial")
    remove("tried")
    return slot, False


def running():
    """The folder of the firmware that runs."""
    return read("tried") or read("slot")


def confirm(trial):
    """What is on trial has proved itself."""
    write("slot", trial)
    remove("trial")
    remove("tried")


def spare():
    """The folder that a new firmware goes to: never the one that has proved itself."""
    return "b" if read("slot") == "a" else "a"


def build(slot):
    """Number of the build in a folder; 0 if it is not known."""
    text = read((slot + "/" if slot else "") + "build")
    return int(text) if text.isdigit() else 0
