"""Helpers that are independent of tables: errors for people, atomic file writes, streams, tasks.

May import: nothing of the daemon.
"""
