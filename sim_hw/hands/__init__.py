"""What a hand can do at each device of a simulated table: throw dice, spin a ball, jam a shuffler, press a key.

`act`: what an act is and what it asks for; `finding`: the hands of a table. One module for each kind of device.
May import: `dealers` (cards and packets), `devices`, `scene`, `table`. Knows no rule of a game.
"""
