"""Surveillance's view over all tables: what they say, kept as a picture of the floor, shown in a terminal."""
