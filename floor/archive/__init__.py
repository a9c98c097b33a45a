"""What a floor publishes, kept in a database and asked: each event once, in order, whoever brought it."""
