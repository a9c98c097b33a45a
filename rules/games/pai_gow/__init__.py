"""Pai gow, with cards or with tiles."""
