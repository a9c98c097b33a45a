"""Poker among patrons."""
