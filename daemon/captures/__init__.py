"""Wire data, recorded and replayed: capture files, the wire tape, replays, hand histories.

May import: `common`, `contract`, `config`, `journal`, `pipeline`, `wiring`.
"""
