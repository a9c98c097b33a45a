"""One module a command of the `pitwatch` console script."""
