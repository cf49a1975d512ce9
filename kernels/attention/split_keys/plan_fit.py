# SPDX-License-Identifier: MIT
"""Fits the rates and costs of LayoutTime in plan.hpp to what `bench.py sweep` measured. Needs no GPU. Two minutes.

  python3 kernels/attention/split_keys/plan_fit.py FILE.jsonl[.gz] ...

What is made small is the time that a call loses by the layout that the model takes, against the fastest one that was measured,
with a little of the error of the times themselves. Fitted to one half of the shapes and judged on the other, then to all of
them: the last lines are the numbers of plan.hpp. Same file, same numbers.
"""

import gzip
import json
import math
import random
import re
import sys

MULTIPROCESSORS = 132
# As plan.hpp has them.
START = {"launch": 2.93, "round": 2.25, "per_block": 0.022, "half_occupied": 4.08, "exchange": 2.5, "per_sharer": 0.049, "boundary": 1.54,
         "memory": 4592.0, "block_8": 87.6, "block_4": 30.4, "block_2x16": 48.0, "block_d256": 61.0,
         "solo_ends": 2.0, "solo_piece": 0.05, "solo_exchange": 2.0, "solo_per_sharer": 0.05, "solo_memory": 0.98,
         "solo_block": 87.6, "solo_block_2x16": 48.0, "solo_block_d256": 61.0}
CLUSTERS = (1, 2, 3, 4, 6, 8)
# Of the rate of memory, by warps and cluster.
START |= {f"memory_4x{cluster}": share for cluster, share in zip(CLUSTERS, (0.986, 1.004, 0.969, 0.906, 0.951, 0.961))}
START |= {f"memory_8x{cluster}": share for cluster, share in zip(CLUSTERS, (0.985, 1.020, 0.914, 0.925, 0.927, 1.000))}


L2_RATE = 5500 / 4592


