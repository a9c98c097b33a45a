"""The commands of the `pitwatch` console script, one module each."""
