"""What `pitwatch new` finds at the board's ports, asks a person, and writes: one TABLE.toml.

It listens, as the daemon does. It writes to a port only where the person has said that a card reader is there.
May import: `wiring`, `config`, `common`.
"""
