#!/usr/bin/env python3
"""Check links and judged groups against the promises of REFERENCE.md.

Reads cases from standard input, one JSON object a line, and prints the number of
cases and of each kind of difference.  A case has

	threshold, agreement, recall 1
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


def latest_judgments(case):
    """Return the pairs judged the same and those judged different, as frozensets."""
    scope = {row[0]: row[1] for row in case['rows']}
    latest = {}
    for a, b, same in case['judged']:
        if a in scope and b in scope and a != b and scope[a] == scope[b]:
            latest[frozenset((a, b))] = same
    return [p for p in latest if latest[p]], [p for p in latest if not latest[p]]


def check_groups(case, keys, similarity):
    """The two promises: enough similar pairs, and no two groups that might still join."""
    same, different = latest_judgments(case)
    together = {key: block for block in components(keys, same) for key in block}
    apart = [pair for pair in different if len({together[key] for key in pair}) == 2]
    members = {}
    for row in case['rows']:
        members.setdefault(row[3], []).append(row[0])
    group = {row[0]: row[3] for row in case['rows']}
    if any(len({group[key] for key in pair}) == 1 for pair in apart):
        return 'pairs judged different in one group'
    if any(len({group[key] for key in pair}) == 2 for pair in same):
        return 'pairs judged the same in two groups'
    for found in members.values():
        pairs = [(a, b) for i, a in enumerate(found) for b in found[:i]]
        if pairs and sum(p in similarity or together[p[0]] == together[p[1]] for p in pairs) / len(pairs) < case['agreement']:
            return 'groups with too few similar pairs'
    between = Counter((group[a], group[b]) for a, b in similarity if group[a] != group[b])
    for (a, b), count in between.items():
        if count / (len(members[a]) * len(members[b])) >= case['agreement'] and \
                not any({group[key] for key in pair} == {a, b} for pair in apart):
            return 'groups that might still join'
    if case['warned'] != len(different) - len(apart):
        return 'warnings that differ'
    return None


def check(case):
    """Return the kind of difference, or None."""
    keys = [row[0] for row in case['rows']]
    similarity = {}
    for a, b, value in case['similar']:
        similarity[a, b] = similarity[b, a] = value
    wrong = check_links(case, keys, similarity)
    if wrong:
        return wrong
    return check_groups(case, keys, similarity)


def main():
    results = Counter(check(json.loads(line)) for line in sys.stdin)
    print(sum(results.values()), 'cases')
    for wrong, count in results.items():
        if wrong:
            print(count, wrong)


main()
