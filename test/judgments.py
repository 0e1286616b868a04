#!/usr/bin/env python3
"""Check groups, and the links of minhash_link, against the rule in REFERENCE.md.

Reads cases from standard input, one JSON object a line, and prints the number of
cases and of each kind of difference.  A case has

	threshold, agreement, tolerance; recall 1
	rows		[key, scope, group, key of the linked row or null]; the link may be left out
	similar		[a, b, similarity], for pairs of rows in one scope at the threshold
	judged		[key a, key b, same], the latest last
	warned		the number of pairs that the warning of the refresh counts

The rule is checked, not repeated: the program does not build groups, except at
agreement 0 without a pair judged different, where they are connected components.
"""
import json
import sys
from collections import Counter, defaultdict

STEP = 0.05


def components(keys, pairs):
    """Return the component of each key, a frozenset of keys, by search."""
    near = {key: [] for key in keys}
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    found = {}
    for key in keys:
        if key in found:
            continue
        component, stack = {key}, [key]
        while stack:
            for other in near[stack.pop()]:
                if other not in component:
                    component.add(other)
                    stack.append(other)
        component = frozenset(component)
        found.update(dict.fromkeys(component, component))
    return found


def latest_judgments(case, scope):
    """Return the pairs judged the same and those judged different, by their last judgment."""
    latest = {}
    for a, b, same in case['judged']:
        if a in scope and b in scope and a != b and scope[a] == scope[b]:
            latest[frozenset((a, b))] = same
    return [tuple(pair) for pair, same in latest.items() if same], [tuple(pair) for pair, same in latest.items() if not same]


def check_loose(case, members, similar, same):
    """In each group the share of similar pairs is at least the agreement; rows judged the same count as similar."""
    counts = Counter()
    for a, b in similar:
        if members[a] is members[b] and same[a] is not same[b]:
            counts[members[a]] += 1
    for group in set(members.values()):
        pairs = len(group) * (len(group) - 1) // 2
        judged = sum(n * (n - 1) // 2 for n in Counter(same[key] for key in group).values())
        if counts[group] + judged < (case['agreement'] - case['tolerance']) * pairs - 1e-9:
            return True
    return False


def check_apart(case, members, similar, different):
    """No two groups are left that may join: with a similar pair, enough of them, and no pair judged different."""
    apart = {frozenset((members[a], members[b])) for a, b in different}
    counts = Counter(frozenset((members[a], members[b])) for a, b in similar if members[a] is not members[b])
    for groups, count in counts.items():
        a, b = groups
        pairs = len(a) * len(b)
        if groups not in apart and count >= (case['agreement'] + case['tolerance']) * pairs:
            return True
    return False


def check_links(case, keys, members, similarity):
    """The links of a group are a tree of its similar pairs; at agreement 0 they hold at every level."""
    links = [(row[0], row[3]) for row in case['rows'] if row[3] is not None]
    if any(pair not in similarity for pair in links):
        return 'links that are not similar'
    if set(components(keys, links).values()) != set(members.values()) or \
            len(links) != len(keys) - len(set(members.values())):
        return 'links that are no tree of each group'
    level = 1 - STEP
    while level > case['threshold'] and case['agreement'] == 0:
        strong = [pair for pair, value in similarity.items() if value >= level]
        weak = [pair for pair in links if similarity[pair] >= level]
        if set(components(keys, strong).values()) != set(components(keys, weak).values()):
            return 'links that are not the strongest'
        level = round(level - STEP, 9)
    return None


def check(case):
    """Return the kind of difference, or None."""
    keys = [row[0] for row in case['rows']]
    scope = {row[0]: row[1] for row in case['rows']}
    similarity = {}
    for a, b, value in case['similar']:
        similarity[a, b] = similarity[b, a] = value
    similar = [(a, b) for a, b, _ in case['similar']]
    groups = defaultdict(set)
    for row in case['rows']:
        groups[row[2]].add(row[0])
    members = {}
    for group in groups.values():
        group = frozenset(group)
        members.update(dict.fromkeys(group, group))
        if len({scope[key] for key in group}) > 1:
            return 'groups across scopes'
    judged_same, judged_different = latest_judgments(case, scope)
    same = components(keys, judged_same)
    conflicts = [pair for pair in judged_different if same[pair[0]] is same[pair[1]]]
    different = [pair for pair in judged_different if pair not in conflicts]
    whole = components(keys, similar + judged_same)
    if any(members[a] is not members[b] for a, b in judged_same):
        return 'pairs judged the same in two groups'
    if any(members[a] is members[b] for a, b in different):
        return 'pairs judged different in one group'
    if any(not group <= whole[next(iter(group))] for group in members.values()):
        return 'groups that no similar pairs connect'
    if case['agreement'] == 0 and not different and set(members.values()) != set(whole.values()):
        return 'groups that are not components'
    if check_loose(case, members, similar, same):
        return 'groups that are too loose'
    if check_apart(case, members, similar, different):
        return 'groups that should have joined'
    if len(conflicts) != case['warned']:
        return 'warnings that differ'
    return check_links(case, keys, members, similarity) if len(case['rows'][0]) > 3 else None


def main():
    results = Counter(check(json.loads(line)) for line in sys.stdin)
    print(sum(results.values()), 'cases')
    for wrong, count in results.items():
        if wrong:
            print(count, wrong)


main()
