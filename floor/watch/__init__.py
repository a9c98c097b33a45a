"""The view of surveillance over all tables: a picture of the floor, built from messages and shown in a terminal."""
