"""From a table's configuration to open links and decoders: which device reads which port or lines.

`nodes` and `osdp_bus` share one port between devices, `channel` and `flood` limit what one device sends, `presence`
detects whether it is there. May import: `config`, `pipeline`.
"""

from pitwatch.daemon.wiring.wiring import NOT_WIRED, Listener, Opener, Wire, wire_table

__all__ = ["NOT_WIRED", "Listener", "Opener", "Wire", "wire_table"]
