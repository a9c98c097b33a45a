"""What the floor may change on a board by `pitwatch board`: a table's configuration and certificates, and the version
of the program. Each change is checked first, the old is kept, and the board itself puts it back if the table is not
watched as before.

May import: config, journal, contract and common. Never imported by the running daemon.
"""
