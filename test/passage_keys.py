#!/usr/bin/python3
r"""Golden vectors for passage_keys(): keys computed by a second, independent implementation.

It is written from the definition alone: the opening comment of src/core/passages/winnow.c, and what golden.py is written from.

    test/passage_keys.py > test/data/passage_keys.tsv           write the vectors
    test/passage_keys.py --check test/data/passage_keys.tsv     exit 1 and name the vectors that differ

The output is UTF-8 in COPY text format, without a header line; its columns are id, input, run, keys: an int[] literal,
in ascending order.
"""
import sys
from itertools import product

from golden import (BORDERS, ENGLISH, FORMS, IGNORED, LIMITS, LONG_WORDS, MIXTURE, PRINTABLE, RAW_FORMS, SCRIPTS, WORDS,
                    print_or_check, random_text, text_hashes)


def gram_size(unit, n):
    """Return k, the units of a k-gram."""
    return min(n, n // 10 + {"char": 15, "word": 4}[unit])


def passage_keys(text, run):
    """Return the set of the keys of a text: of every window, the lower half of the smallest order."""
    size, *flags = run.split(" ")
    unit, _, n = size.partition(":")
    k = gram_size(unit, int(n))
    width = int(n) - k + 1
    orders = [h % 2**63 for h in text_hashes(text, unit, k, flags, 0)]
    windows = [orders[i:i + width] for i in range(max(1, len(orders) - width + 1))] if orders else []
    return {(min(window) + 2**31) % 2**32 - 2**31 for window in windows}


PERIODIC = {f"period_{p}": ("abcdefghijklmnopqrstuvwxyz"[:p] * 300)[:300] for p in (1, 2, 3, 19, 20, 21, 26)}
QUOTED = {"short": "Short", "eleven_words": " ".join(ENGLISH.split()[:11]), "twelve_words": " ".join(ENGLISH.split()[:12]),
          "thirteen_words": " ".join(ENGLISH.split()[:13]), "empty": "", "white": " \t\n\u3000", "no_word": "?! ..."}
GROUPS = [  # texts and runs; a vector for each combination
    ({"english": ENGLISH}, [f"word:{n}" for n in (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 20, 30, 41, 255)]),
    ({"english": ENGLISH}, [f"char:{n}" for n in (1, 2, 5, 15, 16, 17, 18, 19, 20, 30, 50, 99, 100, 110, 209, 255)]),
    ({"english": ENGLISH, "upper": ENGLISH.upper()}, ["char:50 raw", "word:12 raw", "word:12"]),
    (QUOTED, ["word:12", "char:50", "char:20 raw"]),
    (PERIODIC, ["char:50", "char:20"]),
    ({**SCRIPTS, **FORMS, **RAW_FORMS, **IGNORED}, ["char:20", "char:17 raw", "word:5"]),
    (WORDS, ["word:5"]), (LIMITS, ["char:50"]), (LONG_WORDS, ["word:5", "char:255"]), (BORDERS, ["char:20"]),
    ({"ascii_9000": random_text(9000, PRINTABLE, 2), "mixed_4000": random_text(4000, MIXTURE, 4)},
     ["char:17", "char:50", "char:100", "char:255", "word:5", "word:12", "word:255"]),
    ({"few_2000": random_text(2000, "ab ", 9)}, ["char:20", "char:50", "word:5", "word:12"])]


def copy_line(name, text, run):
    """Compute a vector and write it as a line of COPY text format."""
    keys = "{" + ",".join(map(str, sorted(passage_keys(text, run)))) + "}"
    escapes = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
    return "\t".join(field.translate(escapes) for field in (f"{name}/{run}".replace(" ", "+"), text, run, keys)) + "\n"


def main(arguments):
    """Print or check the vectors."""
    lines = [copy_line(name, text, run) for texts, runs in GROUPS for (name, text), run in product(texts.items(), runs)]
    return print_or_check("passage_keys.py", list(dict.fromkeys(lines)), arguments)



if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
