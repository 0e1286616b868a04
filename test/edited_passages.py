#!/usr/bin/python3
r"""Random pairs of texts, and whether they share a passage with edits: an independent implementation of the definition.

It is written from REFERENCE.md alone, and quadratic: for every place in each text, the most equal units of an alignment
that ends there with at most e edits, and of one that begins there; then, for every run that the texts have in common,
the best division of the edits between what is before and what is after it.

    test/edited_passages.py 10000 7         print 10,000 pairs of seed 7, in COPY text format without a header line

Its columns are a, b, run, length, edits, and what shares_passage(a, b, run, length, edits) must return.
"""
import random
import sys


def ending_at(a, b, edits):
    """Return t, where t[e][i][j] is the most equal units of an alignment with at most e edits that ends before i, j."""
    table = []
    for e in range(edits + 1):
        now = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        before = table[-1] if e else None
        for i in range(len(a) + 1):
            for j in range(len(b) + 1):
                best = 0
                if i and j and a[i - 1] == b[j - 1]:
                    best = now[i - 1][j - 1] + 1
                if before:
                    best = max(best, before[i][j], before[i - 1][j - 1] if i and j else 0,
                               before[i - 1][j] if i else 0, before[i][j - 1] if j else 0)
                now[i][j] = best
        table.append(now)
    return table


def most_equal(a, b, run, edits):
    """Return the most equal units of an alignment that has a common run and at most that number of edits, or None."""
    left = ending_at(a, b, edits)
    right = ending_at(a[::-1], b[::-1], edits)
    return max((left[e][i][j] + run + right[edits - e][len(a) - i - run][len(b) - j - run]
                for i in range(len(a) - run + 1) for j in range(len(b) - run + 1) if a[i:i + run] == b[j:j + run]
                for e in range(edits + 1)), default=None)


def shares_passage(a, b, run, length, edits):
    """Return what shares_passage() must return for two lists of units."""
    if min(len(a), len(b)) < run:
        return len(a) > 0 and a == b
    found = most_equal(a, b, run, edits)
    return found is not None and found >= (length or run)


def edit(rng, units, alphabet, count):
    """Return a copy of some units in which that number were replaced, left out or added."""
    units = list(units)
    for _ in range(count):
        place = rng.randrange(len(units) + 1)
        units[place:place + rng.choice((0, 1, 1))] = rng.choices(alphabet, k=rng.choice((0, 1, 1)))
    return units


def random_texts(rng, alphabet):
    """Return two texts: unrelated, periodic, or with parts in common that were edited."""
    kind = rng.randrange(4)
    a = rng.choices(alphabet, k=rng.randrange(45))
    if kind == 0:
        return a, rng.choices(alphabet, k=rng.randrange(45))
    if kind == 1:
        period = rng.choices(alphabet, k=rng.randrange(1, 5))
        a = edit(rng, period * rng.randrange(1, 12), alphabet, rng.randrange(5))
        return a, edit(rng, period * rng.randrange(1, 12), alphabet, rng.randrange(5))
    b = []
    for _ in range(rng.randrange(1, 3)):
        start = rng.randrange(len(a) + 1)
        b += rng.choices(alphabet, k=rng.choice((0, 0, rng.randrange(12))))
        b += edit(rng, a[start:start + rng.randrange(5, 40)], alphabet, rng.randrange(8))
    return a, b + rng.choices(alphabet, k=rng.choice((0, 0, rng.randrange(12))))


def main(pairs, seed):
    """Print pairs of texts."""
    rng = random.Random(seed)
    for _ in range(pairs):
        words = rng.random() < 0.7
        size = rng.choice((2, 2, 3, 5, 10, 26) + (50,) * words)
        alphabet = [f"w{i}" for i in range(size)] if words else [chr(ord("a") + i) for i in range(size)]
        a, b = random_texts(rng, alphabet)
        run, edits = rng.randrange(1, 9), rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 8))
        length = rng.choice((0, run, run + rng.randrange(12), run + rng.randrange(25)))
        between = " " if words else ""
        result = shares_passage(a, b, run, length, edits)
        print(between.join(a), between.join(b), f"{'word' if words else 'char'}:{run}", length, edits, "ft"[result], sep="\t")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
