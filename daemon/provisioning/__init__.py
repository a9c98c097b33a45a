"""The folder of a house: certificates, broker configuration and access lists for its tables and clients.

`authority` signs; `boards` is the list of boards; `mosquitto_access` and `rabbitmq_access` write the access lists. May
import: `common`, `contract`, `config`, `publishing`, `tlog`. Needs the package `cryptography`.
"""

from pitwatch.daemon.provisioning.provisioning import WATCHERS, House

__all__ = ["WATCHERS", "House"]
