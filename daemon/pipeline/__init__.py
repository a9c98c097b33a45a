"""Observation to journal to rules to journal: the same path live, on the bench and in a replay.

May import: `common`, `contract`, `config`. Accepts any object with `append`, so that a replay needs no journal.
"""

from pitwatch.daemon.pipeline.pipeline import Appendable, Pipeline

__all__ = ["Appendable", "Pipeline"]
