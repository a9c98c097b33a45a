"""The running process of one table: starts and stops its parts, and reports its state.

`app` connects the parts, `health` and `status` report the state, `integrity` fingerprints the table's parts, `sdnotify`
notifies systemd, `last_words` reports why the last run ended. May import: all rooms below it in docs/architecture.md.
"""
