"""What is handed over as evidence: signed heads and their time stamps, and what proves them.

May import: captures, journal, service and below.
"""
