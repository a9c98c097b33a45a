"""A board gets its table's certificate over the network by a one-time code; its key never leaves it.

`code` is the code and the keys that follow from it; `exchange` the two messages and their proofs, for both sides. Where
the house keeps its keys, `house` answers (`pitwatch provision --enrol`) and `table_files` has what else is handed over.
On the board, `asking` is the connection and `storing` what it then writes (`pitwatch enrol`). May import: `common`,
`config`, `contract`, `journal`, `provisioning`, `tlog`.
"""
