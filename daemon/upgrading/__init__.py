"""An upgrade of the Debian package: which version of the program runs, whether the newer one watches each table as the
one before did, and the return to that one.

`trees` keeps whole versions beside each other, `written` keeps on disk how far an upgrade has come, `units` asks
systemd, `tables` looks at tables before and after, `changing_over` goes from one version to the other and back. The
version before runs all this, so that a newer one that is broken cannot prevent the return. May import: `config`,
`journal` and what is below them.
"""
