"""The bench: a simulated table under the real daemon. Knows wires and brokers, not how a game is simulated."""
