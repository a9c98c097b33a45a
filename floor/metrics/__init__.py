"""Figures of the archive and of watch for Prometheus, over HTTP. May import both rooms, which do not know this one."""
