#!/usr/bin/env python3
"""Check links and judged groups against their definition in REFERENCE.md.

Reads cases from standard input, one JSON object a line, and prints the number of
cases and of each kind of difference.  A case has

	threshold, recall 1
	rows		[key, scope, key of the linked row or null, group], in the order of links
	similar		[a, b, similarity], for pairs of rows in one scope at the threshold
	judged		[key a, key b, same], the latest last
	warned		the number of pairs that the warning of the refresh counts
"""
import json
import sys
from collections import Counter

STEP = 0.05


def components(keys, pairs):
    """Return the set of components, each a frozenset of keys, by search."""
    near = {key: set() for key in keys}
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    found, seen = set(), set()
    for key in keys:
        if key in seen:
            continue
        component, stack = {key}, [key]
        while stack:
            for other in near[stack.pop()] - component:
                component.add(other)
                stack.append(other)
        seen |= component
        found.add(frozenset(component))
    return found


def check_links(case, keys, similarity):
    """Links are a spanning forest of the similar pairs, and hold at every level."""
    links = [(row[0], row[2]) for row in case['rows'] if row[2] is not None]
    if any((a, b) not in similarity for a, b in links):
        return 'links that are not similar'
    whole = components(keys, similarity)
    if components(keys, links) != whole or len(links) != len(keys) - len(whole):
        return 'links that are no spanning forest'
    level = 1 - STEP
    while level > case['threshold']:
        strong = [pair for pair, value in similarity.items() if value >= level]
        if components(keys, strong) != components(keys, [x for x in links if similarity[x] >= level]):
            return 'links that are not the strongest'
        level = round(level - STEP, 9)
    return None


def judged_groups(case, keys, similarity):
    """Build the groups pair by pair, and compare whole sets for what is held apart."""
    scope = {row[0]: row[1] for row in case['rows']}
    order = {key: i for i, key in enumerate(keys)}
    latest = {}
    for a, b, same in case['judged']:
        if a in scope and b in scope and a != b and scope[a] == scope[b]:
            latest[frozenset((a, b))] = same
    apart = [pair for pair, same in latest.items() if not same]
    group = {key: {key} for key in keys}

    def connect(a, b):
        if group[a] is not group[b]:
            group[a] |= group[b]
            for key in group[b]:
                group[key] = group[a]

    for pair, same in latest.items():
        if same:
            connect(*pair)
    warned = [pair for pair in apart if len({id(group[key]) for key in pair}) == 1]
    apart = [pair for pair in apart if pair not in warned]
    links = [(row[0], row[2]) for row in case['rows'] if row[2] is not None]
    for a, b in sorted(links, key=lambda x: (-similarity[x], order[x[0]])):
        joined = group[a] | group[b]
        if not any(pair <= joined for pair in apart):
            connect(a, b)
    return {frozenset(members) for members in group.values()}, len(warned)


def check(case):
    """Return the kind of difference, or None."""
    keys = [row[0] for row in case['rows']]
    similarity = {}
    for a, b, value in case['similar']:
        similarity[a, b] = similarity[b, a] = value
    wrong = check_links(case, keys, similarity)
    if wrong:
        return wrong
    groups, warned = judged_groups(case, keys, similarity)
    found = {}
    for row in case['rows']:
        found.setdefault(row[3], set()).add(row[0])
    if {frozenset(members) for members in found.values()} != groups:
        return 'groups that differ'
    return None if warned == case['warned'] else 'warnings that differ'


def main():
    results = Counter(check(json.loads(line)) for line in sys.stdin)
    print(sum(results.values()), 'cases')
    for wrong, count in results.items():
        if wrong:
            print(count, wrong)


main()
