"""What hardware offers: digital lines, byte links and clocks, one small file per back end.

Knows nothing of any device.
"""
