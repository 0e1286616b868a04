"""psycopg 3: what a program does with signatures.  Reported as TAP."""
from tap import PLANS, TEXT, check_driver, done, is_, like, more
import psycopg

# README
import psycopg

connection = psycopg.connect("")        # PGHOST, PGDATABASE, ... say where

def insert(title, body):
    connection.execute("INSERT INTO articles (title, body) VALUES (%s, %s)", (title, body))

def search(text, threshold):
    return connection.execute("""
        SELECT id, title, jaccard(sig, q) FROM articles, to_minhash(%s) AS q
        WHERE minhash_similar(sig, q, %s) ORDER BY 3 DESC, id""", (text, threshold)).fetchall()
# end

check_driver(lambda *query: [row[1] for row in search(*query)], insert,
    lambda query, *values: connection.execute(query, values or None).fetchone()[0])

# Arrays: a list has no type of its own here.
tags = ["red", "green"]
literal = connection.execute("SELECT array_to_minhash('{red,green}'::text[])").fetchone()
is_(connection.execute("SELECT array_to_minhash(%s::text[])", (tags,)).fetchone(), literal,
    "an array as parameter")
is_(connection.execute("SELECT array_to_minhash(%s)", ([1, 2],)).fetchone(),
    connection.execute("SELECT array_to_minhash('{1,2}'::int[])").fetchone(), "an array of numbers")
try:
    import numpy
    values = numpy.arange(1, 129, dtype=numpy.uint64)
    is_(connection.execute("SELECT minhash_from_values(%s)", (values.astype("int64").tolist(),)).fetchone(),
        connection.execute("SELECT minhash_from_values(ARRAY(SELECT generate_series(1, 128)))").fetchone(), "an array of NumPy")
    data, slots = connection.execute("SELECT sig::bytea, minhash_slots(sig) FROM to_minhash('ab') AS sig").fetchone()
    is_([None if slot == 65535 else slot for slot in numpy.frombuffer(data, ">u2", offset=16).tolist()], slots,
        "the slots in the bytes")
except ImportError:
    pass
connection.commit()
try:
    is_(connection.execute("SELECT array_to_minhash(%s)", (tags,)).fetchone(), literal, "without a type")
except psycopg.Error as error:
    like(str(error), "polymorphic", "without a type: an error, nothing else")
connection.rollback()

# A signature out and in again, as text and as bytes.
text = connection.execute("SELECT sig FROM articles WHERE id = 1").fetchone()[0]
like(text, "^char:5/one-permutation/128/0/", "a signature as text")
is_(connection.execute("SELECT id FROM articles WHERE sig = %s ORDER BY id", (text,)).fetchone(), (1,), "and back")
is_(connection.execute("SELECT id FROM articles WHERE sig = %s::minhash", (text,)).fetchone(), (1,), "and back with its type")
cursor = connection.cursor(binary=True)
data = cursor.execute("SELECT sig FROM articles WHERE id = 1").fetchone()[0]
is_((type(data), len(data)), (bytes, 272), "a signature as bytes")
is_(connection.execute("SELECT id FROM articles WHERE sig = %s::bytea::minhash", (data,)).fetchone(), (1,), "and back")

# COPY, both ways.
with connection.cursor().copy("COPY articles (title, body) FROM STDIN") as copy:
    for n in range(3):
        copy.write_row((f"Copied {n}", TEXT + f" for time {n}"))
is_(len(search(TEXT, 0.5)), 5, "COPY FROM")
with connection.cursor().copy("COPY (SELECT sig FROM articles WHERE id = 1) TO STDOUT") as copy:
    copy.set_types(["text"])
    is_(list(copy.rows()), [(text,)], "COPY TO")
with connection.cursor().copy("COPY (SELECT sig FROM articles WHERE id = 1) TO STDOUT (FORMAT binary)") as copy:
    like(b"".join(copy), data, "COPY TO in binary")
connection.rollback()

# A statement that is used often is prepared, and its plan gets generic.
connection.prepare_threshold = 0
connection.execute("SELECT set_config('plan_cache_mode', 'force_generic_plan', true)")
before = connection.execute(PLANS).fetchone()
for _ in range(3):
    search(TEXT, 0.8)
is_(more(before, connection.execute(PLANS).fetchone()), [3, 3, 0], "generic plans use the index")
done()
