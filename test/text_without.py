#!/usr/bin/python3
r"""Random pairs of texts, and the first without the passages that it shares with the second, written from REFERENCE.md.

The list of passages is that of test/edited_passages.py, an independent implementation of the definition.

    test/text_without.py 10000 7            print 10,000 pairs of seed 7, in COPY text format without a header line

Its columns are body, other, run, length, edits, and what text_without(body, other, run, length, edits) must return.
"""
import random
import re
import sys

from edited_passages import list_passages, random_texts


def spell(rng, units, words):
    """Return a text with these units, and where each of them starts and ends in it."""
    text, places = rng.choice(("", "", " ", "\n", "> ", "(") if words else ("", "", " ", "\n\t")), []
    for unit in units:
        if words and places:
            text += rng.choice((" ", " ", "  ", "\n", ".\r\n", ", ", ".\n> ", " (", "--", "\t"))
        start = len(text)
        text += rng.choice((" ", "\n", " \f", "\v\n ")) if unit == " " else unit
        places.append((start, len(text)))
    return text + rng.choice(("", "", ".", "\n") if words else ("", "", "\n", "  ")), places


def one_space(units):
    """Return the units of a text of these characters: runs of white space are one space, or none at the ends."""
    return list(re.sub(" +", " ", "".join(units)).strip(" "))


def without(text, places, passages):
    """Return the text without these passages, which are pairs of the first unit and of the one after the last."""
    if not passages:
        return text
    result, end = "", None
    for (_, first), (last, _) in zip([(0, 0), *passages], [*passages, (len(places), 0)]):
        if first == last:
            continue
        before = text[places[first - 1][1]:places[first][0]] if first else ""
        after = text[places[last - 1][1]:places[last][0]] if last < len(places) else ""
        start = places[first][0] - len(re.search(r"\S*$", before)[0]) if first else 0
        stop = places[last - 1][1] + len(re.match(r"\S*", after)[0]) if last < len(places) else len(text)
        piece = text[start:stop]
        start += (len(piece) - len(piece.lstrip())) * (first > 0)
        stop -= (len(piece) - len(piece.rstrip())) * (last < len(places))
        if start < stop:
            if end is not None:
                result += "\n" if "\n" in text[end:start] else " "
            result += text[start:stop]
            end = stop
    return result


def escaped(text):
    """Return a text as COPY reads it."""
    return text.translate({ord(char): "\\" + letter for char, letter in zip("\\\n\r\t\v\f", "\\nrtvf")})


def main(pairs, seed):
    """Print pairs of texts."""
    rng = random.Random(seed)
    for _ in range(pairs):
        words = rng.random() < 0.7
        size = rng.choice((2, 2, 3, 5, 10, 26) + (50,) * words)
        alphabet = [f"w{i}" for i in range(size)] if words else [chr(ord("a") + i) for i in range(size)] + [" "]
        a, b = random_texts(rng, alphabet)
        if not words:
            a, b = one_space(a), one_space(b)
        run, edits = rng.randrange(1, 9), rng.choice((0, 0, 0, 1, 1, 2, 2, 3, 5))
        length = rng.choice((0, run, run + rng.randrange(12), run + rng.randrange(25)))
        body, places = spell(rng, a, words)
        passages = [part for _, _, part, _ in list_passages(a, b, run, length, edits)]
        result = without(body, places, passages)
        if words:
            kept = [unit for n, unit in enumerate(a) if not any(first <= n < last for first, last in passages)]
            assert re.findall(r"\w+", result) == kept
        shingling = f"{'word' if words else 'char'}:{run}"
        print(escaped(body), escaped(spell(rng, b, words)[0]), shingling, length, edits, escaped(result), sep="\t")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
