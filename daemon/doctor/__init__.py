"""The tests of `check` and `doctor`. Each says how to fix what it finds. Changes nothing.

`doctor` is the list of tests, `beside` asks a running daemon, `broker` tests the broker, `ownership` and `secrets`
examine files.
May import: all rooms but `commands` and `bench`.
"""

from pitwatch.daemon.doctor.doctor import NETWORK_LISTEN, findings

__all__ = ["NETWORK_LISTEN", "findings"]
