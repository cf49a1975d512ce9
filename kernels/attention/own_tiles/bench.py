# SPDX-License-Identifier: MIT
"""Sequences of a few hundred rows, and many queries against few keys: the own_tiles kernel beside what the library takes, cuDNN and
flash, on random shapes. First 192 cases against float64.

  make attention && PYTHONPATH=python python3 kernels/attention/own_tiles/bench.py OUT.jsonl [--count 240] [--seconds 55] [--seed 1]
                                                        [--patience 15] [--only square,narrow,short_keys,few_heads]

Shape number n is a function of seed and n alone; a file that is there already is continued, without the first cases. A shape that
gives no answer within --patience seconds (a kernel that hangs) ends the run with exit code 3: it is in the file as "hung", and the
next run goes on after it. Every result is compared with float64 on sampled rows before it is timed. Timing: each contender is one CUDA
graph of back-to-back calls over rotating inputs that the L2 cache does not hold; replays are interleaved in random order, and a time
is the median replay divided by the calls in it.

A line is {"number", "seed", the shape, "chosen", "us": {kernel: microseconds}}, where "chosen" is the kernel that the library takes;
`choice_sweep.py fit` (../hopper) reads it. Exits 1 if something is wrong.
"""

import argparse
import json
import math
import pathlib
import random
import re
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "kernels/attention"), str(ROOT / "kernels/attention/library")]
import sweep  # noqa: E402
from replays import interleaved, timed  # noqa: E402

MOST_BYTES = 700 << 20  # of one set of inputs
NAME = "own_tiles"
KINDS = {"square": 50, "narrow": 15, "short_keys": 25, "few_heads": 10}
LENGTHS = ((1, 1), (9, 9), (64, 64), (65, 65), (63, 130), (130, 63), (192, 192), (200, 256), (290, 290), (500, 64), (700, 129), (385, 400))


