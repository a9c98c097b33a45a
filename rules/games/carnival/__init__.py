"""Poker against the dealer, dealt in packets: the trade's carnival games."""
