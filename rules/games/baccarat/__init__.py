"""Baccarat and its relatives."""
