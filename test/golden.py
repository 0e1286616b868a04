#!/usr/bin/python3
r"""Golden vectors for lshsim: signatures computed by a second, independent implementation.

It is written from the definitions alone, not from the C code: the opening comments of src/type/minhash.h (format),
src/core/text/shingling.h (shingling), src/core/text/normalize.c (normal form), src/core/text/words.c (words), src/core/text/shingle.c (shingles), src/core/base/hash.h (hashes),
src/core/sketch/sketch.c (slots), src/core/sketch/slots.c (codes), src/core/sketch/weighted.c (weighted sets) and src/core/bands/bands.c (keys).  It needs Python 3.9 or later and Debian's package python3-xxhash.

    test/golden.py > test/data/golden.tsv           write the vectors
    test/golden.py --check test/data/golden.tsv     exit 1 and name the vectors that differ

The output is UTF-8 in COPY text format, without a header line; its columns are
    id, kind, input, shingling, num_hashes, seed, method, bytes, keys
kind: text; integer (a bigint[] literal); strings (a text[] literal); tsvector (its literal); weighted (a text[]
literal of pairs: an element and its weight); imported (a bigint[] literal of minima); or another type, of whose values
it is an array literal (see canonical.py).
bytes: the binary form of the signature, in hexadecimal.  keys: those of its bands, a bigint[] literal.  Every code point is one of Unicode 14.
"""
import re
import sys
from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from itertools import chain, count, product
from math import factorial, frexp
from operator import add
from struct import pack
from unicodedata import category, normalize

from xxhash import xxh3_64_intdigest

from canonical import Value, canonical

UNITS = {"char": 1, "word": 2, "integer": 3, "text": 4, "lexeme": 5, "other": 6}
KINDS = {"char": "text", "word": "text", "integer": "integer", "text": "strings", "lexeme": "tsvector",
         "other": "imported"}
FLAGS = {"raw": 1, "bag": 2}
METHODS = {"one-permutation": 1, "k-permutation": 2, "weighted": 3, "imported": 4}
SLOT_EMPTY = 0xFFFF
SEGMENT_LIMIT = 128
IGNORABLE = ("[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
             "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")  # as in DerivedCoreProperties.txt
WHITE_SPACE = "[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
SPACELESS_RANGES = [
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),  # Thai, Lao; Myanmar; Khmer
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B),  # Han radicals, signs, numerals
    (0x3041, 0x30FF), (0x31F0, 0x31FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F),  # Myanmar, continued
    (0xF900, 0xFAFF), (0xFF66, 0xFF9F),  # Han compatibility, halfwidth Katakana
    (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF)]  # Kana extensions, Han extensions


# The normal form of a text

def fold(text):
    """Return toNFKC_Casefold(NFD(text))."""
    kept = re.sub(IGNORABLE, "", normalize("NFD", text))
    text = normalize("NFC", "".join(normalize("NFKD", normalize("NFKD", c.casefold()).casefold()) for c in kept))
    assert not re.search(IGNORABLE, text), f"something maps to what is ignored: {text[:40]!a}"
    return text


def starts_segment(char):
    """Return true if the decomposition starts with no mark, Hangul vowel or final (but U+11A7 does not compose), nor U+16D67."""
    first = normalize("NFKD", char)[0]
    return category(first)[0] != "M" and (not "\u1160" <= first <= "\u11ff" or first == "\u11a7") and first != "\U00016d67"


def segments(text):
    """Cut a text into the pieces that are normalised one by one; what is ignored goes with what is before it."""
    pieces, counted = [""], SEGMENT_LIMIT
    for char in text:
        if not re.match(IGNORABLE, char):
            if starts_segment(char) or counted == SEGMENT_LIMIT:
                pieces.append("")
                counted = 0
            counted += 1
        pieces[-1] += char
    return pieces


