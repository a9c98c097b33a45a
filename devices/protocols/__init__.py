"""Wire formats: bytes in, complete messages out. Independent of what a message means to a game."""
