#!/usr/bin/python3
r"""Random pairs of texts, and their exact similarity: an independent implementation of the definition.

It counts the shingles in dictionaries.  The normal form and the words are those of test/golden.py.

    test/exact_similarity.py 3000 7 [latin1]    print 3,000 pairs of seed 7, in COPY text format without a header line

Its columns are a, b, a shingling, and what jaccard(a, b, shingling), containment(a, b, shingling) and
shingles(a, shingling) must return.  All characters are in the encoding, which is UTF-8 unless it is named.
"""
import random
import sys
from collections import Counter

from golden import normal_form, words

ALPHABETS = ["ab", "aB .", "abcdefghij ", "aäÄßé ×\xa0\xad", "0123456789abcdef", "".join(map(chr, range(33, 127))) + "  ",
             "ae\u0301\u0323\u0300E\u030a ", "日本語のテキスト。 ﾃﾞ", "añ👩‍🚀ﬁǅ ẞ€", "กขคabc ", "한국어ᄒ\u1161\u11ab "]


def shingle_list(text, shingling):
    """List the shingles of a text, with repetitions."""
    unit, size = shingling.split()[0].split(":")
    if "raw" not in shingling:
        text = normal_form(text)
    units, between = (list(text), "") if unit == "char" else (words(text), " ")
    return [between.join(units[i:i + int(size)]) for i in range(max(1, len(units) - int(size) + 1))] if units else []


def random_text(rng, alphabet):
    """Return a text: mostly short, sometimes repetitive or long enough that hashes collide in some bits."""
    length = rng.choice((0, 1, 2, 5, 20, 60, 300))
    if rng.random() < 0.003:
        length = rng.choice((30000, 60000))
    if rng.random() < 0.2:
        return "".join(rng.choices(alphabet, k=rng.randrange(1, 9))) * rng.randrange(1, 12)
    if rng.random() < 0.2:
        return " ".join("".join(rng.choices(alphabet, k=rng.randrange(1, 9))) for _ in range(rng.randrange(40)))
    return "".join(rng.choices(alphabet, k=rng.randrange(length + 1)))


def partner(rng, a, alphabet):
    """Return a text that is unrelated, equal, a part, or made of parts of a text."""
    kind = rng.randrange(6)
    if kind == 0:
        return random_text(rng, alphabet)
    if kind == 1:
        return a
    start, end = sorted(rng.randrange(len(a) + 1) for _ in range(2))
    if kind == 2:
        return a[start:end]
    if kind == 3:
        return a[:start] + random_text(rng, alphabet)[:9] + a[end:]
    if kind == 4:
        return a[end:] + a[start:end] + a[:end]
    return a.upper() if len(a) < 1000 else a[:-1]


def quoted(element):
    """Return an element of an array literal."""
    return '"' + element.replace("\\", r"\\").replace('"', r'\"') + '"'


def fraction(numerator, denominator):
    """Return a quotient as PostgreSQL shows it, NULL if there is none."""
    return repr(numerator / denominator) if denominator else None


def main(pairs, seed, encoding="utf-8"):
    """Print pairs of texts."""
    rng = random.Random(int(seed))
    sys.stdout.reconfigure(encoding="utf-8")
    for _ in range(int(pairs)):
        alphabet = rng.choice(ALPHABETS).encode(encoding, "ignore").decode(encoding)
        if rng.random() < 0.3:
            alphabet += rng.choice(ALPHABETS).encode(encoding, "ignore").decode(encoding)
        a = random_text(rng, alphabet)
        b = partner(rng, a, alphabet).encode(encoding, "ignore").decode(encoding)
        size = rng.choice((1, 2, 3, 4, 5, 5, 5, 7, 8, 9, 16, 17, 40, 255))
        shingling = rng.choice(("char:", "char:", "word:")) + str(size) + rng.choice(("", "", " raw")) + rng.choice(("", " bag"))
        in_a, in_b = (Counter(shingle_list(text, shingling)) for text in (a, b))
        listed = shingle_list(a, shingling)
        if "bag" not in shingling:
            in_a, in_b, listed = Counter(dict.fromkeys(in_a, 1)), Counter(dict.fromkeys(in_b, 1)), list(in_a)
        both = (in_a & in_b).total()
        listed = "{" + ",".join(map(quoted, listed)) + "}" if len(listed) < 1000 else None
        fields = (a, b, shingling, fraction(both, (in_a | in_b).total()), fraction(both, in_a.total()), listed)
        print(*(r"\N" if field is None else field.replace("\\", r"\\").replace("\n", r"\n").replace("\t", r"\t") for field in fields), sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
