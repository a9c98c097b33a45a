"""Wire formats: bytes in, complete messages out. Knows nothing of what a message means to a game."""
