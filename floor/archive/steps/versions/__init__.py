"""One file for each version of the archive's schema, `step_NNNN_NAME.py`, with `revision` and `down_revision`.

A released step is never changed: archives have it. Nothing leads back: an archive is restored from its copy.
"""
