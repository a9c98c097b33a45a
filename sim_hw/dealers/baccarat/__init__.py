"""Baccarat from a shoe that reads its cards."""
