"""What `check` and `doctor` look at before a table is trusted, each with how to mend it. Changes nothing.

`doctor` is the list, `beside` asks a running daemon, `broker` tries the broker, `ownership` and `secrets` look at
files.
May import: all rooms but `commands` and `bench`.
"""

from pitwatch.daemon.doctor.doctor import NETWORK_LISTEN, findings

__all__ = ["NETWORK_LISTEN", "findings"]
