"""Requests from subscribers to a table: `replay`, `acknowledge`, `snapshot`, limited for each client.

The payloads are in `contract.asked`. May import: `contract`, `journal`.
"""

from pitwatch.daemon.requests.requests import PORTION, Requests

__all__ = ["PORTION", "Requests"]
