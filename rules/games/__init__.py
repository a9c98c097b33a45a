"""How games are followed: one family a module, or a folder whose `procedure` the engine runs."""
