"""The archive's schema as steps of Alembic: one file in `versions` for each version, in the SQL that both databases
share. `env` is what Alembic runs; `schema` decides when it runs."""
