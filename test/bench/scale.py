#!/usr/bin/python3
"""Print the page on internet scale from what test/bench/scale has measured.

Every figure of the page is the measured one at the most rows, times a power of the rows: bytes and reading grow with
the rows themselves, the others with the exponent that fits the measurements best (least squares of the logarithms).
"""
import sys
from collections import defaultdict
from math import ceil, erfc, log, sqrt

DOCUMENT = 2000            # bytes
SIZES = [10**8, 10**9, 10**10]
RAM, CORES, SHARDS = 256e9, 32, 32   # of a worker; SHARDS of them on each, one for a core
USABLE = 0.75              # of the memory, for the index
NETWORK = 1.25e9           # bytes a second and worker: 10 Gbit
LOOK_UPS = 16              # of a search at .8 with recall .99 and 128 hashes: lsh_plan(0.8, 0.99)
CLUSTER_ROW = 309          # bytes of minhash_cluster for a row of 128 hashes: parents and pairs_memory_size(), src/core/bands/pairs.c
ROW = 8 + 8 + 276          # bytes that a band sends for clusters: key, id, signature
INDEX = 2**27 * 8192       # bytes at which an index of signatures of 128 hashes is full
TASK = 0.0002              # seconds of processor time of Citus 13.2.2 for each shard of a search, see DEPLOYMENT.md


def read(path):
    """Return the measured values: name, rows, value."""
    figures = defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for line in file:
            rows, name, value = line.rstrip("\n").split("\t")
            figures[name][int(rows)] = float(value)
    return figures


def exponent(points):
    """Return the slope of the best line through the logarithms of rows and value; what falls is noise, and counts as 0."""
    xs, ys = [log(rows) for rows in points], [log(max(value, 1e-9)) for value in points.values()]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return max(0, sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs))


def number(value):
    """Write a number with two digits that count."""
    if value >= 10:
        digits = len(str(int(value))) - 2
        return f"{round(value / 10**digits) * 10**digits:,}"
    return f"{value:.2g}"


def size(value):
    """Write a number of bytes."""
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if value >= factor:
            return f"{number(value / factor)} {unit}"
    return f"{number(value / 1e6)} MB"


class Laws:
    """Measured figures, and estimates for other numbers of rows."""

    def __init__(self, figures):
        self.figures = figures

    def grown(self, name, rows, power=None):
        """Return a figure for a number of rows."""
        points = self.figures[name]
        power = exponent(points) if power is None else power
        return points[max(points)] * (rows / max(points)) ** power

    def hours(self, name, rows, parts=1):
        """Return hours of one core for a table in a number of separate parts."""
        return parts * self.grown(name, rows / parts) / 3600

    def signing(self, rows):
        """Return the hours of a core to sign all documents."""
        return self.grown("sign 1 GB", rows, 0) * rows * DOCUMENT / 1e9 / 3600


def measured(laws, title, short):
    """Yield a table of what is measured, for documents or for short texts."""
    figures = {name: points for name, points in laws.figures.items() if name.startswith("short texts") == short}
    sizes = sorted({rows for points in figures.values() for rows in points})
    yield f"{title} | " + " | ".join(f"{rows:,} rows" for rows in sizes) + " | exponent"
    yield "--- |" * (len(sizes) + 1) + " ---"
    for name, points in sorted(figures.items()):
        values = [(size if "bytes" in name else number)(points[rows]) if rows in points else "" for rows in sizes]
        yield f"{name} | " + " | ".join(values) + f" | {exponent(points):.2f}"


