"""A table's configuration to open links and decoders: which device hears which port or lines.

`nodes` and `osdp_bus` share one port between devices, `channel` and `flood` guard what one device sends, `presence`
says whether it is there. May import: `config`, `pipeline`.
"""

from pitwatch.daemon.wiring.wiring import NOT_WIRED, Listener, Opener, Wire, wire_table

__all__ = ["NOT_WIRED", "Listener", "Opener", "Wire", "wire_table"]
