"""The configuration of one table: TOML to structs. Each mistake is one line with file and key path. Opens nothing.

`sections` reads any TOML of the house; `broker_url`, `mqtt_config`, `device_config` and `house_names` each handle one
subject. May import: `common`, `contract`.
"""

from pitwatch.daemon.config.config import Config

__all__ = ["Config"]
