# SPDX-License-Identifier: MIT
"""Times all kernels of this folder that can compute a shape, on random shapes, one JSON line each: what choice.hpp is fitted to.

  kernels/attention/hopper/build.sh && python3 kernels/attention/hopper/choice_sweep.py measure OUT.jsonl [--seed 1] [--count 600]
                                                                     [--seconds 120] [--wide|--short|--split|--packed|--causal|--drawn|--narrow] [--peers]
  python3 kernels/attention/hopper/choice_sweep.py judge FILE.jsonl[.gz] ...   what the choice made then lost
  python3 kernels/attention/hopper/choice_sweep.py fit FILE.jsonl[.gz] ...     writes choice_costs.hpp; neither needs a GPU

Shape number n is a function of the seed and n alone; a file that is there already is continued. --wide: head sizes above 128 alone.
--short: D = 64 and at most 512 keys alone, where most kernels compete. --split: few queries or few tiles, where keys may be split; the
kernel of ../split_keys (PYTHONPATH=python, make attention) stands beside them. --packed: of those, few queries in more than one tile of
its packed rows alone, where it competes with the others. --causal: few causal tiles alone. --drawn: as ../library/sweep.py draws them,
without the kernels that are far from the fastest; --narrow: of those, few queries of 72 to 96 columns. --peers: cuDNN and flash beside them. A kernel is timed
only if its result agrees with float64 on sampled rows; split_streaming with 1 to 8 blocks in a cluster. Times are medians of CUDA graphs of
back-to-back calls over rotating inputs, replayed in random order.

A kernel's time is estimated as a sum of terms of the call's sizes (terms()), each with a cost that is not negative; the choice is the
kernel with the least. The costs are fitted to relative errors, for each kernel, head size and mask. fit first learns from one half of
the shapes and says what the choice loses on the other, then does the same with the halves exchanged, then writes the costs of all.
"""

import argparse
import functools
import gzip
import json
import math
import pathlib
import random
import re
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "library"), str(HERE.parent / "split_keys")]  # bench: of this folder
import choice_trees  # noqa: E402
import plan_fit  # noqa: E402
import sweep  # noqa: E402

KINDS = {"square": 50, "few_tiles": 20, "cross": 15, "many_short": 15}
SPLIT_KINDS = {"few_queries": 45, "few_tiles": 25, "cross": 30}
SPLIT = "split_streaming"
HALVES = "split_halves"  # the same where rows fill half a tile, which it then is in the library
PLANNED = {SPLIT: "planned_split", HALVES: "planned_halves"}  # with the number of blocks that they plan themselves
SPLIT_KEYS_NAME = "split_keys"
SPLIT_KEYS_MARGIN = 1.03  # as kSplitKeysMargin in choice.hpp
CLUSTERS = range(1, 9)
NARROW = 128


def kernel_of(variant):
    """streaming_2_half_d96_full -> streaming_2, resident_bf16_4x1x2_causal -> resident_4x1x2"""
    return re.sub("_(half|bf16)|_d[0-9]+|_(full|causal)", "", variant)


def short_shape(seed, number):
    draw = random.Random(f"choice short {seed} {number}")
    length = draw.choice((128, 192, 256, 320, 384, 448, 512, *(draw.randint(65, 512) for _ in range(7))))
    rows = length if draw.random() < 0.85 else round(math.exp(draw.uniform(math.log(65), math.log(3000))))
    key_heads = draw.choice((1, 2, 4, 8, 12, 16, 32))
    group = draw.choice((1, 1, 1, 1, 2, 4))
    batch = max(1, round(math.exp(draw.uniform(math.log(4), math.log(2048))) / (key_heads * group)))
    return {"kind": "short", "batch": batch, "query_heads": key_heads * group, "key_heads": key_heads, "query_rows": rows,
            "key_rows": length, "head_dim": 64, "causal": rows == length and draw.random() < 0.55,
            "dtype": draw.choice(("fp16", "bf16")), "layout": draw.choice(("bhsd", "bshd"))}


