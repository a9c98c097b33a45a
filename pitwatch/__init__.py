"""Pitwatch: watches a casino table's devices. One package, so that no name of it meets another's in site-packages.

Its parts are links to the folders beside it; a wheel holds them as folders.
"""
