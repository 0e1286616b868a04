"""Checks for the clients in Python, reported as TAP."""
import re
import sys

TEXT = "The quick brown fox jumps over the lazy dog near the river bank on a sunny day"
# Generic plans of searches so far, and scans of the index and of the table.
# The scans are those of the statistics that the session has not sent yet.
PLANS = r"""SELECT (SELECT coalesce(sum(generic_plans), 0)::int FROM pg_prepared_statements
        WHERE statement ~ '^\s*SELECT id'),
    pg_stat_get_xact_numscans('articles_sig'::regclass)::int,
    pg_stat_get_xact_numscans('articles'::regclass)::int"""
checks = 0
failed = 0


def ok(passed, name, *details):
    """Report one check."""
    global checks, failed
    checks += 1
    failed += not passed
    print("ok" if passed else "not ok", checks, "-", name)
    if not passed:
        print("".join(f"# {detail!r}\n" for detail in details), end="")


def is_(have, expected, name):
    """Check that two values are equal."""
    ok(have == expected, name, have, expected)


def like(have, pattern, name):
    """Check that a text matches a pattern, or bytes hold others."""
    found = pattern in have if isinstance(have, bytes) else re.search(pattern, have)
    ok(found, name, have, pattern)


def more(before, after):
    """Return by how much numbers have grown."""
    return [b - a for a, b in zip(before, after)]


def check_driver(titles, insert, value, convert=lambda query: query.replace("%", "%%").replace("?", "%s")):
    """Check what all drivers do alike.

    titles(text, threshold) searches, insert(title, body) adds an article, and value(query, *values) is the first value of
    a query, whose parameters convert() writes as the driver needs them."""
    operator = convert("SELECT count(*) FROM articles WHERE sig % to_minhash(?)")
    is_(titles(TEXT, 0.8), ["Fox"], "search with a bound text")
    insert("Vixen", TEXT + " in May")
    is_(titles(TEXT, 0.5), ["Fox", "Vixen"], "insert by parameters")
    is_(titles(TEXT + " in June or in July", 0.99), [], "a threshold as parameter")
    is_(value(operator, TEXT), 2, "the operator")
    is_(value(convert("SELECT to_minhash(?, ?)"), "some text", "word:2"), value("SELECT to_minhash('some text', 'word:2')"),
        "a shingling as parameter")
    value(convert("SELECT set_config('lshsim.similarity_threshold', ?, false)"), "1")
    is_(value(operator, TEXT), 1, "a setting of the session")
    value("SELECT set_config('lshsim.similarity_threshold', '0.8', false)")


def done():
    """Print the plan and end."""
    print(f"1..{checks}")
    sys.exit(failed > 0)
