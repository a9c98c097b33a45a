"""The bench: simulated tables under the real daemon. It opens the wires and the broker; `sim_hw` simulates the game."""
