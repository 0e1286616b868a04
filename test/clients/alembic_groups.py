"""Alembic: which tables of groups its autogenerate would drop.  Prints their names."""
import os

import sqlalchemy
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

engine = sqlalchemy.create_engine("postgresql+psycopg2://%(PGUSER)s@%(PGHOST)s:%(PGPORT)s/%(PGDATABASE)s" % os.environ)
model = sqlalchemy.MetaData()
sqlalchemy.Table("docs", model, sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True))
with engine.connect() as connection:
    context = MigrationContext.configure(connection)
    print(*sorted(change[1].name for change in compare_metadata(context, model) if change[0] == "remove_table"))
