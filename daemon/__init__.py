"""The daemon of one table: configuration, wiring, journal, MQTT, health and the command line."""

__version__ = "0.2.0"
