"""Hardware interfaces: digital lines, byte links and clocks, one small file for each back end.

Independent of devices.
"""
