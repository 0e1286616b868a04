"""psycopg2: what a program does with signatures.  Reported as TAP."""
import io

from tap import TEXT, check_driver, done, is_, like

# README
import psycopg2
from psycopg2.extras import execute_values

connection = psycopg2.connect("")       # PGHOST, PGDATABASE, ... say where
cursor = connection.cursor()

def insert(rows):                       # tuples of title and body
    execute_values(cursor, "INSERT INTO articles (title, body) VALUES %s", rows)

def search(text, threshold):
    cursor.execute("""
        SELECT id, title, jaccard(sig, q) FROM articles, to_minhash(%s) AS q
        WHERE minhash_similar(sig, q, %s) ORDER BY 3 DESC, id""", (text, threshold))
    return cursor.fetchall()
# end


def one(query, *values):
    """Return the first row of a query."""
    cursor.execute(query, values or None)
    return cursor.fetchone()


check_driver(lambda *query: [row[1] for row in search(*query)], lambda *row: insert([row, (None, "Nothing of the kind")]),
    lambda query, *values: one(query, *values)[0])
is_(one("SELECT title, sig IS NULL FROM articles WHERE body = %s", "Nothing of the kind"), (None, False), "None is NULL")
is_(search(None, 0.5), [], "a search for NULL finds nothing")
is_(one("SELECT to_minhash(%s)", None), (None,), "the signature of NULL")
is_(one("SELECT count(*) FROM articles WHERE sig % to_minhash('" + TEXT + "')"), (2,), "the operator, with a single sign without parameters")
cursor.execute("EXPLAIN SELECT id FROM articles WHERE minhash_similar(sig, to_minhash(%s), %s)", (TEXT, 0.8))
like(str(cursor.fetchall()), "articles_sig", "a search uses the index")

# Searches for many texts in one statement.
pairs = execute_values(cursor, """SELECT v.n, a.id FROM (VALUES %s) AS v(n, body) JOIN articles a
    ON minhash_similar(a.sig, to_minhash(v.body), 0.8) WHERE a.sig %% to_minhash(v.body) ORDER BY 1, 2""",
    [(1, TEXT), (2, "Nothing of this"), (3, None)], fetch=True)
is_(pairs[0], (1, 1), "a join with rows of execute_values")
is_({pair[0] for pair in pairs}, {1}, "which finds nothing for others, and for NULL")

# Arrays: a list is written with its elements, so that it has their type, unless it is empty.
literal = one("SELECT array_to_minhash('{red,green}'::text[])")
is_(one("SELECT array_to_minhash(%s)", ["red", "green"]), literal, "an array as parameter")
is_(one("SELECT array_to_minhash(%s)", ["red", None, "green"]), one("SELECT array_to_minhash('{red,NULL,green}'::text[])"), "with NULL")
is_(one("SELECT array_to_minhash(%s)", [1, 2]), one("SELECT array_to_minhash('{1,2}'::int[])"), "an array of numbers")
is_(one("SELECT array_to_minhash(%s::text[])", []), one("SELECT array_to_minhash('{}'::text[])"), "an empty one with its type")
is_(one("SELECT minhash_from_values(%s)", list(range(1, 129))),
    one("SELECT minhash_from_values(ARRAY(SELECT generate_series(1, 128)))"), "hash values")
connection.commit()
try:
    cursor.execute("SELECT array_to_minhash(%s)", ([],))
    is_(True, False, "an empty one without: an error")
except psycopg2.Error as error:
    like(str(error), "polymorphic", "an empty one without: an error")
connection.rollback()

# A signature out and in again, as text and as bytes.
text, = one("SELECT sig FROM articles WHERE id = 1")
like(text, "^char:5/one-permutation/128/0/", "a signature as text")
is_(one("SELECT id FROM articles WHERE sig = %s", text), (1,), "and back")
data = bytes(one("SELECT sig::bytea FROM articles WHERE id = 1")[0])
is_(len(data), 272, "a signature as bytes")
is_(one("SELECT id FROM articles WHERE sig = %s::minhash", psycopg2.Binary(data)), (1,), "and back")

# COPY, both ways, with NULL.
cursor.copy_expert("COPY articles (title, body) FROM STDIN", io.StringIO("".join(f"\\N\t{TEXT} for time {n}\n" for n in range(3))))
is_(len(search(TEXT, 0.5)), 5, "COPY FROM by copy_expert")
cursor.copy_from(io.StringIO(f"Copied\t{TEXT} at last\n"), "articles", columns=("title", "body"))
is_(len(search(TEXT, 0.5)), 6, "and by copy_from")
copied = io.StringIO()
cursor.copy_expert("COPY (SELECT sig FROM articles WHERE id = 1) TO STDOUT", copied)
is_(copied.getvalue(), text + "\n", "COPY TO")
connection.rollback()
is_(len(search(TEXT, 0.5)), 2, "a rollback removes the copies")
done()
