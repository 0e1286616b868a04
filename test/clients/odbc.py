"""ODBC, by pyodbc: what a program and a BI tool do with signatures.  Reported as TAP."""
import os

from tap import check_driver, done, is_, like, ok

# README
import pyodbc

connection = pyodbc.connect("Driver={PostgreSQL Unicode};Servername=%(PGHOST)s;Port=%(PGPORT)s;"
    "Database=%(PGDATABASE)s;Username=%(PGUSER)s" % os.environ)

def insert(title, body):
    connection.execute("INSERT INTO articles (title, body) VALUES (?, ?)", title, body)

def search(text, threshold):
    return connection.execute("""
        SELECT id, title, jaccard(sig, q) FROM articles, to_minhash(CAST(? AS text)) AS q
        WHERE minhash_similar(sig, q, CAST(? AS float8)) ORDER BY 3 DESC, id""", text, threshold).fetchall()
# end


def value(query, *values):
    """Return the first column of the first row of a query."""
    return connection.execute(query, *values).fetchone()[0]


check_driver(lambda *query: [row.title for row in search(*query)], insert, value, lambda query: query)
is_(value("SELECT array_to_minhash(CAST(? AS text[]))", "{red,green}"),
    value("SELECT array_to_minhash('{red,green}'::text[])"), "an array as parameter")

# A signature out and in again, as text and as bytes.
text = value("SELECT sig FROM articles WHERE id = 1")
like(text, "^char:5/one-permutation/128/0/", "a signature as text")
is_(len(text), 373, "in full length")
is_(value("SELECT id FROM articles WHERE sig = CAST(? AS minhash)", text), 1, "and back")
data = value("SELECT sig::bytea FROM articles WHERE id = 1")
is_((type(data), len(data)), (bytes, 272), "a signature as bytes")
is_(value("SELECT id FROM articles WHERE sig = CAST(CAST(? AS bytea) AS minhash)", data), 1, "and back")

# Catalog queries of tools.
column = connection.cursor().columns(table="articles", column="sig").fetchone()
is_(column.type_name, "minhash", "metadata of the column")
indexes = [row.index_name for row in connection.cursor().statistics("articles")]
ok("articles_sig" in indexes, "metadata of the index", indexes)
cursor = connection.execute("SELECT * FROM articles WHERE id = 1")
is_([column[0] for column in cursor.description], ["id", "title", "body", "sig"], "SELECT *")
is_(cursor.fetchone().sig, text, "has the signature as text")

# The sizes that programs reserve for minhash(k) are enough for the texts.
connection.execute("""CREATE TABLE sizes AS SELECT to_minhash(body, 'char:99 bag', 16, -2147483648)::minhash(16) AS sig16,
    to_minhash(body)::minhash(128) AS sig128, to_minhash(body, 'char:5', 4096)::minhash(4096) AS sig4096
    FROM articles WHERE id = 1""")
row = connection.execute("SELECT * FROM sizes")
described = {column[0]: column[3] for column in row.description}
listed = {column.column_name: column.column_size for column in connection.cursor().columns(table="sizes")}
is_((described["sig128"], listed["sig128"]), (509, 509), "size of minhash(128)")
is_(cursor.description[3][3], 255, "size of minhash without a number of hashes")
for (name, size), text in zip(described.items(), row.fetchone()):
    ok(size >= len(text) and listed[name] >= len(text), "size of " + name, [len(text), size, listed[name]])
done()
