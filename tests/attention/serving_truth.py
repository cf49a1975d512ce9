# SPDX-License-Identifier: MIT
"""flash_attn_func, flash_attn_varlen_func and flash_attn_with_kvcache against float64 on random calls. About two minutes on an H200.

  python3 -B -W ignore tests/attention/serving_truth.py [--cases 400] [--seed 1] [--only NUMBER] [--fresh]

A case is a function of seed and number: kind of call, sizes (empty sequences, one key, more queries than keys), strides, types,
grouped heads, head sizes, causal masks, windows, capped scores, pages in random order, NaN behind the keys of a cache. Checked are
output and log-sum-exp, that two runs give the same bits, that a captured graph does, also with other lengths than it was captured
with, that rows which no sequence has stay as they are, and what was added to a cache; half of the cases run also by the kernels for
Ampere, a tenth under torch.compile as one graph, which must give the same bits and write the same cache. One line of build/serving_truth.jsonl for each case; those that are there and passed with the same library are not run again.
Exits 1 if a case failed. Needs a GPU, PyTorch and libassay_attention.so.
"""

import argparse
import hashlib
import json
import math
import pathlib
import random
import sys
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import assay_attention  # noqa: E402
from assay_attention import flash_call, flash_launch, library  # noqa: E402

RESULTS = ROOT / "build" / "serving_truth.jsonl"
HEAD_SIZES = (64, 80, 96, 128, 192, 256)
KINDS = ("dense", "varlen", "varlen_paged", "cache", "cache_lengths", "cache_lines", "cache_paged")
# Relative error of the 2-norm, and of an element: rounding of the result, and of probabilities in 16 bits.
NORM = {torch.float16: 7e-4, torch.bfloat16: 6e-3}
ELEMENT = {torch.float16: 6e-3, torch.bfloat16: 4e-2}
LSE = 2e-3


