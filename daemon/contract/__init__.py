"""The published messages as types, and the documents generated from the types (docs/contract.md, section 6).

`messages` contains the payloads, `asked` the requests to a table, `asyncapi` and `schemas` the documents, `wording` the
text of a record. May import: `common`.
"""
