"""One table's configuration: TOML to structs, every mistake in one line by file and key path. Opens nothing.

`sections` reads any TOML of the house; `broker_url`, `mqtt_config`, `device_config` and `house_names` know one subject
each. May import: `common`, `contract`.
"""

from pitwatch.daemon.config.config import Config

__all__ = ["Config"]
