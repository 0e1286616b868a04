#!/usr/bin/python3
r"""Find similar pairs outside of the database, from a file of signatures and of the keys that a search looks up.

It is a model for any engine that reads CSV or Parquet: what it needs is a join by key, a count, and the comparison of
two byte strings.  Nothing of lshsim runs here; the keys are checked by test/golden.py.

    SELECT * FROM lsh_plan(0.8, 0.99);  -- band_rows and agreeing_bands
    \copy (SELECT id, lsh_plan_keys(sig, 0.8, 0.99), sig::bytea FROM docs WHERE sig IS NOT NULL) TO 'docs.csv' CSV
    \! outside.py 0.8 ROWS MATCHES docs.csv > pairs.csv
    \copy pairs FROM 'pairs.csv' CSV

The pairs are those of minhash_similar(a.sig, b.sig, 0.8, 0.99): as many keys in common as the plan asks for, and an
estimate that reaches the threshold.
"""
import csv
import sys
from collections import Counter, defaultdict
from struct import unpack_from

from golden import SLOT_EMPTY, band_keys

HEADER = ">BBHIII"  # version, method, number of hashes, shingling, seed, reserved
ROW_BITS = (14, 12, 10, 7, 7, 6)


def read_signature(text):
    """Return what a signature is and its slots, from its binary form in hexadecimal."""
    data = bytes.fromhex(text.removeprefix(r"\x"))
    kind = unpack_from(HEADER, data)
    return kind, unpack_from(f">{kind[2]}H", data, 16)


def read_keys(text):
    """Return the keys of a bigint[] literal, as numbers without a sign."""
    return [int(key) % 2**64 for key in text.strip("{}").split(",") if key]


def check_keys(keys, slots, rows):
    """Fail unless the keys are those that the definitions give, to the given depth in rows."""
    unused = 56 - sum(ROW_BITS[:rows])
    known = {key >> 56: key >> unused << unused for key in band_keys(slots)}
    for key in keys:
        if known[key >> 56] != key:
            raise ValueError(f"key {key} is not that of its signature")


def estimate(a, b):
    """Estimate the Jaccard similarity of two signatures, neither of them of the empty set."""
    used = sum(x != SLOT_EMPTY or y != SLOT_EMPTY for x, y in zip(a, b))
    return sum(x == y != SLOT_EMPTY for x, y in zip(a, b)) / used


def similar_pairs(lines, threshold, rows, matches):
    """Yield the ids and the similarity of each pair, the one that comes first in the file first."""
    kinds, signatures, bucket = set(), {}, defaultdict(list)
    for identifier, keys, signature in lines:
        kind, slots = read_signature(signature)
        kinds.add(kind)
        if len(kinds) > 1:
            raise ValueError(f"signatures of different kinds: {kinds}")
        keys = read_keys(keys)
        check_keys(keys, slots, rows)
        shared = Counter(other for key in keys for other in bucket[key])
        for other, count in shared.items():
            if count >= matches and estimate(slots, signatures[other]) >= threshold:
                yield other, identifier, estimate(slots, signatures[other])
        signatures[identifier] = slots
        for key in keys:
            bucket[key].append(identifier)


def main(arguments):
    """Write the pairs of a file as CSV; return the exit status."""
    if len(arguments) != 4:
        print("usage: outside.py THRESHOLD ROWS MATCHES FILE", file=sys.stderr)
        return 2
    csv.field_size_limit(2**30)
    with open(arguments[3], encoding="utf-8", newline="") as file:
        csv.writer(sys.stdout).writerows(
            similar_pairs(csv.reader(file), float(arguments[0]), int(arguments[1]), int(arguments[2])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
