#!/usr/bin/python3
"""Which texts share a passage, found without lshsim; and whether a list of pairs agrees.

    test/bench/passages.py DOCS RUN > TRUTH             print the pairs of texts that share a run, by their numbers
    test/bench/passages.py --compare TRUTH FOUND        print the numbers of pairs: true, found, missed, false

DOCS is a file of numbers and texts as COPY writes them.  A run is char:n or word:n.  Normal form and words are those of
golden.py.  Every run of a text becomes a hash by XXH64, which lshsim does not use; all are sorted, and equal ones are
neighbors.  Memory: about 100 bytes a character.  Needs python3-xxhash and python3-numpy.
"""
import re
import sys
from pathlib import Path

import numpy
from xxhash import xxh64_intdigest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from golden import normal_form, words  # noqa: E402

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def units_of(text, unit):
    """Cut a text into characters or words; ASCII has a short cut, by the same definition."""
    text = re.sub("[\t-\r ]+", " ", text.lower()).strip(" ") if text.isascii() else normal_form(text)
    if unit == "char":
        return text, ""
    return (re.findall("[0-9a-z_]+", text) if text.isascii() else words(text)), "\x1f"


def run_hashes(text, unit, size):
    """Return the distinct hashes of the runs of a text."""
    units, joint = units_of(text, unit)
    count = max(1, len(units) - size + 1) if units else 0
    return numpy.unique(numpy.fromiter((xxh64_intdigest(joint.join(units[i:i + size])) for i in range(count)), numpy.uint64, count))


def read_texts(path):
    """Yield numbers and texts."""
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            number, text = line.rstrip("\n").split("\t")
            yield int(number), re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), text)


def true_pairs(path, run):
    """Return the pairs of texts that share a run, as smaller number * 2^32 + larger number, in order."""
    unit, _, size = run.partition(":")
    lists = [(number, run_hashes(text, unit, int(size))) for number, text in read_texts(path)]
    hashes = numpy.concatenate([h for _, h in lists])
    owners = numpy.concatenate([numpy.full(len(h), number, numpy.int64) for number, h in lists])
    order = numpy.lexsort((owners, hashes))
    hashes, owners = hashes[order], owners[order]
    starts = numpy.flatnonzero(numpy.r_[True, hashes[1:] != hashes[:-1], True])
    groups = {owners[a:b].tobytes() for a, b in zip(starts[:-1], starts[1:]) if b - a > 1}
    pairs = numpy.empty(0, numpy.int64)
    pending = []
    for group in groups:
        members = numpy.frombuffer(group, numpy.int64)
        left, right = numpy.triu_indices(len(members), 1)
        pending.append(members[left] << 32 | members[right])
        if sum(map(len, pending)) > 20_000_000:
            pairs, pending = numpy.unique(numpy.concatenate([pairs, *pending])), []
    return numpy.unique(numpy.concatenate([pairs, *pending]))


def read_pairs(path):
    """Read pairs that are printed as two numbers."""
    numbers = numpy.loadtxt(path, numpy.int64, ndmin=2) if Path(path).stat().st_size else numpy.empty((0, 2), numpy.int64)
    return numpy.unique(numbers[:, 0] << 32 | numbers[:, 1])


def main(arguments):
    """Print pairs, or compare two lists; return the exit status."""
    if len(arguments) == 3 and arguments[0] == "--compare":
        truth, found = map(read_pairs, arguments[1:])
        missed, wrong = numpy.setdiff1d(truth, found), numpy.setdiff1d(found, truth)
        print(len(truth), len(found), len(missed), len(wrong), sep="\t")
        return int(len(missed) + len(wrong) > 0)
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    pairs = true_pairs(*arguments)
    numpy.savetxt(sys.stdout, numpy.stack([pairs >> 32, pairs & 2**32 - 1], 1), "%d", "\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
