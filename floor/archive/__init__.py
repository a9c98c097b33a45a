"""The archive: stores what a floor publishes in a database and queries it. Each event is stored once, in order."""
