"""What is published, as types, and the documents made from the types (docs/contract.md, section 6).

`messages` holds the payloads, `asked` what a table may be asked, `asyncapi` and `schemas` the documents, `wording` a
record in words. May import: `common`.
"""