def normal_form(text):
    """Normalise a text by segments; where none was cut short, check that against the whole text."""
    pieces = segments(text)
    folded = "".join(map(fold, pieces))
    if all(len(re.sub(IGNORABLE, "", piece)) < SEGMENT_LIMIT for piece in pieces):
        assert folded == fold(text), f"segments change the result: {text[:40]!a}"
    return re.sub(WHITE_SPACE, " ", folded).strip(" ")


# From a document to the hashes of its elements

def words(text):
    """List the words of a text."""
    found, run = [], ""
    for char in text + " ":
        is_word = char == "_" or category(char)[0] in "LMN"
        alone = is_word and any(low <= ord(char) <= high for low, high in SPACELESS_RANGES)
        if run and (alone or not is_word):
            found.append(run)
            run = ""
        if alone:
            found.append(char)
        elif is_word:
            run += char
    return found


def text_hashes(text, unit, n, flags, seed):
    """List the hashes of the shingles of a text, numbered if they form a bag."""
    if "raw" not in flags:
        text = normal_form(text)
    if unit == "char":
        units = [char.encode() for char in text]
    else:
        units = [pack("<Q", xxh3_64_intdigest(word.encode(), seed)) for word in words(text)]
    starts = range(max(1, len(units) - n + 1)) if units else ()
    hashes = [xxh3_64_intdigest(b"".join(units[i:i + n]), seed) for i in starts]
    if "bag" in flags:
        seen = Counter()
        for i, shingle in enumerate(hashes):
            seen[shingle] += 1
            hashes[i] = xxh3_64_intdigest(pack("<QQ", shingle, seen[shingle]), seed)
    return hashes


def element_bytes(element):
    """Return the bytes that an element is hashed by: an integer, a string, or a value of another type."""
    if isinstance(element, Value):
        return canonical(*element)
    return pack("<q", element) if isinstance(element, int) else element.encode()


def element_hashes(elements, seed):
    """List the hashes of the non-null members of an array."""
    return [xxh3_64_intdigest(element_bytes(e), seed) for e in elements if e is not None]


# From hashes to a signature

def mix64(z):
    """Mix 64 bits: the finaliser of splitmix64."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def splitmix64(state):
    """Generate 64-bit numbers (Steele, Lea, Flood 2014)."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        yield mix64(state)


def minima(hashes, k, seed, method):
    """List the minimum of each slot, or None."""
    if method == "k-permutation":
        xs = {h % 2**32 for h in hashes}
        draws = [z for _, z in zip(range(k), splitmix64(seed))]
        return [min((((z >> 32 | 1) * x + z) % 2**32 for x in xs), default=None) for z in draws]
    slots = [None] * k
    for value, slot in sorted(((h % 2**32, (h >> 32) * k >> 32) for h in hashes), reverse=True):
        slots[slot] = value
    return slots


def code(value, fraction_bits=11):
    """Round a minimum down to its 16-bit code."""
    if value is None:
        return SLOT_EMPTY
    exponent, exact = value.bit_length() - 1, 2**fraction_bits
    return value if value < exact else exact * (exponent - fraction_bits + 1) + (value >> exponent - fraction_bits) % exact


def imported(values):
    """List the slots of a signature made elsewhere."""
    if set(values) in ({2**32 - 1}, {-1}):
        return [SLOT_EMPTY] * len(values)
    return [code(value % 2**64, fraction_bits=10) for value in values]


def poisson_limits():
    """List 2^64 times the probability of at most 0, 1, ..., 19 events where one is expected, rounded down."""
    with localcontext() as context:
        context.prec = 60
        return [int(2**64 * sum(1 / Decimal(factorial(j)) for j in range(n + 1)) / Decimal(1).exp())
                for n in range(20)]


POISSON_LIMITS = poisson_limits()
GOLDEN = 0x9E3779B97F4A7C15


def cell_darts(strip, piece, cell):
    """Generate the darts of a cell: rank, slot as a fraction of 2^32, place across, code."""
    r = mix64((strip + ((piece + 2048) * 2**32 + cell) * GOLDEN) % 2**64)
    for i in range(1, sum(r >= limit for limit in POISSON_LIMITS) + 1):
        a, b = (mix64((r + j * GOLDEN) % 2**64) for j in (2 * i, 2 * i + 1))
        rank = (cell + Fraction(2 * (a >> 32) + 1, 2**33)) / Fraction(2)**piece
        yield rank, a % 2**32, b >> 16, min(b % 2**16, 0xFFFE)