def machine(laws):
    """Yield the table for one machine."""
    rows = {
        "texts": lambda n: size(n * DOCUMENT),
        "signatures": lambda n: size(laws.grown("bytes of the table", n, 1)),
        "index, GIN / lsh": lambda n: " / ".join(size(laws.grown(f"{kind}: bytes of the index", n, 1)) for kind in KINDS),
        "signing, hours of a core": lambda n: number(laws.signing(n)),
        "building, hours of a core, GIN / lsh": lambda n: " / ".join(number(laws.hours(f"{kind}: build, s", n)) for kind in KINDS),
        "searches at .8 a second and core, in memory, GIN / lsh":
            lambda n: " / ".join(number(1000 / laws.grown(f"{kind}: search at 0.8, ms", n)) for kind in KINDS),
        **{f"the same at {t}": lambda n, t=t: " / ".join(number(1000 / laws.grown(f"{kind}: search at 0{t}, ms", n)) for kind in KINDS)
           for t in (".6", ".5")},
        "`minhash_cluster` at .8: memory, hours": lambda n: "more than 2^31 rows" if n >= 2**31 else
            f"{size(CLUSTER_ROW * n)}, {number(laws.hours('minhash_cluster at 0.8, s', n))}",
    }
    yield from table("One machine", rows)


def workers_for(laws, n, kind):
    """Return how many workers hold an index in memory."""
    return ceil(laws.grown(f"{kind}: bytes of the index", n, 1) / (RAM * USABLE))


def cluster(laws):
    """Yield the table for Citus."""
    def each(n, figure):
        """Return a figure of both kinds of index for as many workers as hold it in memory."""
        return " / ".join(figure(kind, workers_for(laws, n, kind)) for kind in KINDS)

    def searches(n, kind, workers):
        """Return the searches a second of all cores: by document, each search asks every shard."""
        shards = workers * SHARDS
        return number(workers * CORES / (shards * (TASK + laws.grown(f"{kind}: search at 0.8, ms", n / shards) / 1000)))

    def building(n, kind, workers):
        """Return the hours to build, a core for each shard."""
        return number(laws.hours(f"{kind}: build, s", n, workers * SHARDS) / (workers * CORES))

    rows = {
        "workers that hold the index in memory": lambda n: each(n, lambda kind, w: number(w)),
        "signing, hours": lambda n: each(n, lambda kind, w: number(laws.signing(n) / (w * CORES))),
        "building, hours": lambda n: each(n, lambda kind, w: building(n, kind, w)),
        "searches at .8 a second, sharded by document": lambda n: each(n, lambda kind, w: searches(n, kind, w)),
        "clusters at .8: sent between workers": lambda n: size(n * LOOK_UPS * ROW),
        "the same, hours at 10 Gbit a worker": lambda n: each(n, lambda kind, w: number(n * LOOK_UPS * ROW / (w * NETWORK) / 3600)),
    }
    yield from table("Citus, GIN / lsh", rows)


def alone(laws):
    """Yield the table for signatures without an index."""
    rows = {
        "one search, seconds of 32 cores": lambda n: number(laws.grown("read all signatures, s", n, 1) / CORES),
        "hours of a core to verify one pair a row": lambda n: number(laws.grown("read all signatures, s", n, 1) / 3600),
        "keys at .8, 8 bytes each": lambda n: size(n * LOOK_UPS * 8),
    }
    yield from table("Signatures and keys only, in any engine", rows)


def table(title, rows):
    """Yield a table over SIZES."""
    yield f"{title} | " + " | ".join(f"10^{round(log(n, 10))}" for n in SIZES)
    yield "--- |" * len(SIZES) + " ---"
    for name, figure in rows.items():
        yield f"{name} | " + " | ".join(figure(n) for n in SIZES)


def chance(similarity, threshold, hashes):
    """Return the probability that an estimate reaches the threshold: the normal tail of J(1 - J) / k."""
    return erfc((threshold - similarity) / sqrt(2 * similarity * (1 - similarity) / hashes)) / 2


