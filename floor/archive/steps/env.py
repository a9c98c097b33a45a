"""What Alembic runs for each command: the steps, on the connection that `schema` opened and locked."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], version_table="archive_steps", transactional_ddl=True
)
with context.begin_transaction():
    context.run_migrations()