class Wrong(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def attend(q, k, v, options):
    """One sequence in float64: (rows, heads, dim) -> output, log-sum-exp (heads, rows)."""
    rows, heads, dim = q.shape
    keys = k.shape[0]
    group = heads // k.shape[1]
    q, k, v = q.double().transpose(0, 1), k.double().repeat_interleave(group, 1).transpose(0, 1), \
        v.double().repeat_interleave(group, 1).transpose(0, 1)
    scores = q @ k.transpose(1, 2) * (options["softmax_scale"] or dim ** -0.5)
    if options["softcap"] > 0:
        scores = options["softcap"] * torch.tanh(scores / options["softcap"])
    beside = torch.arange(rows, device=q.device)[:, None] + keys - rows
    key = torch.arange(keys, device=q.device)[None, :]
    left, right = options["window_size"]
    hidden = torch.zeros(rows, keys, dtype=torch.bool, device=q.device)
    if options["causal"]:
        hidden |= key > beside
    if left >= 0:
        hidden |= key < beside - left
    if right >= 0:
        hidden |= key > beside + right
    scores.masked_fill_(hidden, -math.inf)
    lse = torch.logsumexp(scores, -1)
    weights = torch.exp(scores - lse.nan_to_num(neginf=0.0)[..., None])
    return (weights @ v).transpose(0, 1), lse


def compare(out, expected, lse, expected_lse, dtype):
    error = (out.double() - expected).abs()
    expect(bool(torch.isfinite(out).all()), "output is not finite")
    norm = error.norm().item() / max(expected.norm().item(), 1e-30) if expected.abs().sum() > 0 else error.max().item()
    expect(norm < NORM[dtype], f"relative error {norm:.3g}")
    worst = (error / (1 + expected.abs())).max().item() if error.numel() else 0.0
    expect(worst < ELEMENT[dtype], f"error of an element {worst:.3g}")
    nothing = expected_lse == -math.inf
    expect(torch.equal(lse == -math.inf, nothing), "log-sum-exp is -inf at other rows")
    difference = (lse.double() - expected_lse)[~nothing].abs()
    expect(difference.numel() == 0 or difference.max().item() < LSE * (1 + expected_lse[~nothing].abs().max().item() / 10),
           f"error of log-sum-exp {difference.max().item() if difference.numel() else 0:.3g}")
    return norm


class Case:
    """One random call; its tensors are made by draw(), its reference by truth()."""

    def __init__(self, seed, number):
        self.random = random.Random(seed * 1_000_003 + number)
        self.generator = torch.Generator(device="cuda").manual_seed(seed * 1_000_003 + number)
        pick = self.random.choice
        self.kind = KINDS[number % len(KINDS)]
        self.dtype = pick((torch.float16, torch.bfloat16))
        self.dim = pick(HEAD_SIZES) if self.random.random() < 0.9 else pick((8, 40, 160, 232))
        self.key_heads = pick((1, 2, 3, 8))
        self.heads = self.key_heads * pick((1, 1, 2, 4, 8))
        self.batch = pick((1, 2, 3, 5))
        self.most_queries = pick((1, 1, 2, 7, 16, 33, 64, 65, 130, 200, 300))
        self.most_keys = pick((1, 16, 17, 64, 100, 129, 256, 300, 700, 1500, 4000))
        if self.most_queries * self.most_keys * self.heads * self.batch > 40_000_000:
            self.most_keys = 256
        self.page = pick((16, 32, 48, 64, 128, 256))
        self.new_rows = pick((0, 1, self.most_queries)) if self.kind.startswith("cache") else 0
        left, right = pick((-1, -1, 0, 1, 15, 64, 300, 10_000)), pick((-1, -1, 0, 3, 70))
        windowed = self.random.random() < 0.4
        self.options = {"causal": self.random.random() < 0.5, "window_size": (left, right) if windowed else (-1, -1),
                        "softcap": pick((0.0, 0.0, 0.0, 2.0, 30.0)), "softmax_scale": pick((None, None, 0.3, 0.05))}
        if self.options["softcap"] > 0 and self.options["softmax_scale"]:
            self.options["softmax_scale"] = None

    def describe(self):
        return (f"{self.kind} {str(self.dtype)[6:]} B{self.batch} H{self.heads}/{self.key_heads} M{self.most_queries} "
                f"S{self.most_keys} D{self.dim} page{self.page} new{self.new_rows} {self.options}")

    def length(self, most):
        kind = self.random.random()
        return 0 if kind < 0.1 else most if kind < 0.3 else self.random.randint(0, most)

    def tensor(self, *shape):
        """Random values; strides of a slice of something larger, or of another order in memory, now and then."""
        kind = self.random.random()
        *outer, dim = shape
        if kind < 0.25:
            full = torch.randn(*outer, dim + self.random.choice((8, 64)), device="cuda", generator=self.generator)
            return full.to(self.dtype)[..., :dim]
        if kind < 0.5:
            order = list(range(len(outer)))
            order[-1], order[-2] = order[-2], order[-1]
            turned = torch.randn(*(outer[i] for i in order), dim, device="cuda", generator=self.generator).to(self.dtype)
            return turned.permute(*order, len(outer))
        if kind < 0.6:
            return torch.randn(*outer[:-1], 3 * outer[-1], dim, device="cuda",
                               generator=self.generator).to(self.dtype)[..., outer[-1]:2 * outer[-1], :]
        return torch.randn(shape, device="cuda", generator=self.generator).to(self.dtype)

    def starts(self, lengths):
        return torch.tensor([0, *torch.tensor(lengths).cumsum(0).tolist()], dtype=torch.int32, device="cuda")

    def numbers(self, values):
        return torch.tensor(values, dtype=torch.int32, device="cuda")

    def table(self, pages):
        order = torch.randperm(self.batch * pages + 3, device="cuda", generator=self.generator)[:self.batch * pages]
        return order.to(torch.int32).view(self.batch, pages)

    def draw(self):
        """Arguments; the tensors that a graph's replay may see with other contents are in self.changing."""
        B, H, Hk, D, M, S = self.batch, self.heads, self.key_heads, self.dim, self.most_queries, self.most_keys
        self.changing = []
        if self.kind == "dense":
            self.arguments = {"q": self.tensor(B, M, H, D), "k": self.tensor(B, S, Hk, D), "v": self.tensor(B, S, Hk, D)}
            self.function, flag = assay_attention.flash_attn_func, "return_attn_probs"
        elif self.kind.startswith("varlen"):
            self.draw_lengths()
            spare = 5
            self.arguments = {"q": self.tensor(B * M + spare, H, D), "cu_seqlens_q": self.starts(self.queries),
                              "cu_seqlens_k": self.starts(self.keys), "max_seqlen_q": M, "max_seqlen_k": S}
            if self.kind == "varlen":
                self.arguments |= {"k": self.tensor(B * S + 2, Hk, D), "v": self.tensor(B * S + 2, Hk, D)}
            else:
                pages = -(-S // self.page)
                self.arguments |= {"block_table": self.table(pages), "k": self.tensor(B * pages + 3, self.page, Hk, D),
                                   "v": self.tensor(B * pages + 3, self.page, Hk, D)}
            self.function, flag = assay_attention.flash_attn_varlen_func, "return_attn_probs"
        else:
            self.draw_cache()
            self.function, flag = assay_attention.flash_attn_with_kvcache, "return_softmax_lse"
        self.arguments |= {**self.options, flag: True}

    def draw_lengths(self):
        self.queries = [self.length(self.most_queries) for _ in range(self.batch)]
        self.keys = [self.length(self.most_keys) for _ in range(self.batch)]

    def draw_cache(self):
        B, H, Hk, D, M = self.batch, self.heads, self.key_heads, self.dim, self.most_queries
        S, new = max(self.most_keys, self.new_rows), self.new_rows
        lines = B
        self.arguments = {"q": self.tensor(B, M, H, D)}
        if self.kind == "cache_paged":
            pages = -(-S // self.page)
            self.arguments["block_table"] = self.table(pages)
            lines, S = B * pages + 3, self.page
            capacity = pages * self.page
        else:
            capacity = S
            if self.kind == "cache_lines":
                lines = B + 2
                self.arguments["cache_batch_idx"] = self.numbers(self.random.sample(range(lines), B))
        self.arguments |= {"k_cache": self.tensor(lines, S, Hk, D), "v_cache": self.tensor(lines, S, Hk, D)}
        if self.kind == "cache":
            self.keys = [self.length(capacity - new)] * B
            self.arguments["cache_seqlens"] = self.keys[0]
        else:
            self.keys = [self.length(capacity - new) for _ in range(B)]
            self.arguments["cache_seqlens"] = self.numbers(self.keys)
        if new:
            self.arguments |= {"k": self.tensor(B, new, Hk, D), "v": self.tensor(B, new, Hk, D)}
        self.poison()

    def poison(self):
        """What lies behind the keys of a sequence, and in pages that nobody has, may be anything: NaN."""
        a = self.arguments
        capacity = a["k_cache"].shape[1]
        for name in ("k_cache", "v_cache"):
            cache = a[name]
            kept = torch.randn(cache.shape, device="cuda", generator=self.generator).to(self.dtype)
            cache.fill_(math.nan)
            for b in range(self.batch):
                if "block_table" in a:
                    for i in range(-(-self.keys[b] // capacity)):
                        page, rows = int(a["block_table"][b, i]), min(capacity, self.keys[b] - i * capacity)
                        cache[page, :rows] = kept[page, :rows]
                else:
                    line = int(a["cache_batch_idx"][b]) if "cache_batch_idx" in a else b
                    cache[line, :self.keys[b]] = kept[line, :self.keys[b]]

    def other_lengths(self):
        """The same tensors with other lengths in them, for a replay."""
        if self.kind.startswith("varlen"):
            self.draw_lengths()
            self.arguments["cu_seqlens_q"].copy_(self.starts(self.queries))
            self.arguments["cu_seqlens_k"].copy_(self.starts(self.keys))
        elif self.kind in ("cache_lengths", "cache_lines", "cache_paged"):
            capacity = self.arguments["k_cache"].shape[1]
            if self.kind == "cache_paged":
                capacity *= self.arguments["block_table"].shape[1]
            self.keys = [self.length(capacity - self.new_rows) for _ in self.keys]
            self.arguments["cache_seqlens"].copy_(self.numbers(self.keys))
            self.poison()
        self.arguments["q"].copy_(torch.randn(self.arguments["q"].shape, device="cuda", generator=self.generator))

    def cache_rows(self, name, b, count):
        """The first rows of sequence b in a cache."""
        cache, a = self.arguments[name], self.arguments
        if "block_table" in a:
            pages = a["block_table"][b].long()
            return cache[pages].reshape(-1, *cache.shape[2:])[:count]
        line = int(a["cache_batch_idx"][b]) if "cache_batch_idx" in a else b
        return cache[line, :count]

    def truth(self, out, lse):
        """Compares with float64; returns the largest relative error."""
        a, worst = self.arguments, 0.0
        for b in range(self.batch):
            if self.kind == "dense":
                q, k, v = a["q"][b], a["k"][b], a["v"][b]
                got, got_lse = out[b], lse[b]
            elif self.kind.startswith("varlen"):
                start, end = int(a["cu_seqlens_q"][b]), int(a["cu_seqlens_q"][b + 1])
                q, got, got_lse = a["q"][start:end], out[start:end], lse[:, start:end]
                if self.kind == "varlen":
                    first = int(a["cu_seqlens_k"][b])
                    k, v = (a[name][first:first + self.keys[b]] for name in ("k", "v"))
                else:
                    pages = a["block_table"][b].long()
                    k, v = (a[name][pages].reshape(-1, *a[name].shape[2:])[:self.keys[b]] for name in ("k", "v"))
            else:
                q, got, got_lse = a["q"][b], out[b], lse[b]
                rows = self.keys[b] + self.new_rows
                k, v = self.cache_rows("k_cache", b, rows), self.cache_rows("v_cache", b, rows)
                if self.new_rows:
                    for name, full in (("k", k), ("v", v)):
                        expect(torch.equal(full[self.keys[b]:], a[name][b]), f"{name} is not in the cache")
            if got.numel() == 0:
                continue
            expected, expected_lse = attend(q, k, v, self.options)
            worst = max(worst, compare(got, expected, got_lse, expected_lse, self.dtype))
        return worst

    def check_untouched(self):
        """Rows that no sequence has keep what they hold: by a call with an output of our own."""
        a, options = self.arguments, self.options
        out = torch.full_like(a["q"], 7.0)
        lse = torch.full((self.heads, a["q"].shape[0]), 7.0, device="cuda")
        call = flash_call.varlen_call(flash_launch.TYPES, a["q"], a["k"], a["v"], out, lse, a["cu_seqlens_q"], a["cu_seqlens_k"],
                                      a["max_seqlen_q"], a["max_seqlen_k"], options["causal"], options["window_size"],
                                      options["softcap"], options["softmax_scale"], a.get("block_table"))
        flash_launch._enqueue(0, None, call)
        end = int(a["cu_seqlens_q"][-1])
        expect(bool((out[end:] == 7.0).all()) and bool((lse[:, end:] == 7.0).all()), "a row that no sequence has was written")
        return out[:end], lse[:, :end]

    def check_cache_elsewhere(self, before):
        """Only the new rows of a cache differ from what was there."""
        for name in ("k_cache", "v_cache"):
            after = self.arguments[name]
            changed = ((after != before[name]) & ~(after.isnan() & before[name].isnan())).flatten(2).any(2)
            expect(int(changed.sum()) <= self.batch * self.new_rows, f"{name} changed elsewhere")

    def run(self, number):
        self.draw()
        before = {name: self.arguments[name].clone() for name in ("k_cache", "v_cache") if name in self.arguments}
        out, lse = self.function(**self.arguments)[:2]
        worst = self.truth(out, lse)
        if before:
            self.check_cache_elsewhere(before)
        if self.kind.startswith("varlen"):
            again = self.check_untouched()
            out, lse = out[:again[0].shape[0]], lse[:, :again[0].shape[0]]
        else:
            again = self.function(**self.arguments)[:2]
        expect(torch.equal(out, again[0]) and torch.equal(lse, again[1]), "two runs differ in their bits")
        if number % 2 == 0:
            worst = max(worst, self.by_tiles())
        if number % 10 == 0:
            worst = max(worst, self.check_compiled(before, out, lse))
        if number % 3 == 0:
            worst = max(worst, self.check_graph())
        return worst

    def by_tiles(self):
        """The same by the kernels for Ampere, which a Hopper GPU takes for few keys alone."""
        loaded = library.load()
        tiles = loaded.assay_attention_testing_serving_tiles
        tiles.argtypes = loaded.assay_attention_forward.argtypes
        usual = flash_launch._load()
        flash_launch._functions = tiles, usual[1]
        try:
            out, lse = self.function(**self.arguments)[:2]
        finally:
            flash_launch._functions = usual
        return self.truth(out, lse)

    def check_compiled(self, before, out, lse):
        """As one graph of torch.compile, from the cache as it was before."""
        for name, cache in before.items():
            self.arguments[name].copy_(cache)
        torch._dynamo.reset()
        compiled = torch.compile(self.function, fullgraph=True, backend="aot_eager")
        with torch.no_grad():
            got, got_lse = compiled(**self.arguments)[:2]
        worst = self.truth(got, got_lse)
        if self.kind.startswith("varlen"):
            got, got_lse = got[:out.shape[0]], got_lse[:, :out.shape[0]]
        expect(torch.equal(got, out) and torch.equal(got_lse, lse), "a compiled call gives other bits")
        return worst

    def check_graph(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out, lse = self.function(**self.arguments)[:2]
        self.other_lengths()
        graph.replay()
        torch.cuda.synchronize()
        worst = self.truth(out, lse)
        eager = self.function(**self.arguments)[:2]
        if not self.kind.startswith("varlen"):
            expect(torch.equal(out, eager[0]) and torch.equal(lse, eager[1]), "a replayed graph gives other bits")
        return worst


def library_hash():
    return hashlib.sha256(pathlib.Path(assay_attention.library_path()).read_bytes()).hexdigest()[:16]


def done_before(key):
    if not RESULTS.is_file():
        return set()
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines() if line]
    return {line["number"] for line in lines if line["key"] == key and line["failure"] is None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=406)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--fresh", action="store_true")
    words = parser.parse_args()
    key = f"{library_hash()} {words.seed}"
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, library {assay_attention.version()} ({key}), "
          f"{words.cases} cases", flush=True)
    done = set() if words.fresh or words.only is not None else done_before(key)
    RESULTS.parent.mkdir(exist_ok=True)
    failed, start, largest = 0, time.monotonic(), 0.0
    torch.backends.cuda.matmul.allow_tf32 = False
    with RESULTS.open("a") as results:
        for number in [words.only] if words.only is not None else range(words.cases):
            if number in done:
                continue
            case, failure, worst = Case(words.seed, number), None, None
            try:
                worst = case.run(number)
                torch.cuda.synchronize()
                largest = max(largest, worst)
            except (Wrong, ValueError, RuntimeError) as error:
                failure = f"{type(error).__name__}: {error}"
                failed += 1
                print(f"FAILED case {number}: {case.describe()}: {failure}", flush=True)
            line = {"key": key, "number": number, "case": case.describe(), "error": worst, "failure": failure}
            print(json.dumps(line), file=results, flush=True)
            if failure and "CUDA" in failure:
                raise SystemExit("the GPU is in an unknown state after this; run again to go on behind this case")
            if number % 50 == 49:
                print(f"{number + 1} cases, {failed} failed, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{words.cases if words.only is None else 1} cases ({len(done)} earlier), {failed} failed, largest relative error "
          f"{largest:.3g}, {time.monotonic() - start:.1f} s")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