def ceil_div(a, b):
    return -(-a // b)


def columns_of(head_dim):
    return 64 if head_dim <= 64 else 128 if head_dim <= 128 else 256


def slots(warps, head_dim, cluster):
    """As usual_slots() in plan.hpp."""
    resident = 1 if warps == 8 or head_dim > 128 else 2
    if cluster <= 2:
        return resident * MULTIPROCESSORS // cluster
    return max(0, MULTIPROCESSORS // 16 - 1) * (16 * resident // cluster) + 10 * resident // cluster


class Layout:
    def __init__(self, shape, name):
        self.batch, heads, self.key_heads, queries, self.keys, self.dim = shape
        self.name = name
        slabs, warps, cluster, sharing = re.fullmatch(r"(\d)x16, (\d) warps, (\d)(?:, (.*))?", name).groups()
        self.slabs, self.warps, self.cluster = int(slabs), int(warps), int(cluster)
        self.solo = sharing if sharing in ("apart", "shared") else None
        self.row_tiles = ceil_div(heads // self.key_heads * queries, 16 * self.slabs)
        self.pieces = self.batch * self.key_heads * self.row_tiles
        if self.solo:
            self.exchanges = self.solo == "shared"
            self.columns = columns_of(self.dim)
            return
        self.at_a_time = slots(self.warps, self.dim, self.cluster)
        self.clusters = self.at_a_time if sharing == "all" else 0
        self.sharers = {"filling": max(1, self.at_a_time // self.pieces), "2 sharers": 2, "4 sharers": 4}.get(sharing, 1)
        self.exchanges = self.clusters > 0 or self.sharers > 1
        self.columns = columns_of(self.dim)

    def rate(self, p):
        if self.solo:
            return p["solo_block_d256" if self.dim > 128 else "solo_block_2x16" if self.slabs == 2 else "solo_block"]
        if self.dim > 128:
            return p["block_d256"]
        if self.slabs == 2:
            return p["block_2x16"]
        return p["block_8"] if self.warps == 8 else p["block_4"]

    def bytes_us(self, p, keys, blocks):
        """Memory sees the columns that there are, the block those that it computes."""
        own = p["solo_memory"] if self.solo else p[f"memory_{self.warps}x{self.cluster}"]
        share = p["memory"] * own * (L2_RATE if self.reads_from_l2() else 1.0) / (blocks + p["half_occupied"])
        return max(4e-3 * self.columns * keys / self.rate(p), 4e-3 * self.dim * keys / share)

    def reads_from_l2(self):
        """Tiles of rows share keys, and meet them at the same time."""
        return self.row_tiles > 1 and not self.solo and not self.clusters

    def us_of_solo(self, p):
        each = self.pieces / MULTIPROCESSORS
        us = p["launch"] + p["solo_ends"] + p["solo_piece"] * each
        if self.solo == "shared":
            return us + p["solo_exchange"] + p["solo_per_sharer"] / each + self.bytes_us(p, self.keys * each, MULTIPROCESSORS)
        rest = self.pieces % MULTIPROCESSORS
        us += self.pieces // MULTIPROCESSORS * self.bytes_us(p, self.keys, MULTIPROCESSORS)
        return us + (self.bytes_us(p, self.keys, rest) if rest else 0.0)

    def us(self, p):
        """As LayoutTime in plan.hpp."""
        if self.solo:
            return self.us_of_solo(p)
        if self.clusters:
            blocks = self.clusters * self.cluster
            return (p["launch"] + p["exchange"] + p["per_sharer"] * self.clusters / self.pieces + p["round"]
                    + p["per_block"] * self.cluster + p["boundary"] * min(1, self.pieces - 1) * (1 + self.pieces / self.clusters)
                    + self.bytes_us(p, self.keys * self.pieces / blocks, blocks))
        clusters = self.pieces * self.sharers

        def of_round(running):
            return (p["round"] + p["per_block"] * self.cluster
                    + (p["exchange"] + p["per_sharer"] * self.sharers if self.sharers > 1 else 0.0)
                    + self.bytes_us(p, ceil_div(self.keys, self.cluster * self.sharers), running * self.cluster))

        rest = clusters % self.at_a_time
        return p["launch"] + clusters // self.at_a_time * of_round(self.at_a_time) + (of_round(rest) if rest else 0.0)


def read(paths):
    shapes = []
    for path in paths:
        for line in (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8"):
            entry = json.loads(line)
            measured = [(Layout(entry["shape"], name), us) for name, us in entry["us"].items() if "warps" in name]
            measured = [(layout, us) for layout, us in measured if layout.cluster in CLUSTERS or layout.solo]
            if not measured or measured[0][0].row_tiles > 1:
                continue
            shapes.append((entry["shape"], measured, min(entry["us"].get("cudnn", math.inf), entry["us"].get("flash", math.inf))))
    return shapes


def taken(measured, p):
    return min(measured, key=lambda item: item[0].us(p))


def losses(shapes, p):
    return [taken(measured, p)[1] / min(us for _, us in measured) - 1 for _, measured, _ in shapes]


def badness(shapes, p):
    lost = losses(shapes, p)
    error = 0.0
    for _, measured, _ in shapes:
        best = min(us for _, us in measured)
        near = [(layout, us) for layout, us in measured if us < 1.5 * best]
        error += sum(math.log(layout.us(p) / us) ** 2 for layout, us in near) / len(near)
    return sum(lost) / len(lost) + 0.1 * error / len(shapes)


def fitted(shapes, steps=2000, seed=1):
    random_ = random.Random(seed)
    best, least = dict(START), badness(shapes, START)
    for step in range(steps):
        tried = dict(best)
        for name in random_.sample(list(tried), random_.choice((1, 1, 2))):
            width = 0.04 if "memory" in name else 0.3
            tried[name] *= math.exp(random_.gauss(0, width * (1 - step / steps) + 0.01))
        value = badness(shapes, tried)
        if value < least:
            best, least = tried, value
    return best


def describe(name, shapes, p):
    lost = sorted(losses(shapes, p))
    behind = sum(theirs / taken(measured, p)[1] < 0.98 for _, measured, theirs in shapes)
    possible = sum(theirs / min(us for _, us in measured) < 0.98 for _, measured, theirs in shapes)
    print(f"{name}: {len(shapes)} shapes, lost {100 * sum(lost) / len(lost):.2f} % on average, 95 % lose at most "
          f"{100 * lost[int(0.95 * len(lost))]:.1f} %, worst {100 * lost[-1]:.0f} %; below 0.98 of SDPA {behind}, with the best layouts {possible}")


def main():
    shapes = read(sys.argv[1:])
    random.Random(1).shuffle(shapes)
    halves = shapes[::2], shapes[1::2]
    describe("as it was", shapes, START)
    for one, other in (halves, halves[::-1]):
        describe("not in the fit", other, fitted(one))
    all_of_them = fitted(shapes)
    describe("all", shapes, all_of_them)
    for name, value in all_of_them.items():
        print(f"  {name:14} {value:.4g}")
    for shape, measured, theirs in sorted(shapes, key=lambda item: -(taken(item[1], all_of_them)[1] / min(us for _, us in item[1])))[:8]:
        layout, us = taken(measured, all_of_them)
        print(f"  worst: {shape}: {us:.1f} us by {layout.name}; "
              f"best {min(us for _, us in measured):.1f}, SDPA {theirs:.1f}")


if __name__ == "__main__":
    main()