def random_shape(seed, number, kinds):
    draw = random.Random(f"own tiles {seed} {number}")
    kind = draw.choices(list(kinds), [kinds[name] for name in kinds])[0]
    while True:
        head_dim = draw.choice((64, 128, 128, 128, 256, 256, 192, 96, 8 * draw.randint(9, 31)))
        group = draw.choice((2, 4, 8, 16)) if draw.random() < 0.3 else 1
        pairs = round(math.exp(draw.uniform(math.log(100), math.log(5000))))
        causal = draw.random() < 0.65
        if kind == "square":
            rows = keys = draw.choice((128, 192, 256, 384, draw.randint(97, 400), draw.randint(129, 320), draw.randint(129, 512)))
        elif kind == "narrow":
            rows = keys = draw.choice((64, draw.randint(1, 64), draw.randint(33, 64)))
            head_dim = draw.choice((256, 256, 8 * draw.randint(17, 32)))
        elif kind == "short_keys":
            rows = draw.choice((64 * draw.randint(2, 24), draw.randint(96, 1500)))
            keys, causal = draw.choice((64, 128, draw.randint(16, 160))), False
            pairs = max(1, pairs // 8)
        else:
            rows = keys = draw.choice((64, 128, 256, 384, 512, draw.randint(33, 512)))
            pairs = draw.randint(1, 100)
        key_heads = draw.randint(1, max(1, min(64, pairs) // group))
        shape = {"batch": max(1, round(pairs / (key_heads * group))), "query_heads": key_heads * group, "key_heads": key_heads,
                 "query_rows": rows, "key_rows": keys, "head_dim": head_dim, "causal": causal, "dtype": draw.choice(("fp16", "bf16")),
                 "layout": draw.choice(("bhsd", "bshd"))}
        if sweep.set_bytes(shape) <= MOST_BYTES:
            return {"kind": kind, **shape}


def kernels_of(head_dim):
    """(name, whether it is the one for more keys), as in ../hopper/launch.cu"""
    return [(NAME, False), (NAME + "_long", True)] if 64 < head_dim <= 128 else [(NAME, False)]


def check():
    """Lengths around tiles and rings, grouped heads, both layouts, growing and negative scores: before anything is timed."""
    import torch
    wrong = cases = 0
    for length, (rows, keys) in enumerate(LENGTHS):
        for column, head_dim in enumerate((64, 72, 128, 192, 208, 256)):
            for causal in (False, True):
                cases += 1
                number = length + column
                dtype = (torch.float16, torch.bfloat16)[number % 2]
                batch, group = ((2, 4), (40, 1), (5, 3))[number % 3]
                key_heads = 9 if batch == 2 else 5

                def tensor(heads, length):
                    if number // 2 % 2:
                        return torch.randn(batch, length, heads, head_dim, device="cuda").to(dtype).transpose(1, 2)
                    return torch.randn(batch, heads, length, head_dim, device="cuda").to(dtype)

                q, k, v = tensor(key_heads * group, rows), tensor(key_heads, keys), tensor(key_heads, keys)
                if number % 4 == 1:  # scores outgrow the first block's maximum again and again
                    k = k * torch.linspace(1, 12, keys, device="cuda")[:, None].to(dtype)
                if number % 5 == 2:  # no score is positive
                    q, k = q.abs(), -k.abs()
                scores = q.double() @ k.repeat_interleave(group, 1).double().transpose(-1, -2) * head_dim ** -0.5
                if causal:
                    hidden = torch.arange(keys, device="cuda")[None, :] > torch.arange(rows, device="cuda")[:, None] + keys - rows
                    scores = scores.masked_fill(hidden, -math.inf)
                expected_lse = torch.logsumexp(scores, -1)
                expected = torch.exp(scores - expected_lse.nan_to_num(neginf=0.0)[..., None]) @ v.repeat_interleave(group, 1).double()
                for name, is_long in kernels_of(head_dim):
                    results = []
                    for _ in range(2):
                        out, lse = torch.full_like(q, math.nan), torch.full(q.shape[:3], math.nan, device="cuda")
                        sweep.launch_own_tiles(q, k, v, out, causal, is_long, lse)
                        torch.cuda.synchronize()
                        results.append(out)
                    error = ((out.double() - expected).norm() / expected.norm().clamp_min(1e-30)).item()
                    same_lse = torch.allclose(lse.double(), expected_lse, atol=2e-3, rtol=1e-6)  # -inf equals -inf
                    same_bits = torch.equal(*results)
                    if not error < (7e-4 if dtype == torch.float16 else 6e-3) or not same_lse or not same_bits:
                        wrong += 1
                        print(f"WRONG {name} {batch},{key_heads}x{group},{rows}x{keys},{head_dim} causal={causal} {dtype}: error "
                              f"{error:.3g}, log-sum-exp {same_lse}, same bits {same_bits}", flush=True)
    torch.cuda.empty_cache()
    print(f"{cases} cases against float64, {wrong} wrong", flush=True)
    return wrong


def kernel_of(name):
    """streaming_2_half_d96_full -> streaming_2, as in choice_sweep.py"""
    return re.sub("_(half|bf16)|_d[0-9]+|_(full|causal)", "", name)


def measure(shape, draw):
    """What was measured of a shape; raises ArithmeticError where a result is wrong."""
    import assay_attention
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
    torch.manual_seed(draw.randrange(1 << 31))
    count = min(16, max(2, math.ceil(sweep.ROTATED_BYTES / sweep.set_bytes(shape))))
    sets = sweep._inputs(shape, count)
    out = torch.empty_like(sets[0][0])
    causal, groups = shape["causal"], shape["query_heads"] != shape["key_heads"]
    chosen = kernel_of(sweep._chosen(shape)).replace("split_streaming", "planned_split")  # blocks of a cluster as planned

    def sdpa(backend):
        def call(index):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(*sets[index], is_causal=causal, enable_gqa=groups)
        return call

    contenders = {name: lambda index, is_long=is_long: sweep.launch_own_tiles(*sets[index], out, causal, is_long)
                  for name, is_long in kernels_of(shape["head_dim"])}
    if chosen not in contenders:
        contenders[chosen] = lambda index: assay_attention.attention(*sets[index], causal=causal)
    contenders |= {"cudnn": sdpa(SDPBackend.CUDNN_ATTENTION), "flash": sdpa(SDPBackend.FLASH_ATTENTION)}
    errors, once = {}, {}
    for name in list(contenders):
        try:
            contenders[name](0)
            result, once[name] = timed(contenders[name], 0)
        except (RuntimeError, ValueError) as refusal:
            if name.startswith(NAME):
                raise
            print(f"  {name}: {str(refusal).splitlines()[0][:80]}")
            del contenders[name]
            continue
        errors[name] = sweep._sampled_error(shape, sets[0], result, draw)
        if name.startswith(NAME) and not errors[name] < sweep.LIMIT[shape["dtype"]]:
            raise ArithmeticError(f"{name}: error {errors[name]:.3g}")
    calls = min(64, max(2, math.ceil(sweep.REPLAY_US / min(once.values()))))
    graphs = {name: sweep._captured(call, _nothing, calls, count) for name, call in contenders.items()}
    times = interleaved(graphs, calls, 7, 2, draw)
    return {"chosen": chosen, "us": {name: round(statistics.median(t), 3) for name, t in times.items()},
            "error": {name: float(f"{error:.3g}") for name, error in errors.items()}, "bytes_us": round(sweep.set_bytes(shape) / 4.2e6, 2)}


def _nothing():
    import contextlib
    return contextlib.nullcontext()


def over_own(line, names):
    """The best of these contenders over the better of our kernels; nothing where none of them is there."""
    others = [line["us"][name] for name in names if name in line["us"]]
    return [min(others) / min(us for name, us in line["us"].items() if name.startswith(NAME))] if others else []


def show(title, ratios):
    if ratios:
        print(f"{title} over {NAME}: {len(ratios)} shapes, median {statistics.median(ratios):.2f}, {min(ratios):.2f} ... "
              f"{max(ratios):.2f}, {sum(ratio < 0.98 for ratio in ratios)} below 0.98")


def summary(lines):
    for kind in sorted({line["kind"] for line in lines}):
        these = [line for line in lines if line["kind"] == kind]
        show(f"{kind}: best of cuDNN and flash", [ratio for line in these for ratio in over_own(line, ("cudnn", "flash"))])
    for chosen in sorted({line["chosen"] for line in lines}):
        these = [line for line in lines if line["chosen"] == chosen]
        show(f"{chosen}, where it is taken", [ratio for line in these for ratio in over_own(line, (chosen,))])


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    for name, value in (("--count", 240), ("--seconds", 55), ("--seed", 1), ("--patience", 15)):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("--only", type=lambda text: {name: KINDS[name] for name in text.split(",")}, default=KINDS)
    options = parser.parse_args(words)
    import torch
    began, number, wrong, lines = time.monotonic(), 0, 0, []
    if options.output.is_file():
        number = max((json.loads(line)["number"] + 1 for line in options.output.read_text().splitlines()), default=0)
    with options.output.open("a") as output, torch.no_grad():
        if number == 0:
            with sweep.watched({"number": -1, "kind": "check"}, 2 * options.patience, output):
                if check():
                    return 1
        while number < options.count and time.monotonic() - began < options.seconds:
            shape = random_shape(options.seed, number, options.only)
            line = {"number": number, "seed": options.seed, **shape}
            with sweep.watched(line, options.patience, output):
                try:
                    line.update(measure(shape, random.Random(f"measure {options.seed} {number}")))
                    lines.append(line)
                except ArithmeticError as error:
                    line["wrong"] = str(error)
                    wrong += 1
                    print("WRONG", json.dumps(line), flush=True)
            print(json.dumps(line), file=output, flush=True)
            number += 1
            if number % 20 == 0:
                torch.cuda.empty_cache()
    summary(lines)
    print(f"{number} of {options.count} shapes, {wrong} wrong, {time.monotonic() - began:.1f} s; the same command goes on")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
