"""The bench: a simulated table under the real daemon. Knows wires and brokers, not how devices or games are simulated."""
