# SPDX-License-Identifier: MIT
"""Times what serving engines call beside PyTorch's own kernels. About three minutes on an H200, the decoder one of them.

  PYTHONPATH=python python3 -W ignore kernels/attention/library/serving_bench.py [--only WORD] [--no-decoder] [--fresh]

Calls: sequences of several lengths, windows, capped scores, chunked prefill, decoding from pages; each contender is a CUDA graph of
back-to-back calls over rotating inputs, replays interleaved, p50 microseconds per call. Beside them: PyTorch's flash kernel (by
aten._flash_attention_forward, also for cu_seqlens and windows), SDPA's backends where all lengths are equal, FlexAttention where it
compiles. Results are compared with ours before anything is timed. Then a Llama-shaped decoder: 32 layers, 32 heads on 8 key heads of
128, 128 tokens after 4096 of prompt, eager and as a graph. One line of build/serving_bench.jsonl for each case, which is not measured
again with the same library; the table comes at the end.
"""

import argparse
import contextlib
import functools
import hashlib
import json
import math
import pathlib
import random
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "kernels/attention")]
import assay_attention  # noqa: E402
from assay_attention import flash_attn_func, flash_attn_varlen_func, flash_attn_with_kvcache  # noqa: E402
from replays import interleaved  # noqa: E402

RESULTS = ROOT / "build" / "serving_bench.jsonl"
HALF = torch.float16
SETS = 3  # rotating inputs
REPEATS = 15


def draw(*shape):
    return torch.randn(shape, device="cuda", dtype=HALF)


def numbers(values):
    return torch.tensor(values, device="cuda", dtype=torch.int32)


def starts(lengths):
    return numbers([sum(lengths[:i]) for i in range(len(lengths) + 1)])


def pytorch_flash(q, k, v, cu_q, cu_k, most_q, most_k, causal, window=(-1, -1), used=None):
    options = {"scale": q.shape[-1] ** -0.5}
    if window != (-1, -1):
        options |= {"window_size_left": window[0], "window_size_right": 0 if causal else window[1]}
    if used is not None:
        options["seqused_k"] = used
    return torch.ops.aten._flash_attention_forward(q, k, v, cu_q, cu_k, most_q, most_k, 0.0, causal and window == (-1, -1), False,
                                                   **options)[0]


@functools.lru_cache(maxsize=None)
def compiled_flex():
    from torch.nn.attention.flex_attention import flex_attention
    return torch.compile(flex_attention, dynamic=False)


class Case:
    """A name, contenders (function of the number of a set), and floating-point operations."""

    def __init__(self, name, contenders, flops=None, key_bytes=None):
        self.name, self.contenders, self.flops, self.key_bytes = name, contenders, flops, key_bytes


def varlen(name, seed, count, low, high, heads, key_heads, dim, causal, window=(-1, -1)):
    lengths = [random.Random(seed + i).randint(low, high) for i in range(count)]
    rows, most, cu = sum(lengths), max(lengths), starts(lengths)
    sets = [(draw(rows, heads, dim), draw(rows, key_heads, dim), draw(rows, key_heads, dim)) for _ in range(SETS)]
    pairs = sum(min(i + 1, window[0] + 1) if causal and window[0] >= 0 else i + 1 if causal else n for n in lengths for i in range(n))

    def ours(i):
        return flash_attn_varlen_func(*sets[i % SETS], cu, cu, most, most, causal=causal, window_size=window)

    def flash(i):
        return pytorch_flash(*sets[i % SETS], cu, cu, most, most, causal, window)

    return Case(name, {"ours": ours, "flash": flash}, 4 * pairs * heads * dim)