def breaks(laws):
    """Yield what breaks first, and what to do then."""
    yield f"- **Memory for clusters** is the first: {CLUSTER_ROW} bytes a row besides `work_mem`, {number(RAM / CLUSTER_ROW)} rows in {RAM / 1e9:.0f} GB; at 2^31 rows `minhash_cluster` refuses. " \
          "Exact copies first (`SELECT DISTINCT ON (sig)`, or by `minhash_hash_extended`), then `PARTITION BY` what near-duplicates share, then `test/citus/clusters.sql`, which any engine can follow."
    yield f"- **Memory for the index**: beyond it a search waits for the disk once for each look-up, {LOOK_UPS} times at .8 (read at once where the disk can: 0.1 ms each on flash). " \
          "More workers, or two stages: bands of a higher threshold (.9) on everything, and a lower one only within what they find."
    slow, fast = (laws.figures[f"lsh{name}: insert 1,000 rows, s"] for name in (", 128 MB of buffers", ""))
    rows = max(slow)
    yield f"- **Insertions** need the index in memory, too: with 128 MB of buffers, a row for an index of {rows:,} takes {number(slow[rows])} ms of processor time, " \
          f"with enough buffers {number(fast[rows])} ms. The files were in the memory of the system; a disk takes longer."
    room = INDEX / laws.grown("lsh: bytes of the index", 1, 1)
    yield f"- **Numbers**: a table ends at 32 TB, and an index lsh at 2^27 blocks, {room / 1e9:.1f} x 10^9 rows, where an insertion fails (`index ... is full`). " \
          f"Partitions or shards, each with its own; 10^10 rows are {ceil(1e10 / room)} at least, and [many partitions cost much](../../DEPLOYMENT.md#beyond-one-server)."
    yield f"- **A search asks every shard** where documents are sharded, so that more workers do not make more searches: each of them answers every search, for which Citus takes {TASK * 1000} ms of processor time a shard ([its settings](../../DEPLOYMENT.md#distributed-tables)). Sharded by band key, a search at .8 asks {LOOK_UPS} shards, " \
          f"regardless of their number, and fetches the signatures of its candidates: better from about {LOOK_UPS} shards on for searches, never for loading, which sends each row {LOOK_UPS} times."
    short = {t: points for t in (".5", ".8") if (points := laws.figures.get(f"short texts, lsh: search at 0{t}, ms"))}
    (fewer, before), (rows, after) = sorted(laws.figures["lsh: search at 0.5, ms"].items())[-2:]
    yield f"- **Low thresholds**: at .5 a search takes {after / before:.1f} times as long among {rows:,} documents as among {fewer:,}." + \
          (" Searches of verses take "
           + ", ".join(f"{number(points[max(points)])} ms at {t} (exponent {exponent(points):.2f})" for t, points in short.items())
           + f" among {max(short['.5']):,}." if short else "")
    rare = {hashes: chance(0.5, 0.8, hashes) for hashes in (128, 512)}
    yield f"- **Chance**: a pair of similarity .5 has an estimate of .8 with a probability of {rare[128]:.0e} at 128 hashes and {rare[512]:.0e} at 512; a family of 10^6 templates of .5 has 5 x 10^11 pairs, " \
          f"{number(5e11 * rare[128])} wrong ones at 128 and none at 512. With 512 hashes signatures are four times as large, the index is not; then compare the texts."


KINDS = ("gin", "lsh")


def main(path):
    """Print the page."""
    laws = Laws(read(path))
    print("# Internet scale\n")
    print(f"What 10^8 to 10^10 documents of {DOCUMENT // 1000} kB would take, from measurements of up to {max(rows for points in laws.figures.values() for rows in points):,} rows. "
          "Printed by `test/bench/scale`, which also measures; the arithmetic is in [scale.py](scale.py). Times are processor time of one core; "
          "bytes grow with the rows, times as the fitted exponent says. Beyond what is measured they are extrapolations, not results.\n")
    print("\n".join(measured(laws, "Measured", False)), "\n")
    print("Short texts are the 93,283 verses of three translations of the Bible (Debian's sword-text-kjv, -web and -sparv), 129 characters each on average.\n")
    print("\n".join(measured(laws, "Measured", True)), "\n")
    print("\n".join(machine(laws)), "\n")
    print(f"Workers of {RAM / 1e9:.0f} GB and {CORES} cores, {SHARDS} shards each:\n")
    print("\n".join(cluster(laws)), "\n")
    print("\n".join(alone(laws)), "\n")
    print("## Limits, in the order in which they are reached\n")
    print("\n".join(breaks(laws)))


if __name__ == "__main__":
    main(sys.argv[1])
