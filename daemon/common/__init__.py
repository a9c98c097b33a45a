"""Tools of the process that know nothing of a table: errors for people, files written whole, streams, tasks.

May import: nothing of the daemon.
"""