def packed_shape(seed, number):
    for attempt in range(1000):
        shape = sweep.random_shape(f"choice packed {seed} {attempt}", number, {"few_queries": 1})
        if split_keys_tiles(shape) > 1:
            return shape
    raise SystemExit("no shape of several tiles in a thousand")


def causal_shape(seed, number):
    for attempt in range(1000):
        shape = sweep.random_shape(f"choice causal {seed} {attempt}", number, {"few_tiles": 1})
        if shape["causal"]:
            return shape
    raise SystemExit("no causal shape in a thousand")


def narrow_shape(seed, number):
    for attempt in range(1000):
        shape = sweep.random_shape(f"choice narrow {seed} {attempt}", number, {"few_queries": 1})
        if 64 < shape["head_dim"] <= 96:
            return shape
    raise SystemExit("no narrow shape in a thousand")


def shape_of(options, number):
    seed, wide = options.seed, options.wide
    if options.drawn:
        return sweep.random_shape(f"choice drawn {seed}", number)
    if options.narrow:
        return narrow_shape(seed, number)
    if options.causal:
        return causal_shape(seed, number)
    if options.short:
        return short_shape(seed, number)
    if options.packed:
        return packed_shape(seed, number)
    if options.split:
        return sweep.random_shape(f"choice split {seed}", number, SPLIT_KINDS)
    shape = sweep.random_shape(f"choice {seed}", number, KINDS)
    if wide and shape["head_dim"] <= NARROW:
        draw = random.Random(f"choice wide {seed} {number}")
        shape["head_dim"] = draw.choice((256, 256, 192, 8 * draw.randint(17, 31)))
        shape["batch"] = max(1, shape["batch"] * 64 // shape["head_dim"])
    return shape


def runs_of(variant, calls, shape):
    """name -> function of a set's number: one of a kernel, one for each number of blocks of split_streaming."""
    import bench
    name = kernel_of(bench.NAMES[variant])
    if name not in PLANNED:
        return {name: lambda index: bench.launch(variant, calls[index])}

    def run(index, cluster):
        calls[index].cluster = cluster
        bench.launch(variant, calls[index])

    runs = {f"{name}_{cluster}": lambda index, cluster=cluster: run(index, cluster) for cluster in CLUSTERS}
    if any(split_suits(cluster, shape) for cluster in CLUSTERS):  # else there is no plan
        runs[PLANNED[name]] = lambda index: run(index, 0)
    return runs


FAR = 2.5  # times the fastest: no choice would take it


def measure_shape(shape, number, peers, with_split_keys, leaves_out=False):
    import bench
    import torch
    from replays import interleaved, timed
    from torch.nn.attention import SDPBackend, sdpa_kernel
    draw = random.Random(f"measure {number}")
    torch.manual_seed(draw.randrange(1 << 31))
    count = min(16, max(2, math.ceil(sweep.ROTATED_BYTES / sweep.set_bytes(shape))))
    sets = sweep._inputs(shape, count)
    out = torch.empty_like(sets[0][0])
    calls = [bench.describe(*tensors, out, shape["causal"]) for tensors in sets]
    contenders, once = {}, {}

    def add(name):
        contenders[name](0)
        _, once[name] = timed(contenders[name], 0)
        if leaves_out:  # something else may have taken long
            once[name] = min(once[name], timed(contenders[name], 0)[1])
        error = sweep._sampled_error(shape, sets[0], out, draw)
        if not error < sweep.LIMIT[shape["dtype"]]:
            raise SystemExit(f"WRONG {name} {shape} error {error:.3g}")

    variants = bench.supporting(calls[0], [])
    halves = any(kernel_of(bench.NAMES[variant]) == HALVES for variant in variants)
    for variant in variants:
        for name, run in runs_of(variant, calls, shape).items():
            if halves and name.startswith(SPLIT):
                continue  # which the library does not take then
            if name not in contenders:  # the smaller one comes first, and is what the choice takes
                contenders[name] = run
                add(name)
    if with_split_keys and shape["query_rows"] <= 64 and shape["key_rows"] >= 256:
        contenders[SPLIT_KEYS_NAME] = lambda index: sweep.launch_split_keys(*sets[index], out, (0, -1, 0, 0, 0))
        add(SPLIT_KEYS_NAME)
    chosen = kernel_of(bench.NAMES[bench.LIBRARY.hopper_attention_choose(calls[0])])
    chosen = PLANNED.get(chosen, chosen)
    if peers:
        def sdpa(index, backend):
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(*sets[index], is_causal=shape["causal"],
                                                                 enable_gqa=shape["query_heads"] != shape["key_heads"])
        for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
            try:
                sdpa(0, backend)
                contenders[name] = lambda index, backend=backend: sdpa(index, backend)
            except RuntimeError:
                pass
    if leaves_out:
        contenders = {name: run for name, run in contenders.items() if once.get(name, 0) < FAR * min(once.values())}
    repeated = min(32, max(2, math.ceil(sweep.REPLAY_US / min(once.values()))))
    graphs = {name: bench.capture(lambda i, run=run: run(i % count), repeated) for name, run in contenders.items()}
    times = interleaved(graphs, repeated, 7, 2, draw)
    return {"chosen": chosen, "us": {name: round(statistics.median(t), 3) for name, t in times.items()}}


def measure(options):
    import torch
    began, number = time.monotonic(), 0
    path = options.files[0]
    if path.is_file():
        number = max((json.loads(line)["number"] + 1 for line in path.read_text().splitlines()), default=0)
    with path.open("a") as output, torch.no_grad():
        for number in range(number, options.count):
            if time.monotonic() - began > options.seconds:
                break
            shape = shape_of(options, number)
            line = {"date": time.strftime("%Y-%m-%d"), "number": number, "seed": options.seed, **shape}
            with sweep.watched(line, 30, output):
                beside = options.drawn or options.narrow
                line.update(measure_shape(shape, f"{options.seed} {number}", options.peers, options.split or options.packed or beside, beside))
            print(json.dumps(line), file=output, flush=True)
            if number % 20 == 0:
                torch.cuda.empty_cache()
        else:
            number = options.count
    print(f"{number} of {options.count} shapes, {time.monotonic() - began:.0f} s")


# ---- What a call costs by each kernel ----

MULTIPROCESSORS = 132  # of the GPU that was measured

# kernel -> head size -> (query rows of a tile, keys of a block), as in launch.cu
SIZES = {"resident_1x4x1": {64: (64, 128)}, "resident_2x2x1": {64: (128, 128)}, "resident_4x1x1": {64: (256, 128)},
         "resident_4x1x2": {64: (256, 128)}, "streaming_2": {64: (128, 128), 96: (128, 128), 128: (128, 128), 192: (128, 80), 256: (128, 48)},
         "streaming_3": {64: (192, 128)}, "streaming_4": {64: (256, 64)}, "streaming_wide": {192: (128, 112), 256: (128, 80)},
         "streaming_heads": {64: (64, 128), 96: (64, 128), 128: (64, 128), 192: (64, 112), 256: (64, 80)},
         "pairs_64": {64: (64, 64), 96: (64, 64), 128: (64, 64)}, "pairs_128": {64: (128, 128), 96: (128, 128), 128: (128, 128)},
         "own_tiles": {64: (64, 64), 96: (64, 64), 128: (64, 64), 192: (64, 64), 256: (64, 64)},
         "own_tiles_long": {96: (64, 64), 128: (64, 64)}}
SPLIT_KEYS = {64: 128, 96: 128, 128: 128, 192: 112, 256: 80}  # keys of a block of split_streaming
# Kernel of choice.hpp
NAMES = {"resident_1x4x1": "resident_1x4", "resident_2x2x1": "resident_2x2", "resident_4x1x1": "resident_4x1",
         "resident_4x1x2": "resident_4x1_twice"}
HEADS = "streaming_heads"  # two at a time
RESIDENT_KEYS = 512
OWN_TILES_KEYS = 512  # more were not measured
COMMON = 4.0
LEAST_HALVES = 40  # times of a head size, to fit costs of halves
TILE_BLOCKS = 6  # of keys: what a tile of split_streaming costs beside its products
TILES = {"resident_4x1x2": 2}  # that a thread block takes one after the other; all others 1


def head_size(kernel, head_dim):
    return next(size for size in sorted(SIZES[kernel]) if size >= head_dim)


def split_size(head_dim):
    return next(size for size in SPLIT_KEYS if size >= head_dim)


def ceil_div(a, b):
    return -(-a // b)


def terms(kernel, shape, multiprocessors=MULTIPROCESSORS):
    """As terms() in choice.hpp: what the busiest multiprocessor does, what they do on average, bytes, and one for the launch."""
    rows, keys = SIZES[kernel][head_size(kernel, shape["head_dim"])]
    queries, key_rows, heads = shape["query_rows"], shape["key_rows"], shape["batch"] * shape["query_heads"]
    row_tiles = ceil_div(queries, rows)
    in_block = min(TILES.get(kernel, 1), row_tiles)
    blocks = ceil_div(row_tiles, TILES.get(kernel, 1)) * ceil_div(heads, 2 if kernel == HEADS else 1)
    seen = (min(key_rows, max(1, rows + key_rows - queries)) if shape["causal"] else key_rows, key_rows)  # by the first tile, the last
    longest = ceil_div(seen[1], keys)
    shared = (ceil_div(seen[0], keys) + longest) / 2 * row_tiles * heads / multiprocessors
    rounds = ceil_div(blocks, multiprocessors)
    scores = queries * heads * (seen[0] + seen[1]) / 2
    return (1.0, rounds * in_block * longest, max(in_block * longest, shared), shared, rounds, blocks / multiprocessors,
            scores / (multiprocessors * rows * keys), size_us(shape))


def size_us(shape):
    """What all tensors take at the rate of memory."""
    rows = shape["query_rows"] * shape["query_heads"] + shape["key_rows"] * shape["key_heads"]
    return 4 * shape["head_dim"] * shape["batch"] * rows / 4.2e6


def split_tiles(shape):
    """Of split_streaming: 128 rows of a head, or several heads that share a key head, each in a power of two of rows."""
    group, rows = shape["query_heads"] // shape["key_heads"], shape["query_rows"]
    in_tile = 1 if rows > 64 else 128 // (1 << (rows - 1).bit_length())
    return shape["batch"] * shape["key_heads"] * ceil_div(group, in_tile) * ceil_div(rows, 128)


def usual_clusters(cluster):
    """One block on a multiprocessor."""
    return plan_fit.usual_clusters(cluster, 1)


def split_terms(cluster, shape):
    """As terms() in split_plan.hpp."""
    keys = SPLIT_KEYS[split_size(shape["head_dim"])]
    tiles, key_rows, slots = split_tiles(shape), shape["key_rows"], usual_clusters(cluster)
    row_tiles = ceil_div(shape["query_rows"], 128)
    longest = ceil_div(key_rows, keys)

    def blocks(number):
        """Of keys, that tile of the causal order has: the longest ones of all heads first."""
        row_tile = row_tiles - 1 - number // (tiles // row_tiles)
        seen = min(shape["query_rows"], 128 * (row_tile + 1)) + key_rows - shape["query_rows"]
        return ceil_div(max(1, seen), keys)

    rounds, busiest = ceil_div(tiles, slots), ceil_div(longest, cluster)
    mean = longest
    if shape["causal"]:
        mean = (blocks(tiles - 1) + longest) / 2
        if rounds > 1:
            # The shortest of the first round and the longest of the second meet, or a longest one has a multiprocessor alone.
            both = ceil_div(blocks(slots - 1), cluster) + ceil_div(blocks(slots), cluster)
            rounds, busiest = (2, both) if both + TILE_BLOCKS > busiest else (1, busiest)
    else:
        busiest *= rounds
    return (1.0, rounds, rounds * cluster, busiest, mean * tiles / usual_clusters(1), 4.0 * shape["head_dim"] * mean * keys * tiles / 4.2e6)


def split_suits(cluster, shape):
    """As plan_split() in split_plan.hpp: each block has keys, and causal tiles, which differ in length, take two rounds at most."""
    some = cluster == 1 or cluster <= ceil_div(shape["key_rows"], SPLIT_KEYS[split_size(shape["head_dim"])])
    return some and not (shape["causal"] and split_tiles(shape) > 2 * usual_clusters(cluster))


def split_keys_slabs(shape):
    """As slabs_of() in ../split_keys/plan.hpp."""
    packed = shape["query_heads"] // shape["key_heads"] * shape["query_rows"]
    return 1 if shape["head_dim"] > 128 or packed <= 16 else 2


def split_keys_tiles(shape):
    """Of packed rows."""
    return ceil_div(shape["query_heads"] // shape["key_heads"] * shape["query_rows"], 16 * split_keys_slabs(shape))


@functools.cache
def split_keys_plan(*sizes):
    layout = plan_fit.planned(sizes, plan_fit.START)
    return layout.us(plan_fit.START), layout.name, float(layout.cluster), float(layout.exchanges)


def split_keys_sizes(shape):
    return tuple(shape[name] for name in ("batch", "query_heads", "key_heads", "query_rows", "key_rows", "head_dim"))


def split_keys_terms(shape, multiprocessors=MULTIPROCESSORS):
    """As split_keys_features() in choice.hpp: what its own plan expects, and what that may not see well."""
    us, _, cluster, exchanges = split_keys_plan(*split_keys_sizes(shape))
    tiles = split_keys_tiles(shape)
    heads = shape["batch"] * shape["key_heads"]
    size = 4.0 * shape["head_dim"] * shape["key_rows"] * heads / 4.2e6
    return (us, cluster, exchanges, float(split_keys_slabs(shape)), size, size / us, float(tiles), heads * tiles / multiprocessors)


def solve(matrix, right):
    """Gauss and Jordan."""
    count = len(right)
    lines = [row[:] + [value] for row, value in zip(matrix, right)]
    for i in range(count):
        pivot = max(range(i, count), key=lambda r: abs(lines[r][i]))
        lines[i], lines[pivot] = lines[pivot], lines[i]
        for r in range(count):
            if r != i:
                factor = lines[r][i] / lines[i][i]
                lines[r] = [a - factor * b for a, b in zip(lines[r], lines[i])]
    return [lines[i][count] / lines[i][i] for i in range(count)]


def fitted(observed):
    """Costs that are not negative: what would be is left out, the worst first. observed: (terms, microseconds, weight)"""
    count = len(observed[0][0])
    scale = [max(values[i] / us for values, us, _ in observed) or 1.0 for i in range(count)]
    rows = [([values[i] / us / scale[i] for i in range(count)], weight) for values, us, weight in observed]
    active = list(range(count))
    while True:
        matrix = [[sum(weight * row[i] * row[j] for row, weight in rows) + (1e-3 if i == j else 0.0) for j in active] for i in active]
        found = solve(matrix, [sum(weight * row[i] for row, weight in rows) for i in active])
        least = min(range(len(active)), key=lambda i: found[i])
        if found[least] >= 0:
            break
        del active[least]
    costs = [0.0] * count
    for i, value in zip(active, found):
        costs[i] = value / scale[i]
    return costs


def is_common(line):
    """Sequences whose length fills tiles are what most models have."""
    return line["query_rows"] == line["key_rows"] and line["query_rows"] % 128 == 0


def weight_of(line):
    """Where keys are split, other kernels need not be estimated well."""
    return 0.1 if split_times(line) else COMMON if is_common(line) else 1.0


def costs_of(lines):
    """(kernel, head size, causal) -> costs"""
    observed = {}
    for line in lines:
        for kernel, us in own_times(line).items():
            key = (kernel, head_size(kernel, line["head_dim"]), line["causal"])
            observed.setdefault(key, []).append((terms(kernel, line), us, weight_of(line)))
    return {key: fitted(values) for key, values in sorted(observed.items())}


def split_costs_of(lines):
    """(head size, causal) -> costs"""
    observed = {}
    for line in lines:
        for cluster, us in split_times(line).items():
            if not split_suits(cluster, line):
                continue
            # What nobody would take, a cluster that is far from the best, need not be estimated well.
            weight = 1.0 if us < 1.5 * min(split_times(line).values()) else 0.1
            key = (split_size(line["head_dim"]), line["causal"], in_halves(line))
            observed.setdefault(key, []).append((split_terms(cluster, line), us, weight))
    costs = {key: fitted(values) for key, values in sorted(observed.items()) if not key[2] or len(values) >= LEAST_HALVES}
    # Where halves were not measured, as whole tiles.
    return {(size, causal, halves): costs.get((size, causal, halves), costs[size, causal, False])
            for size, causal, _ in sorted(costs) for halves in ((False,) if causal else (False, True)) if (size, causal, False) in costs}


def features(name, shape):
    """As features_of() in choice_trees.hpp."""
    sizes = (shape["query_rows"], shape["key_rows"], shape["head_dim"], shape["query_heads"] // shape["key_heads"],
             shape["batch"] * shape["key_heads"])
    if name == SPLIT_KEYS_NAME:
        return (*split_keys_terms(shape), *sizes)
    if name.startswith(SPLIT):
        cluster = int(name.rsplit("_", 1)[1])
        return (*split_terms(cluster, shape), *sizes, cluster, float(shape["causal"]))
    return (*terms(name, shape), *sizes)


class Costs:
    """What is known of all kernels."""

    def __init__(self, lines):
        self.kernels, self.split = costs_of(lines), split_costs_of(lines)
        left_over = {}
        for line in lines:
            best = min(all_times(line).values(), default=0)
            for name, us in all_times(line).items():
                sum_us = self.sum(name, line)
                if math.isfinite(sum_us):
                    # What nobody would take need not be estimated well.
                    weight = (COMMON if is_common(line) else 1.0) * (1.0 if us < 1.5 * best else 0.2)
                    left_over.setdefault(self.family(name, line), []).append((features(name, line), math.log(us / sum_us), weight))
        self.trees = {family: choice_trees.trees_of(rows) for family, rows in left_over.items()}

    @staticmethod
    def family(name, line):
        """Which trees a kernel has."""
        return SPLIT if name.startswith(SPLIT) else name if name == SPLIT_KEYS_NAME else (name, line["causal"])

    def sum(self, name, line):
        if name == SPLIT_KEYS_NAME:
            return split_keys_plan(*split_keys_sizes(line))[0]
        if name.startswith(SPLIT):
            cluster = int(name.rsplit("_", 1)[1])
            if not split_suits(cluster, line):
                return math.inf
            costs = self.split.get((split_size(line["head_dim"]), line["causal"], in_halves(line)))
            values = split_terms(cluster, line)
        else:
            costs, values = self.kernels.get((name, head_size(name, line["head_dim"]), line["causal"])), terms(name, line)
        return math.inf if costs is None else sum(map(math.prod, zip(costs, values)))

    def estimate(self, name, line):
        sum_us = self.sum(name, line)
        if not math.isfinite(sum_us):
            return math.inf
        return sum_us * choice_trees.correction(self.trees[self.family(name, line)], features(name, line))

    def best(self, line):
        """As takes_split_keys() and choose() in choice.hpp."""
        margin = {SPLIT_KEYS_NAME: 1 / SPLIT_KEYS_MARGIN}
        return min(all_times(line), key=lambda name: margin.get(name, 1) * self.estimate(name, line))


# ---- Files ----

def read(paths):
    lines = []
    for path in paths:
        data = path.read_bytes()
        lines += map(json.loads, (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines())
    for line in lines:
        if any(name.startswith(HALVES) for name in line.get("us", ())):  # which the library takes then
            line["in_halves"] = True
            line["us"] = {name.replace(HALVES, SPLIT): us for name, us in line["us"].items() if not name.startswith(SPLIT)}
    for line in lines:  # of ../split_keys/bench.py, every layout
        layouts = line.pop("layouts", {})
        planned = split_keys_plan(*split_keys_sizes(line))[1] if layouts else None
        if planned in layouts:
            line["us"][SPLIT_KEYS_NAME] = layouts[planned]
    for line in lines:  # of ../library/sweep.py
        if line.get("kernel", "").startswith(SPLIT_KEYS_NAME):
            line["us"] = {SPLIT_KEYS_NAME: line["us"]["ours"]}
    for line in lines:  # until then it had rows of 128 columns for them
        if 64 < line["head_dim"] <= 96 and line.get("date", "") < BYTES_AS_ASKED and "us" in line:
            line["us"].pop(SPLIT_KEYS_NAME, None)
    return [line for line in lines if "us" in line and not is_outdated(line)]


# Until then the L2 cache fetched 256 bytes for every row of a box, and memory gave a tenth less.
BYTES_AS_ASKED = "2026-11-20"


def is_outdated(line):
    if line.get("date", "") >= BYTES_AS_ASKED:
        return False
    return size_us(line) > 0.4 * min(all_times(line).values(), default=math.inf)


def own_times(line):
    return {name: us for name, us in line["us"].items() if name in SIZES}


def in_halves(line):
    """Whether both warpgroups of split_streaming had the rows of a tile when the line was measured."""
    return line.get("in_halves", False)


def split_times(line):
    """blocks of a cluster -> microseconds"""
    return {int(name.rsplit("_", 1)[1]): us for name, us in line["us"].items() if name.startswith(SPLIT)}


def all_times(line):
    """Of every kernel that is estimated."""
    return {name: us for name, us in line["us"].items() if name in SIZES or name.startswith(SPLIT) or name == SPLIT_KEYS_NAME}


def show_losses(title, lines, choose, worst=5):
    """What the chosen kernel of each shape that several compute loses against the best of them."""
    lines = [line for line in lines if len(all_times(line)) > 1]
    if not lines:
        raise SystemExit("no shape in these files is computed by several kernels")
    lost = [(line["us"][choose(line)] / min(all_times(line).values()) - 1, index) for index, line in enumerate(lines)]
    lost.sort()
    print(f"{title}: {len(lost)} shapes, {100 * statistics.mean(loss for loss, _ in lost):.2f} % lost on average, "
          f"{100 * lost[int(0.95 * len(lost))][0]:.1f} % at the 95 % quantile, {100 * lost[int(0.99 * len(lost))][0]:.1f} % at the 99 % "
          f"quantile, {100 * lost[-1][0]:.1f} % at worst")
    for loss, index in lost[:-1 - worst:-1]:
        line = lines[index]
        sizes = ",".join(str(line[name]) for name in ("batch", "query_heads", "key_heads", "query_rows", "key_rows", "head_dim"))
        print(f"  {100 * loss:5.1f} %  {sizes} {'causal' if line['causal'] else 'full'} {choose(line)} {all_times(line)}")


def judge(options):
    show_losses("the choice of then", read(options.files), lambda line: line["chosen"], worst=10)


def entry(key, costs, trees):
    """A line of choice_costs.hpp."""
    kernel, size, causal = key
    rows, keys = SIZES[kernel][size]
    resident, pairs = kernel.startswith("resident"), kernel.startswith("pairs")
    below = max([0, *(other for other in SIZES[kernel] if other < size)])
    least = size if resident else max(64 if pairs else 1, below + 1, size - 63)  # as fits() in launch.cu
    own_tiles = kernel.startswith("own_tiles")
    most_queries = rows if pairs or kernel == HEADS else 0
    most_keys = keys if pairs else RESIDENT_KEYS if resident else OWN_TILES_KEYS if own_tiles else 0
    numbers = ", ".join(f"{value:.4g}" for value in costs)
    return (f"    {{Kernel::{NAMES.get(kernel, kernel)}, {least}, {size}, {'true' if causal else 'false'}, {rows}, {keys}, "
            f"{TILES.get(kernel, 1)}, {most_queries}, {most_keys}, {{{numbers}}}, {trees}}},")


def split_entry(key, costs):
    size, causal, halves = key
    below = max([0, *(other for other in SPLIT_KEYS if other < size)])
    numbers = ", ".join(f"{value:.4g}" for value in costs)
    flags = f"{'true' if causal else 'false'}, {'true' if halves else 'false'}"
    return f"    {{{below + 1}, {size}, {flags}, {SPLIT_KEYS[size]}, {{{numbers}}}}},"


def tables(costs):
    families = sorted(family for family in costs.trees if isinstance(family, tuple)) + [SPLIT, SPLIT_KEYS_NAME]
    names = [f"{family[0]}, {'causal' if family[1] else 'full'}" if isinstance(family, tuple) else family for family in families]
    trees = [choice_trees.text(costs.trees[family], name) for family, name in zip(families, names)]
    kernels = [entry(key, value, families.index((key[0], key[2]))) for key, value in costs.kernels.items()]
    return (table("Trees", "kTrees", trees)
            + f"inline constexpr int kSplitTrees = {families.index(SPLIT)};\n"
            + f"inline constexpr int kSplitKeysTrees = {families.index(SPLIT_KEYS_NAME)};\n"
            + table("KernelCosts", "kKernelCosts", kernels)
            + table("SplitCosts", "kSplitCosts", [split_entry(*item) for item in costs.split.items()]))


def table(kind, name, lines):
    return "\n".join([f"inline constexpr {kind} {name}[] = {{", *lines, "};", ""])


def fit(options):
    lines = read(options.files)
    random.Random(1).shuffle(lines)
    first, second = lines[::2], lines[1::2]
    for title, learned, tested in (("first half, tested on the second", first, second), ("second half, tested on the first", second, first)):
        costs = Costs(learned)
        show_losses(title, tested, costs.best)
        split = [line for line in tested if split_times(line)]
        if split:
            show_losses(f"  of these, where keys may be split", split, costs.best)
    costs = Costs(lines)
    show_losses("all, on the shapes that they are made from", lines, costs.best)
    COSTS.write_text(HEAD + tables(costs) + TAIL)
    print(f"wrote {COSTS}")


COSTS = HERE / "choice_costs.hpp"
HEAD = """// SPDX-License-Identifier: MIT
// Generated by choice_sweep.py fit from sweeps: do not edit.
#pragma once

#include "choice_terms.hpp"
#include "split_plan.hpp"

namespace assay::attention::hopper {

// clang-format off
"""
TAIL = """// clang-format on

}  // namespace assay::attention::hopper
"""


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("measure", "judge", "fit"))
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    for name, value in (("--seed", 1), ("--count", 600), ("--seconds", 120)):
        parser.add_argument(name, type=int, default=value)
    for name in ("--wide", "--short", "--split", "--packed", "--causal", "--drawn", "--narrow", "--peers"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args(words)
    {"measure": measure, "judge": judge, "fit": fit}[options.what](options)


if __name__ == "__main__":
    main(sys.argv[1:])