def element_darts(element_hash, weight, height):
    """Generate the darts of an element, of ranks below a height at least, that fell to the left of its weight."""
    strip = mix64(element_hash ^ GOLDEN)
    top = frexp(weight)[1] - 1
    for piece in range(top, top - 21, -1):
        width = int(2**48 * (Fraction(weight) / Fraction(2)**piece - 1)) if piece == top else 2**48
        for cell in range(int(height * Fraction(2)**piece) + 1):
            for rank, slot, place, dart_code in cell_darts(strip, piece, cell):
                if rank < height and place < width:
                    yield rank, slot, dart_code


def weighted(pairs, k, seed):
    """List the slots of a weighted set: the code of the lowest dart of each."""
    elements, weights = [e for e, w in pairs if e is not None and w], defaultdict(list)
    for element_hash, weight in zip(element_hashes(elements, seed), (w for e, w in pairs if e is not None and w)):
        weights[element_hash].append(weight)
    if not weights:
        return [SLOT_EMPTY] * k
    sums = {element_hash: reduce(add, sorted(parts)) for element_hash, parts in weights.items()}
    height, lowest = k / sum(map(Fraction, sums.values())), {}
    while len(lowest) < k:
        height *= 4
        for element_hash, weight in sums.items():
            for rank, place, dart_code in element_darts(element_hash, weight, height):
                slot = place * k >> 32
                lowest[slot] = min(lowest.get(slot, (rank, dart_code)), (rank, dart_code))
    return [lowest[slot][1] for slot in range(k)]


def signature(document, shingling, k, seed, method):
    """Return head and slots of the signature of a text, a list, or a dictionary keyed by lexeme."""
    size, *flags = shingling.split(" ")
    unit, _, n = size.partition(":")
    n, seed = int(n or 0), seed % 2**32
    header = pack(">BBHIII", 1, METHODS[method], k,
                  UNITS[unit] | n << 8 | sum(FLAGS[flag] for flag in flags) << 16, seed, 0)
    if method == "imported":
        return header, imported(document)
    if method == "weighted":
        return header, weighted(document, k, seed)
    hashes = text_hashes(document, unit, n, flags, seed) if n else element_hashes(document, seed)
    return header, [code(minimum) for minimum in minima(hashes, k, seed, method)]


# From a signature to the keys of its bands

def densified(slots, i):
    """Return a slot, or the one that it borrows from, with the place of its value."""
    attempts = (mix64(i << 32 | attempt) for attempt in count())
    places = chain([i], ((random >> 32) * len(slots) >> 32 for random in attempts))
    place = next(place for place in places if slots[place] != SLOT_EMPTY)
    return place << 16 | slots[place]