def dense(name, batch, rows, heads, dim, causal, window=(-1, -1), softcap=0.0, flex=True):
    sets = [tuple(draw(batch, rows, heads, dim) for _ in range(3)) for _ in range(SETS)]
    pairs = batch * heads * sum(min(i + 1, window[0] + 1) if causal and window[0] >= 0 else i + 1 if causal else rows
                                for i in range(rows))
    contenders = {"ours": lambda i: flash_attn_func(*sets[i % SETS], causal=causal, window_size=window, softcap=softcap)}
    if softcap == 0.0:
        contenders["flash"] = lambda i: pytorch_flash(*sets[i % SETS], None, None, rows, rows, causal, window)
    if flex:
        from torch.nn.attention.flex_attention import create_block_mask

        def seen(b, h, q, k):
            inside = q >= k
            return inside & (q - k <= window[0]) if window[0] >= 0 else inside

        mask = create_block_mask(seen, None, None, rows, rows, device="cuda") if causal else None

        def capped(score, b, h, q, k):
            return softcap * torch.tanh(score / softcap)

        score_mod = capped if softcap else None

        def by_flex(i):
            q, k, v = (t.transpose(1, 2) for t in sets[i % SETS])
            return compiled_flex()(q, k, v, block_mask=mask, score_mod=score_mod).transpose(1, 2)

        contenders["flex"] = by_flex
    return Case(name, contenders, 4 * pairs * dim)


