"""How games are followed: one family a module, or a folder whose `procedure` the engine runs.

May import: `watchers`, `hands`, `play`, `desk`. No family imports another; what two need is in `play`.
"""
