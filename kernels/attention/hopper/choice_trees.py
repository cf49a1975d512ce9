# SPDX-License-Identifier: MIT
"""What a sum of costs leaves over: small trees, each of which says by what factor an estimate is off (choice_trees.hpp).

Every tree learns from what those before it left over, and half-heartedly, so that none is bent to single shapes.
"""

import math

COUNT = 12
DEPTH = 4
LEAST_SHAPES = 15  # of a leaf
RATE = 0.3
SHRINKING = 2.0  # a leaf says as little as if so many more shapes had come out as estimated


def grown(rows, depth=DEPTH):
    """rows: (features, logarithm of what is left over, weight). A leaf is a number, a node (feature, least, left, right)."""
    weight = sum(row[2] for row in rows)
    total = sum(row[1] * row[2] for row in rows)
    leaf = RATE * total / (weight + SHRINKING)
    if depth == 0 or len(rows) < 2 * LEAST_SHAPES:
        return leaf
    best = None
    for feature in range(len(rows[0][0])):
        ordered = sorted(rows, key=lambda row: row[0][feature])
        left_total = left_weight = 0.0
        for index in range(len(ordered) - LEAST_SHAPES):
            left_total += ordered[index][1] * ordered[index][2]
            left_weight += ordered[index][2]
            here, following = ordered[index][0][feature], ordered[index + 1][0][feature]
            if index + 1 < LEAST_SHAPES or here == following:
                continue
            gain = left_total ** 2 / left_weight + (total - left_total) ** 2 / (weight - left_weight) - total ** 2 / weight
            if best is None or gain > best[0]:
                best = (gain, feature, float(f"{(here + following) / 2:.5g}"))
    if best is None or best[0] < 1e-3:
        return leaf
    _, feature, least = best
    sides = [row for row in rows if row[0][feature] < least], [row for row in rows if row[0][feature] >= least]
    return (feature, least, grown(sides[0], depth - 1), grown(sides[1], depth - 1)) if all(sides) else leaf


def leaf_of(tree, features):
    while isinstance(tree, tuple):
        tree = tree[2] if features[tree[0]] < tree[1] else tree[3]
    return tree


def correction(trees, features):
    return math.exp(sum(leaf_of(tree, features) for tree in trees))


def trees_of(rows):
    trees = []
    for _ in range(COUNT):
        tree = grown(rows)
        trees.append(tree)
        rows = [(features, left - leaf_of(tree, features), weight) for features, left, weight in rows]
    return trees


def whole(tree, depth=DEPTH):
    """The nodes level by level, and the leaves; where a branch ends early, both sides are the same."""
    level, nodes = [tree], []
    for _ in range(depth):
        level = [node if isinstance(node, tuple) else (0, 0.0, node, node) for node in level]
        nodes += [(feature, least) for feature, least, _, _ in level]
        level = [side for _, _, left, right in level for side in (left, right)]
    return nodes, level


def text(trees, about):
    """A line of choice_costs.hpp for each tree, behind the least that all can come to."""
    wholes = list(map(whole, trees))
    least = math.prod(math.exp(min(leaves)) for _, leaves in wholes)
    lines = [f"    // {about}", f"    {{{0.999 * least:.4g}, {{{{"]
    for nodes, leaves in wholes:
        splits = ", ".join(f"{{{feature}, {least:.5g}}}" for feature, least in nodes)
        lines.append(f"        {{{{{{{splits}}}}}, {{{', '.join(f'{math.exp(leaf):.5g}' for leaf in leaves)}}}}},")
    return "\n".join([*lines, "    }}},"])