def paged(name, batch, heads, key_heads, rows, keys, dim, page, window=(-1, -1), same=True):
    """rows queries at the end of each of so many keys; same: all lengths are equal, so that SDPA can be asked."""
    lengths = [keys if same else random.Random(7 + i).randint(keys // 8, keys) for i in range(batch)]
    pages = -(-keys // page)
    sets_needed = min(8, max(2, math.ceil((200 << 20) / (4 * sum(lengths) * key_heads * dim))))
    sets, table = [], torch.randperm(batch * pages, device="cuda").to(torch.int32).view(batch, pages)
    used = numbers(lengths)
    for _ in range(sets_needed):
        q = draw(batch, rows, heads, dim)
        k, v = draw(batch, pages * page, key_heads, dim), draw(batch, pages * page, key_heads, dim)
        k_pages, v_pages = torch.empty_like(k).view(-1, page, key_heads, dim), torch.empty_like(v).view(-1, page, key_heads, dim)
        k_pages[table.view(-1).long()] = k.view(-1, page, key_heads, dim)
        v_pages[table.view(-1).long()] = v.view(-1, page, key_heads, dim)
        sets.append((q, k, v, k_pages, v_pages))
    count = len(sets)

    def ours(i):
        q, _, _, k_pages, v_pages = sets[i % count]
        return flash_attn_with_kvcache(q, k_pages, v_pages, cache_seqlens=used, block_table=table, causal=True, window_size=window)

    def ours_dense(i):
        q, k, v, _, _ = sets[i % count]
        return flash_attn_with_kvcache(q, k, v, cache_seqlens=keys if same else used, causal=True, window_size=window)

    cu_q, cu_k = starts([rows] * batch), starts([pages * page] * batch)

    def flash(i):
        q, k, v, _, _ = sets[i % count]
        out = pytorch_flash(q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1), cu_q, cu_k, rows, keys, True, window, used)
        return out.view(batch, rows, heads, dim)

    contenders = {"ours": ours, "ours, no pages": ours_dense, "flash": flash}
    if same and rows == 1 and window == (-1, -1):
        for word, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("sdpa flash", SDPBackend.FLASH_ATTENTION)):
            def by_sdpa(i, backend=backend):
                q, k, v, _, _ = sets[i % count]
                with sdpa_kernel(backend):
                    return F.scaled_dot_product_attention(q.transpose(1, 2), k[:, :keys].transpose(1, 2), v[:, :keys].transpose(1, 2),
                                                          enable_gqa=True).transpose(1, 2)
            contenders[word] = by_sdpa
    seen = [min(n, window[0] + rows) if window[0] >= 0 else n for n in lengths]
    return Case(name, contenders, 4 * sum(seen) * rows * heads * dim, 4 * sum(seen) * key_heads * dim)


CASES = {
    "varlen 16 x 128-2048, 32/8, D128 causal": lambda n: varlen(n, 1, 16, 128, 2048, 32, 8, 128, True),
    "varlen 8 x 1k-4k, 32/8, D128 causal": lambda n: varlen(n, 2, 8, 1024, 4096, 32, 8, 128, True),
    "varlen 8 x 1k-4k, 16/16, D128 full": lambda n: varlen(n, 3, 8, 1024, 4096, 16, 16, 128, False),
    "varlen 64 x 64-512, 16/16, D64 causal": lambda n: varlen(n, 4, 64, 64, 512, 16, 16, 64, True),
    "varlen 64 x 64-512, 16/16, D64 full": lambda n: varlen(n, 4, 64, 64, 512, 16, 16, 64, False),
    "varlen 8 x 512-2048, 16/4, D256 causal": lambda n: varlen(n, 5, 8, 512, 2048, 16, 4, 256, True),
    "varlen 8 x 512-2048, 16/16, D96 causal": lambda n: varlen(n, 6, 8, 512, 2048, 16, 16, 96, True),
    "varlen 4 x 2k-8k, 32/8, D128 window 1024": lambda n: varlen(n, 8, 4, 2048, 8192, 32, 8, 128, True, (1024, 0)),
    "window 256, 4,2048,16,64": lambda n: dense(n, 4, 2048, 16, 64, True, (256, 0)),
    "window 1024, 2,8192,16,128": lambda n: dense(n, 2, 8192, 16, 128, True, (1024, 0)),
    "softcap 30, 4,2048,16,128 causal": lambda n: dense(n, 4, 2048, 16, 128, True, softcap=30.0),
    "chunk of 512, 2 x 8192 keys, pages of 16, 32/8, D128": lambda n: paged(n, 2, 32, 8, 512, 8192, 128, 16),
    "chunk of 2048, 1 x 16384 keys, pages of 256, 32/8, D128": lambda n: paged(n, 1, 32, 8, 2048, 16384, 128, 256),
    "chunk of 64, 4 x 4096 keys, pages of 16, 32/8, D128": lambda n: paged(n, 4, 32, 8, 64, 4096, 128, 16),
    "decode 1 x 1024, pages of 16, 32/8, D128": lambda n: paged(n, 1, 32, 8, 1, 1024, 128, 16),
    "decode 1 x 8192, pages of 16, 32/8, D128": lambda n: paged(n, 1, 32, 8, 1, 8192, 128, 16),
    "decode 1 x 65536, pages of 16, 32/8, D128": lambda n: paged(n, 1, 32, 8, 1, 65536, 128, 16),
    "decode 8 x 4096, pages of 16, 32/8, D128": lambda n: paged(n, 8, 32, 8, 1, 4096, 128, 16),
    "decode 64 x 4096, pages of 16, 32/8, D128": lambda n: paged(n, 64, 32, 8, 1, 4096, 128, 16),
    "decode 64 x 4096, pages of 256, 32/8, D128": lambda n: paged(n, 64, 32, 8, 1, 4096, 128, 256),
    "decode 64 x 512-4096, pages of 16, 32/8, D128": lambda n: paged(n, 64, 32, 8, 1, 4096, 128, 16, same=False),
    "decode 32 x 16384, window 1024, pages of 16, 32/8, D128": lambda n: paged(n, 32, 32, 8, 1, 16384, 128, 16, (1024, 0)),
    "decode 8 x 4096 of 4 tokens, pages of 16, 32/8, D128": lambda n: paged(n, 8, 32, 8, 4, 4096, 128, 16),
    "decode 16 x 2048, pages of 16, 16/16, D64": lambda n: paged(n, 16, 16, 16, 1, 2048, 64, 16),
    "decode 8 x 4096, pages of 16, 16/8, D256": lambda n: paged(n, 8, 16, 8, 1, 4096, 256, 16),
}


def captured(function, calls):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(2):
            function(i)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            function(i)
    return graph


def measure(case):
    """Median microseconds by contender, and what could not be timed, with the reason."""
    expected, graphs, missing = case.contenders["ours"](0).float(), {}, {}
    estimate = max((case.flops or 0) / 400e6, (case.key_bytes or 0) / 3e6, 5)
    calls = min(32, max(2, math.ceil(1500 / estimate)))
    for name, contender in case.contenders.items():
        try:
            error = ((contender(0).float() - expected).norm() / expected.norm()).item()
            if not error < 5e-3:
                raise RuntimeError(f"differs from ours by {error:.3g}")
            graphs[name] = captured(contender, calls)
        except Exception as error:  # noqa: BLE001 - whatever a contender cannot do is a line of the table
            missing[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}"
            torch.cuda.synchronize()
    times = interleaved(graphs, calls, REPEATS, 2, random.Random(1))
    return {name: statistics.median(t) for name, t in times.items()}, missing


class Decoder(torch.nn.Module):
    """A Llama of 8 billion parameters, as far as time goes: no embedding, no sampling; weights are random."""
    LAYERS, HIDDEN, HEADS, KEY_HEADS, DIM, INNER, PROMPT, TOKENS = 32, 4096, 32, 8, 128, 14336, 4096, 128

    def __init__(self):
        super().__init__()
        heads = self.HEADS + 2 * self.KEY_HEADS
        sizes = ((heads * self.DIM, self.HIDDEN), (self.HIDDEN, self.HIDDEN), (2 * self.INNER, self.HIDDEN), (self.HIDDEN, self.INNER))
        self.layers = [[torch.randn(size, device="cuda", dtype=HALF) * 0.01 for size in sizes] for _ in range(self.LAYERS)]
        rows = self.PROMPT + self.TOKENS
        self.caches = [tuple(torch.zeros(1, rows, self.KEY_HEADS, self.DIM, device="cuda", dtype=HALF) for _ in range(2))
                       for _ in range(self.LAYERS)]

    def forward(self, x, attend):
        """x (1, rows, hidden); attend(layer, q, k, v) -> (1, rows, heads, dim)."""
        for number, (qkv, project, up, down) in enumerate(self.layers):
            y = F.rms_norm(x, (self.HIDDEN,))
            q, k, v = F.linear(y, qkv).view(1, x.shape[1], -1, self.DIM).split((self.HEADS, self.KEY_HEADS, self.KEY_HEADS), 2)
            x = x + F.linear(attend(number, q, k, v).reshape(1, x.shape[1], self.HIDDEN), project)
            gate, other = F.linear(F.rms_norm(x, (self.HIDDEN,)), up).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * other, down)
        return x

    def through_sdpa(self, first):
        """Attention by scaled_dot_product_attention over a cache; its new rows begin at `first`."""
        def attend(layer, q, k, v):
            keys, values = self.caches[layer]
            end = first + q.shape[1]
            keys[:, first:end], values[:, first:end] = k, v
            return F.scaled_dot_product_attention(q.transpose(1, 2), keys[:, :end].transpose(1, 2), values[:, :end].transpose(1, 2),
                                                  is_causal=q.shape[1] > 1, enable_gqa=True).transpose(1, 2)
        return attend

    def through_cache(self, lengths):
        def attend(layer, q, k, v):
            keys, values = self.caches[layer]
            return flash_attn_with_kvcache(q, keys, values, k, v, cache_seqlens=lengths, causal=True)
        return attend

    def generate(self, prompt, token):
        """Seconds of prompt and tokens, as Python issues them."""
        torch.cuda.synchronize()
        begin = time.perf_counter()
        self(prompt, self.through_sdpa(0))
        torch.cuda.synchronize()
        between = time.perf_counter()
        for i in range(self.TOKENS):
            token = self(token, self.through_sdpa(self.PROMPT + i))
        torch.cuda.synchronize()
        return between - begin, time.perf_counter() - between


