# SPDX-License-Identifier: MIT
"""Asks a real GPU how much a kernel's time depends on where its tensors lie:
  python3 tests/gpu/placement_truth.py [ROUNDS]

Times one attention kernel (B=4, H=8, S=512, D=64, fp16, full) with its tensors placed in six ways, which take turns in
random order: 60 rounds if none are given. Needs PyTorch, a GPU with 16 GiB free, and kernels/attention/hopper/build.sh.
"""

import pathlib
import random
import statistics
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "kernels/attention/hopper"))
import bench

BATCH, HEADS, ROWS, DIM = 4, 8, 512, 64
SETS, CALLS, REPLAYS, WARM_UP = 4, 40, 15, 3
TENSORS = 4 * SETS  # queries, keys, values and output of each set
PAGE = 2 << 20  # as large as one tensor
POOL_PAGES = 6144
SEED = 5


class Placements:
    """Every way returns the tensors of all sets, filled."""

    def __init__(self):
        self._random = random.Random(SEED)
        self._pool = torch.empty(POOL_PAGES * PAGE, dtype=torch.uint8, device="cuda")
        generator = torch.Generator(device="cuda").manual_seed(SEED)
        self._values = torch.randn((TENSORS, BATCH, HEADS, ROWS, DIM), device="cuda", generator=generator).half()

    def _at(self, offsets):
        size = self._values[0].nbytes
        return self._fill([self._pool[o:o + size].view(torch.float16).view(BATCH, HEADS, ROWS, DIM) for o in offsets])

    def _fill(self, tensors):
        for tensor, values in zip(tensors, self._values):
            tensor.copy_(values)
        return tensors

    def _scattered(self, step):
        return self._at([step * i for i in self._random.sample(range((POOL_PAGES - 1) * PAGE // step), TENSORS)])

    def same_place(self):
        return self._at([PAGE * i for i in range(TENSORS)])

    def random_pages(self):
        return self._scattered(PAGE)

    def random_pieces(self):
        return self._scattered(64 << 10)

    def side_by_side(self):
        first = self._random.randrange(POOL_PAGES - TENSORS)
        return self._at([PAGE * (first + i) for i in range(TENSORS)])

    def allocated_anew(self):
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        pad = torch.empty(self._random.randrange(1, 64) * PAGE, dtype=torch.uint8, device="cuda")
        tensors = self._fill([torch.empty_like(self._values[0]) for _ in range(TENSORS)])
        del pad
        return tensors


def captured(tensors):
    """A graph of calls on these tensors, and the tensors, which must stay where they are."""
    calls = [bench.describe(*tensors[4 * i:4 * i + 4], causal=False) for i in range(SETS)]
    variant, = bench.supporting(calls[0], ["chosen"])
    return bench.capture(lambda i: bench.launch(variant, calls[i % SETS]), CALLS), tensors


def microseconds(graph):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = []
    for replay in range(REPLAYS):
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        if replay >= WARM_UP:
            times.append(start.elapsed_time(stop) * 1e3 / CALLS)
    return statistics.median(times)


def main(rounds):
    placements = Placements()
    fixed = captured(placements.same_place())
    ways = {"same_graph": lambda: fixed}
    for place in (placements.same_place, placements.random_pages, placements.random_pieces, placements.side_by_side,
                  placements.allocated_anew):
        ways[place.__name__] = lambda place=place: captured(place())
    for _ in range(200):
        microseconds(fixed[0])
    times = {name: [] for name in ways}
    order = random.Random(SEED)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, seed {SEED}, {rounds} rounds")
    for _ in range(rounds):
        for name in order.sample(list(ways), len(ways)):
            graph, tensors = ways[name]()
            times[name].append(microseconds(graph))
    for name, values in times.items():
        mean = statistics.mean(values)
        print(f"{name:15} mean {mean:7.3f} us  deviation {100 * statistics.stdev(values) / mean:5.2f} %  "
              f"first half {statistics.mean(values[:rounds // 2]):7.3f}  second {statistics.mean(values[rounds // 2:]):7.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
