"""What came over the wires, kept and played again: capture files, the wire tape, replays, hand histories.

May import: `common`, `contract`, `config`, `journal`, `pipeline`, `wiring`.
"""