def band_keys(slots):
    """List the keys of the bands of a signature: 8 bits for the band, 14, 12, 10, 7, 7 and 6 for its rows, zeros."""
    keys = []
    if set(slots) != {SLOT_EMPTY}:
        for band in range(min(64, len(slots) // 3)):
            first = 3 * band
            rows = 6 if band % 2 == 0 and first + 6 <= len(slots) else 3
            key, left = band, 56
            for row, bits in zip(range(first, first + rows), (14, 12, 10, 7, 7, 6)):
                key = key << bits | mix64(densified(slots, row)) >> 64 - bits
                left -= bits
            keys.append(key << left)
    return keys


# The vectors

def random_text(length, alphabet, seed):
    """Draw a text with a number of code points from an alphabet."""
    return "".join(alphabet[z % len(alphabet)] for _, z in zip(range(length), splitmix64(seed)))


ENGLISH = ("It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of "
           "foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the season of "
           "Light, it was the season of Darkness.")

SCRIPTS = {
    "cyrillic": "Съешь ЕЩЁ этих мягких булок \ua64a\u1c88", "armenian": "ՀԱՅ և հայ \ufb13",
    "georgian": "ქართული \u1c90\u1c91", "cherokee": "\u13a0\uab70\u13f8", "deseret": "\U00010400\U00010428",
    "greek": "Ὀδυσσεύς ΌΔΥΣΣΕΎΣ ὀδυσσεὺσ ᾳ ᾼ \u1fb7 \u0390 \u1fd3 \u2126", "persian": "می\u200cخواهم",
    "hebrew": "שָׁלוֹם עולם \ufb2a \u05e9\u05bc\u05c1 \ufb4f", "arabic": "السَّلامُ عَلَيْكُم \ufdfa \ufefb ١٢٣",
    "devanagari": "हिन्दी क्षेत्र \u0958 \u0915\u093c १२३", "bengali": "ক\u09c7\u09be",
    "tibetan": "བོད་ཡིག \u0f43 \u0f77",
    "tamil": "தமிழ் கொ \u0b95\u0bc6\u0bbe", "thai": "ภาษาไทย น้ำ ฿5 ๑๒๓", "lao": "ພາສາລາວ ນ\u0eb3 \u0edc",
    "khmer": "ភាសាខ្មែរ។ \u19e0", "myanmar": "မြန်မာ၊ ၁၂ \uaa60", "han": "漢字、简体字。々 〇 \u2f00",
    "han_extensions": "𠀀𪛖𫝀 abc𠮷def \U00030000", "han_compatibility": "\uf900\ufa0e\U0002f800",
    "japanese": "これはペンです。ガーデン・ x々y\u309b \u31f0\u30f7\U0001b000",
    "katakana_halfwidth": "\uff76\uff9e\uff77\uff9f\uff66 \uff9e", "hangul": "한국어 텍스트 갂",
    "hangul_jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af \uac00\u11a8 \u11a8\u1161",
    "hangul_no_final": "\uac00\u11a7 \u1100\u1161\u11a7 \uac00\u200d\u11a7 \uac01\u11a7 \uac00\u11a7\u11a8 \uac00\u11a8\u11a7 \u11a7\u1161",
    "hangul_halfwidth": "\uffa1\uffc2\uffa4 \uffa0",
    "hangul_compatibility": "\u3131\u314f\u3134 \u3164 \u3200 \u321d",
    "emoji": "👩\u200d👩\u200d👧 👍🏽 🇫🇷 ❤\ufe0f 1\ufe0f\u20e3", "music": "\U0001d15e \U0001d15f"}
RAW_FORMS = {
    "decomposed": "cafe\u0301 e\u0323\u0302 A\u030a", "fullwidth": "ＦＵＬＬ　Ｗｉｄｔｈ１２３＿！",
    "numbers": "x²y₃ ½ Ⅷ ①", "halfwidth": "ab\uff76\uff9e\uff66 \uff71",
    "spaceless": "x㐀x一x\uf900x𠀀x𪜀x\U0002f800x\U00030000xあxアxㇰx\U0001b000xกxກxកxကx\ua9e0x\uaa60x",
    "spaces": " \t a\u00a0\u3000b\u2028c\u2029d\u0085e\r\nf\x0b\x0cg\u1680h\u2003i\u202fj\u205fk\u200al \u3000",
    "not_spaces": "a\u200bb\u180ec\ufeffd\x1ce\x1ff\u00adg\u2060h\x01i\x7fj"}
IGNORED = {
    "ignored_soft_hyphen": "co\u00adop\u00ad era\u00adtion \u00ad", "ignored_joiners": "\u0646\u0645\u06cc\u200c\u062e x\u200dy \u0915\u094d\u200d\u0937",
    "ignored_across_marks": "e\u034f\u0301 a\u0301\u200d\u0323 \u1112\u200b\u1161\u034f\u11ab", "ignored_only": "\u200b\ufeff\u2060", "ignored_first": "\ufeff\u0301a\u00ad b",
    "ignored_greek": "\u03b1\u0345\u034f\u0301 \u03b1\u0345\u0301 \u03b1\u034f\u0345\u034f\u034f\u0301",
    "ignored_fillers": "a\u115fb\u1160c\u3164d\uffa0e \u17b4\u17b5", "ignored_selectors": "\u2764\ufe0f \u2764 \u8fba\U000e0101 \u1820\u180b",
    "ignored_controls": "a\u202eb\u202c\u061c c\u2066d\u2069\U0001d173e\U0001bca0f\U000e0041",
    "ignored_spaces": " \u200b \u2060a \u200b b\u200b \u200b", "ignored_run": "e" + "\u200b\u200d" * 300 + "\u0301 e" + "\u200c\u0323\u034f\u0301" * 80}
FORMS = {
    "precomposed": "caf\u00e9 \u1ec7 \u00c5", "kelvin": "\u212b \u2126 \u212a", "modifiers": "ᴬᵦʰ",
    "mark_order": "a\u0301\u0323\u0327b a\u0327\u0323\u0301b a\u0323\u0301\u0327b", "mark_first": "\u0301abc",
    "mark_after_space": "a \u0301b", "mark_doubled": "a\u0344b", "mark_fullwidth": "\uff21\u030a",
    "ypogegrammeni_apart": "e\u037a\u0301", "ypogegrammeni": "α\u0345\u0301 α\u0301\u0345 \u037a", "spacing_marks": "a\u00a8b \u00b4 \u1fbd",
    "sharp_s": "Straße \u1e9e STRASSE", "sigma": "ΣΑΣ σας", "long_s": "ſ \u1e9b\u0323",
    "dotted_i": "İstanbul Iı i\u0307", "n_apostrophe": "\u0149 \u01f0 \u1e9a", "symbols": "™ ㎭ ℡ № ㋿ … ″",
    "ligatures": "ﬃ ﬅ ﬁn \u0132 \u01c4 \u01c5", "math": "\U0001d400\U0001d7d8 \u2adc",
    "private_use": "a\ue000b\U000f0000c\U0010fffd"}
MARKS = "\u0301\u0323" * 150
LIMITS = {  # segments of about SEGMENT_LIMIT code points and more, some of which expand
    "same_300": "ab" + "\u0301" * 300 + "c", "mixed_300": "ab" + MARKS + "c", "first_300": MARKS + "c",
    "space_300": "a " + MARKS, "mixed_127": "a" + MARKS[:127] + "b", "mixed_128": "a" + MARKS[:128] + "b",
    "mixed_256": "a" + MARKS[:256] + "e\u0301", "doubled_100": "a" + "\u0344\u0323" * 50 + "b",
    "vowels_300": "\u1112" + "\u1161" * 300, "vowels_mixed_300": "\u1112" + "\u1161\u11a7" * 150, "ypogegrammeni_150": "α" + "\u0345\u0301" * 75}
WORDS = {
    "no_word": "?! ... \u2014 \u00ab\u00bb", "one_word": "word", "two_words": "two words",
    "three_words": "just three words", "same_words": "a a a a", "underscore": "snake_case _ __x 3_4 2x",
    "apostrophe": "don't rock 'n' roll, l\u2019\u00e9t\u00e9"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LENGTHS = (1, 3, 4, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 240, 241, 256, 257, 512, 513, 1023, 1024, 1025, 2049)
LENGTH_WORDS = [random_text(length, LETTERS, length) for length in LENGTHS]
LONG_WORDS = {f"long_word_{length}": f"a {random_text(length, alphabet, length)} b" for length, alphabet in (
    (4095, LETTERS), (4096, LETTERS), (4097, LETTERS), (8192, LETTERS), (20001, LETTERS), (3000, "αβγδές"))}
BORDERS = {  # the end of an 8192-byte buffer falls this number of bytes into the text after the dots
    f"border_{shift}": "." * (8192 - shift) + "é漢𠀀e\u0301  x" for shift in (1, 3, 4, 6, 7, 8, 10, 11, 13)}
PRINTABLE = LETTERS + LETTERS.upper() + "0123456789 .,;-_ \n"
MIXTURE = "".join(sorted(set("".join([*SCRIPTS.values(), *FORMS.values(), *RAW_FORMS.values()]))))
INTEGERS = {"empty": [], "zero": [0], "set": [1, 2, -3], "repeated": [5, 5, -5, 5], "nulls": [None, 1, None],
            "extreme": [2**63 - 1, -2**63, 2**31 - 1, -2**31, 2**32, -1, 0], "many": list(range(-500, 500))}
STRINGS = {"empty": [], "empty_string": [""], "plain": ["a b", "c", "c"], "nulls": [None, "NULL", "null"],
           "null": [None], "escapes": ['"', "\\", "{,}", "\t\n\r", "'"],
           "scripts": list(SCRIPTS.values()), "not_normalised": ["É", "E\u0301", "\u00e9", " é "],
           "lengths": LENGTH_WORDS}
LEXEMES = {"empty": {}, "plain": {"a": ":1", "cat": ":2"}, "positions": {"a": ":1,5A,9B", "rat": "", "É": ":3"},
           "escapes": {"it's": ":1", "back\\slash": ":2", "a b": ":3", "漢字": ":4"}}
WEIGHTS = {
    "empty": [], "one": [(7, 1.0)], "proportions": [(1, 0.1), (2, 2.5), (3, 1e-3)],
    "not_there": [(None, 3.0), (4, 0.0), (5, 2.0)], "repeated": [(1, 0.3), (2, 1.0), (1, 0.1), (1, 0.2)],
    "powers": [(p, 2.0**p) for p in range(-30, 31, 5)], "large": [(-1, 1.5e308), (2**63 - 1, 8e307)],
    "small": [(1, 5e-324), (2, 2.5e-323)], "far_apart": [(1, 1e300), (2, 1e-300)],
    "almost_two": [(1, 2.0 - 2.0**-52), (2, 2.0 - 2.0**-40), (3, 2.0)],
    "many": [(i, 1 / (i + 1)) for i in range(1000)], "sums": [(i % 7, 1 / (i + 3)) for i in range(500)]}
WEIGHTED_STRINGS = {
    "plain": [("a", 1.0), ("b", 2.0), (None, 3.0), ("z", 0.0)], "escapes": [('"', 1.5), ("\\", 2.5), ("{,}", 3.5), ("", 4.5)],
    "scripts": [(text, float(i + 1)) for i, text in enumerate(SCRIPTS.values())]}
MINIMA_64 = [z - 2**64 if z >= 2**63 else z for _, z in zip(range(100), splitmix64(7))]
MINIMA_32 = [z >> 32 for _, z in zip(range(128), splitmix64(8))]
BORDER_MINIMA = [z + step for e in range(10, 63) for z in (2**e,) for step in (-1, 0, 1)]
MINIMA = {
    "64_bits": MINIMA_64, "32_bits": MINIMA_32, "borders": BORDER_MINIMA, "small": list(range(16)),
    "largest": [-1, -2, 2**63 - 1, -2**63] * 4, "empty_32": [2**32 - 1] * 16, "empty_64": [-1] * 17,
    "not_empty": [2**32 - 1] * 15 + [2**32 - 2]}
LITERALS = {
    "boolean": ["t", "f"], '"char"': ["a", "~"], "real": ["0", "-0", "0.1", "-1.5", "NaN", "Infinity", "3.4028235e38", "1e-45"],
    "float8": ["0", "-0", "0.1", "-1.5", "NaN", "Infinity", "-Infinity", "1.7976931348623157e308", "5e-324"],
    "numeric": ["0", "-0.00", "1", "-1", "1.00", "10", "100000", "0.1", "0.00012", "12345.678900", "9999.9999", "NaN", "Infinity",
                "-Infinity", "1e131071", "-1e-16383", "123456789012345678901234567890123456789.0001", "20000.0002", "1e-3", "10203"],
    "money": ["0.00", "12.34", "-92233720368547758.08"], "bytea": ["\\x", "\\x00", "\\x0000", "\\xff", "\\x" + "ab" * 3000],
    "uuid": ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000"],
    "date": ["2000-01-01", "1999-12-31", "2024-02-29", "0001-01-01", "infinity", "-infinity"],
    "time": ["00:00:00", "12:34:56.789000", "23:59:59.999999"],
    "timestamp": ["2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "2024-02-29 12:00:00.500000", "infinity", "-infinity"],
    "timestamptz": ["2000-01-01 00:00:00+00:00", "2000-01-01 00:00:00+05:30", "1970-01-01 01:00:00-08:00", "infinity", "-infinity"],
    "macaddr": ["08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"], "macaddr8": ["08:00:2b:ff:fe:01:02:03"],
    "oid": ["0", "1", "4294967295"], "xid": ["3", "4294967295"], "xid8": ["3", "9223372036854775807"], "cid": ["0", "7"],
    "pg_lsn": ["0/0", "16/B374D848", "7FFFFFFF/FFFFFFFF"]}
VALUES = {type_: [Value(type_, v) for v in literals] for type_, literals in LITERALS.items()}
ONE, BOTH = list(METHODS)[:1], list(METHODS)[:2]
GROUPS = [  # documents, shinglings, numbers of hashes, seeds, methods; a vector for each combination
    ({"english": ENGLISH}, ["char:5"], [16, 17, 128, 1000, 4096], [0], BOTH),
    ({"english": ENGLISH}, ["char:5"], [64, 100, 200, 256], [0], ONE),
    ({"english": ENGLISH}, ["word:2 bag"], [64], [0, 1, -1, 2**31 - 1, -2**31, 42], BOTH),
    ({"english": ENGLISH}, ["char:1", "char:9", "char:255", "char:5 raw", "char:5 bag", "char:5 raw bag",
                            "word:1", "word:2", "word:3", "word:5", "word:255", "word:2 raw", "word:1 raw bag"],
     [128], [0], ONE),
    ({"upper": ENGLISH.upper(), "lower": ENGLISH.lower()}, ["char:5"], [128], [0], ONE),
    ({"length_0": ""}, ["char:5"], [16], [0], BOTH),
    ({f"length_{n}": "abcdef"[:n] for n in (1, 4, 5, 6)}, ["char:5"], [64], [0], ONE),
    ({"white": " \t\r\n \u3000"}, ["char:5", "char:2 raw", "char:1 raw bag", "word:1", "word:1 raw"],
     [64], [0], ONE),
    ({"escapes": "C:\\temp\\n\t\\.\r\n"}, ["char:2 raw"], [64], [0], ONE),
    (SCRIPTS, ["char:3", "word:1"], [128], [0], ONE),
    (FORMS, ["char:2"], [128], [0], ONE),
    (IGNORED, ["char:2", "word:1", "char:2 raw", "word:1 raw"], [128], [0], ONE),
    (RAW_FORMS, ["char:2", "char:2 raw", "word:1 raw"], [128], [0], ONE),
    (LIMITS, ["char:255"], [64], [0], ONE),
    (WORDS, ["word:1", "word:3 bag"], [64], [0], ONE),
    (LONG_WORDS, ["word:1"], [64], [0], ONE),
    ({"lengths": " ".join(LENGTH_WORDS)}, ["word:1"], [128], [-1], ONE),
    (BORDERS, ["char:3"], [64], [0], ONE),
    ({name: BORDERS[name] for name in ("border_3", "border_6")}, ["char:3 raw", "word:1"], [64], [0], ONE),
    ({"padded": " " * 8200 + "a" + "\u3000" * 2800 + "b "}, ["char:2"], [64], [0], ONE),
    ({"expanding": "\ufdfa" * 500}, ["char:18 bag"], [1000], [0], ONE),
    ({"ascii_20000": random_text(20000, PRINTABLE, 1)}, ["char:5", "char:255"], [256], [0], ONE),
    ({"ascii_9000": random_text(9000, PRINTABLE, 2)}, ["char:1", "char:9", "word:99 bag"], [256], [0], ONE),
    ({"mixed_10000": random_text(10000, MIXTURE, 3)}, ["char:255", "char:255 raw"], [256], [0], ONE),
    ({"mixed_4000": random_text(4000, MIXTURE, 4)}, ["char:1", "char:5", "char:9", "word:99"], [256], [0], ONE),
    ({"mixed_3000": random_text(3000, MIXTURE, 5)}, ["char:2 bag"], [4096], [0], ONE),
    ({f"mixed_200_{i}": random_text(200, MIXTURE, i) for i in range(10, 16)}, ["char:20"], [256], [0], ONE),
    (INTEGERS, ["integer"], [64], [0], ONE),
    (STRINGS, ["text"], [64], [0], ONE),
    (LEXEMES, ["lexeme"], [64], [0], ONE),
    ({"many": INTEGERS["many"]}, ["integer"], [100], [-1], BOTH),
    ({"lengths": LENGTH_WORDS}, ["text"], [100], [-1], BOTH),
    ({"plain": LEXEMES["plain"]}, ["lexeme"], [100], [-1], BOTH),
    (WEIGHTS, ["integer"], [64], [0], ["weighted"]),
    (WEIGHTED_STRINGS, ["text"], [100], [-1], ["weighted"]),
    ({"proportions": WEIGHTS["proportions"]}, ["integer"], [16, 17, 1000, 4096], [42], ["weighted"]),
    (VALUES, ["other"], [64], [0], ONE),
    ({"numeric": VALUES["numeric"]}, ["other"], [100], [-1], BOTH),
    *(({name: values}, ["other"], [len(values)], [seed], ["imported"])
      for seed, (name, values) in enumerate(MINIMA.items()))]


# The file

def literal(document):
    """Write a document as PostgreSQL reads it."""
    def quoted(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(document, str):
        return document
    if isinstance(document, dict):
        return " ".join("'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" + positions
                        for lexeme, positions in document.items())
    return "{" + ",".join("NULL" if e is None else quoted(e.literal) if isinstance(e, Value)
                          else literal(e) if isinstance(e, tuple)
                          else quoted(e) if isinstance(e, str) else repr(e) for e in document) + "}"


def copy_line(name, document, shingling, k, seed, method):
    """Compute a vector and write it as a line of COPY text format."""
    text = literal(document)
    assert not any(category(char) in ("Cn", "Cs") or char == "\0" for char in text), name
    identifier = f"{name}/{shingling}/{k}/{seed}/{method}".replace(" ", "+")
    kind = "weighted" if method == "weighted" else name if name in VALUES else KINDS[re.match("[a-z]+", shingling)[0]]
    header, slots = signature(document, shingling, k, seed, method)
    bytes_ = header + pack(f">{k}H", *slots)
    keys = "{" + ",".join(map(str, band_keys(slots))) + "}"
    fields = [identifier, kind, text, shingling, str(k), str(seed), method, bytes_.hex(), keys]
    escapes = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
    return "\t".join(field.translate(escapes) for field in fields) + "\n"


def by_id(lines):
    """Map the id of each line to the line."""
    return {line.partition("\t")[0]: line for line in lines}


def print_or_check(program, lines, arguments):
    """Print vectors, or compare a file with them; return the exit status."""
    assert len(by_id(lines)) == len(lines), "an id is used twice"
    if not arguments:
        sys.stdout.buffer.write("".join(lines).encode())
        return 0
    if len(arguments) != 2 or arguments[0] != "--check":
        print(f"usage: {program} [--check FILE]", file=sys.stderr)
        return 2
    with open(arguments[1], encoding="utf-8", newline="\n") as file:
        present = list(file)
    if present == lines:
        return 0
    wanted, found = by_id(lines), by_id(present)
    differing = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
    print("\n".join(differing) or "same vectors, but in another order or repeated")
    return 1


def main(arguments):
    """Print or check the vectors."""
    lines = [copy_line(name, document, *options) for documents, *axes in GROUPS
             for name, document in documents.items() for options in product(*axes)]
    return print_or_check("golden.py", lines, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
