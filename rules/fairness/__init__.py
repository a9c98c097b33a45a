"""Feeds the monitors of `rules.statistics` from a table's rounds, keeps their state and says what they find.

A monitor never accuses a person: it counts, and says what to look at, the reader first.
"""
