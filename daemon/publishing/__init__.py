"""From the journal to the broker: the outbox, its connections, and the limits of each broker.

`publisher` is the cursor over the journal, `envelope` builds the message of a record, `session` is one connection,
`broker_trial` tests what a broker accepts. May import: `common`, `contract`, `config`, `journal`.
"""
