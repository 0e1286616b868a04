#!/usr/bin/python3
"""Print how fast datasketch makes signatures of texts, in MB/s of processor time.

Usage: datasketch.py DIRECTORY FILE LINES

DIRECTORY holds the package datasketch, FILE normalised texts, one a line, of
which the first LINES are taken.  The shingles are those of char:5; a set of
Python makes them distinct.
"""
import sys
import time

sys.path.insert(0, sys.argv[1])
from datasketch import MinHash  # noqa: E402


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line, _ in zip(file, range(int(sys.argv[3])))]
    began = time.process_time()
    for text in texts:
        shingles = {text[i : i + 5].encode() for i in range(max(1, len(text) - 4))}
        MinHash(num_perm=128).update_batch(shingles)
    seconds = time.process_time() - began
    print(sum(len(text.encode()) for text in texts) / 1e6 / seconds)


main()
