"""The running process of one table: starts and stops its parts, and says how it is.

`app` puts the parts together, `health` and `status` say how it is, `integrity` what it is made of, `sdnotify` talks to
systemd, `last_words` says why the last run ended. May import: all rooms above it in docs/architecture.md.
"""
