"""What subscribers may ask of a table: `replay`, `acknowledge`, `snapshot`, each client within its allowance.

The payloads are `contract.asked`. May import: `contract`, `journal`.
"""

from pitwatch.daemon.requests.requests import PORTION, Requests

__all__ = ["PORTION", "Requests"]