@torch.no_grad()
def measure_decoder():
    torch.manual_seed(1)
    model = Decoder()
    prompt, token = draw(1, model.PROMPT, model.HIDDEN), draw(1, 1, model.HIDDEN)
    contexts = {"pytorch": contextlib.nullcontext, "ours": assay_attention.sdpa}
    seconds = {f"{name}, {part}": [] for name in contexts for part in ("prompt", "tokens eager", "tokens as graphs")}
    graphs = {}
    for name, context in contexts.items():
        with context():  # 128 graphs are one with the length in the middle, replayed 128 times
            graphs[name] = captured(lambda i: model(token, model.through_sdpa(model.PROMPT + model.TOKENS // 2)), 1)
    lengths = numbers([model.PROMPT + model.TOKENS // 2])
    graphs["ours, flash_attn_with_kvcache"] = captured(lambda i: model(token, model.through_cache(lengths)), 1)
    seconds["ours, flash_attn_with_kvcache, tokens as graphs"] = []
    for repeat in range(4):
        for name, context in contexts.items():
            with context():
                first, rest = model.generate(prompt, token)
            if repeat > 0:
                seconds[f"{name}, prompt"].append(first)
                seconds[f"{name}, tokens eager"].append(rest)
        for name, graph in graphs.items():
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(model.TOKENS):
                graph.replay()
            torch.cuda.synchronize()
            if repeat > 0:
                seconds[f"{name}, tokens as graphs"].append(time.perf_counter() - begin)
    return {name: statistics.median(samples) * 1e3 for name, samples in seconds.items()}


def print_tables(lines):
    print("\n| call | ours us (TFLOP/s or of 4.2 TB/s) | others us | x best |\n|---|---|---|---|")
    for line in lines:
        if "ms" in line:
            continue
        us = line["us"]
        if "ours" not in us:
            print(f"| {line['name']} | {line['missing'].get('ours')} | | |")
            continue
        rate = (f"{100 * line['key_bytes'] / 4.2e6 / us['ours']:.0f} %" if line["key_bytes"] and line["flops"] < 200 * line["key_bytes"]
                else f"{line['flops'] / us['ours'] * 1e-6:.0f}")
        others = {name: t for name, t in us.items() if not name.startswith("ours")}
        words = [f"{name} {t:.2f}" for name, t in us.items() if name != "ours"] + [f"{name}: no" for name in line["missing"]]
        best = f"{min(others.values()) / us['ours']:.2f}" if others else ""
        print(f"| {line['name']} | {us['ours']:.2f} ({rate}) | {', '.join(words)} | {best} |")
    for line in lines:
        if "ms" in line:
            print("\n| Llama-shaped decoder, 4096 tokens of prompt, 128 more | ms |\n|---|---|")
            for name, value in line["ms"].items():
                print(f"| {name} | {value:.1f} |")


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--no-decoder", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    words = parser.parse_args()
    library = hashlib.sha256(pathlib.Path(assay_attention.library_path()).read_bytes()).hexdigest()[:16]
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, fp16, "
          f"libassay_attention {assay_attention.version()} ({library}), {time.strftime('%Y-%m-%d')}", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    known = {}
    if RESULTS.is_file() and not words.fresh:
        for text in RESULTS.read_text().splitlines():
            line = json.loads(text)
            if line["library"] == library:
                known[line["name"]] = line
    wanted = [name for name in CASES if words.only in name]
    with RESULTS.open("a") as results:
        def keep(line):
            known[line["name"]] = line
            print(json.dumps(line), file=results, flush=True)
            print(json.dumps({key: line[key] for key in line if key not in ("library",)}), flush=True)

        for name in wanted:
            if name in known:
                continue
            torch.manual_seed(1)
            begin = time.monotonic()
            case = CASES[name](name)
            try:
                us, missing = measure(case)
            except Exception as error:  # noqa: BLE001 - ours; the others go on
                us, missing = {}, {"ours": f"{type(error).__name__}: {error}"}
            keep({"library": library, "name": name, "us": us, "missing": missing, "flops": case.flops, "key_bytes": case.key_bytes,
                  "seconds": round(time.monotonic() - begin, 1)})
            del case
            torch.cuda.empty_cache()
        if not words.no_decoder and words.only in "decoder":
            wanted.append("decoder")
            if "decoder" not in known:
                keep({"library": library, "name": "decoder", "ms": measure_decoder()})
    print_tables([known[name] for name in wanted])


if __name__ == "__main__":
    main()
