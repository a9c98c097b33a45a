"""Simulated devices: acts in, what a real device would put on its wires out. Knows no rule of a game.

Wheels: `slingshot`, `mercury`, `hand_wheel` on `rotor` and `ball`; `wheel_picture`. Dice: `dice`. Cards: `angel_eye`,
`shoes`, `felt`, `shuffler`, `talking_shuffler`. Others: `contacts`, `key_reader`, `reporter`. May import: `scene`,
`table`.
"""
