#!/usr/bin/python3
r"""Random pairs of texts, and the passages that they share with edits: an independent implementation of the definitions.

It is written from REFERENCE.md and the definition in src/core/passages/passages.h, and quadratic: for every place in
each text, the most equal units of an alignment that ends there with at most e edits, and of one that begins there; then,
for every run that the texts have in common, the best division of the edits between what is before and what is after it.
The list of passages is found by cutting all seeds again for each passage, and by aligning unit by unit.

    test/edited_passages.py 10000 7         print 10,000 pairs of seed 7, in COPY text format without a header line

Its columns are a, b, run, length, edits, what shares_passage(a, b, run, length, edits) must return, and the rows of
common_passages(a, b, run, length, edits), each as start_a,length_a,start_b,length_b,edits,equal_units.
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


def list_seeds(a, b, least, length, edits):
    """Return the seeds (start in a, start in b, size): of each place in a the longest, unless an earlier one ends behind."""
    left, right = ending_at(a, b, edits), ending_at(a[::-1], b[::-1], edits)
    seeds, end = [], 0
    for i in range(len(a)):
        best = 0, 0
        for j in range(len(b)):
            size = 0
            while i + size < len(a) and j + size < len(b) and a[i + size] == b[j + size]:
                size += 1
            if size < least or i and j and a[i - 1] == b[j - 1]:
                continue
            if max(left[e][i][j] + size + right[edits - e][len(a) - i - size][len(b) - j - size]
                   for e in range(edits + 1)) >= length:
                best = max(best, (size, -j))
        if best[0] and i + best[0] > end:
            seeds.append((i, -best[1], best[0]))
            end = i + best[0]
    return seeds


def alignments(a, b, edits):
    """Return t, where t[e] is the best alignment from the starts of two lists with e edits, or None.

    It is (equal units, -units of a, -units of b), and the greatest is the best.
    """
    most = {(0, 0, 0): 0}
    best = [None] * (edits + 1)
    for e in range(edits + 1):
        for i in range(len(a) + 1):
            for j in range(max(i - e, 0), min(i + e, len(b)) + 1):
                equal = most.get((e, i, j))
                if equal is None:
                    continue
                best[e] = max(best[e] or (-1, 0, 0), (equal, -i, -j))
                steps = [(e, i + 1, j + 1, equal + 1)] if a[i:i + 1] == b[j:j + 1] != [] else []
                steps += [(e + 1, i + 1, j + 1, equal), (e + 1, i + 1, j, equal), (e + 1, i, j + 1, equal)]
                for *place, value in steps:
                    most[tuple(place)] = max(most.get(tuple(place), 0), value)
    return best


def extend(a, b, seed, gap, edits):
    """Return the best alignment with a seed within a part of a: equal units, edits, its part of a and that of b."""
    i, j, size = seed
    before = alignments(a[gap[0]:i][::-1], b[:j][::-1], edits)
    after = alignments(a[i + size:gap[1]], b[j + size:], edits)
    found = [(-(x[0] + size + y[0]), d + e, size - x[1] - y[1], size - x[2] - y[2], i + x[1], j + x[2])
             for d, x in enumerate(before) for e, y in enumerate(after) if d + e <= edits and x and y]
    equal, edits, size_a, size_b, i, j = min(found)
    return -equal, edits, (i, i + size_a), (j, j + size_b)


def list_passages(a, b, run, length, edits):
    """Return the passages that two lists of units share, from left to right."""
    length = max(length, run)
    if min(len(a), len(b)) < run:
        return [(len(a), 0, (0, len(a)), (0, len(b)))] if a and a == b else []
    least = max(run, -(-length // (edits + 1)))
    seeds = list_seeds(a, b, least, length, edits)
    covered = [False] * len(a) + [True]
    passages = []
    while seeds:
        for n, (i, j, size) in enumerate(seeds):
            while size and covered[i]:
                i, j, size = i + 1, j + 1, size - 1
            while size and covered[i + size - 1]:
                size -= 1
            seeds[n] = i, j, size
        seeds = sorted((seed for seed in seeds if seed[2] >= least), key=lambda seed: (-seed[2], seed))
        if seeds:
            seed = seeds.pop(0)
            start = max((i + 1 for i in range(seed[0]) if covered[i]), default=0)
            passage = extend(a, b, seed, (start, covered.index(True, seed[0])), edits)
            if passage[0] >= length:
                passages.append(passage)
                covered[slice(*passage[2])] = [True] * (passage[2][1] - passage[2][0])
    return sorted(passages, key=lambda passage: passage[2])


def in_characters(units, between, part):
    """Return the start, from 1, and the length of a part of a text."""
    before = between.join(units[:part[0]] + [""]) if part[0] else ""
    return f"{len(before) + 1},{len(between.join(units[slice(*part)]))}"


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
        rows = (f"{in_characters(a, between, x)},{in_characters(b, between, y)},{used},{equal}"
                for equal, used, x, y in list_passages(a, b, run, length, edits))
        print(between.join(a), between.join(b), f"{'word' if words else 'char'}:{run}", length, edits, "ft"[result],
              ";".join(rows), sep="\t")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
