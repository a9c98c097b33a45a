"""Casino War."""
