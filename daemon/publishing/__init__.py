"""From the journal to the broker: the outbox, its connections, and what each broker was found to take.

`publisher` is the cursor over the journal, `envelope` the message of a record, `session` one connection, `broker_trial`
what a broker takes. May import: `common`, `contract`, `config`, `journal`.
"""
