-- From now on PostgreSQL keeps the signatures up to date by itself.
ALTER TABLE docs ADD sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED;
