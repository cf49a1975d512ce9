# SPDX-License-Identifier: MIT
"""Whether a call was measured to be faster than PyTorch's, by the tables in measured/, one file per GPU. Needs no PyTorch.

A table is a decision tree over FEATURES with what was measured beside it (device, versions, date, command). Its leaves say
"faster", "not faster" or "not measured"; a GPU without a table, and a shape outside a table's domain, were not measured.
kernels/attention/library/measured.py makes the tables from sweeps, and from them what the C library knows.
"""

import functools
import json
import pathlib

NOT_MEASURED, FASTER, NOT_FASTER = 0, 1, 2  # as in assay_attention.h
VERDICTS = ("not measured", "faster", "not faster")

# What a tree asks about, in the order of features(). measured.hpp of the C library computes the same numbers.
FEATURES = ("heads", "group", "query_rows", "key_rows", "rows_differ", "head_dim", "tiles", "causal", "bf16", "rows_first")
FOLDER = pathlib.Path(__file__).resolve().parent / "measured"


def features(batch, query_heads, key_heads, query_rows, key_rows, head_dim, causal, bf16, rows_first):
    """The numbers that a tree asks about, for sizes from 1.

    heads       of the query, over the whole batch
    group       query heads that share a key head
    tiles       of 128 query rows
    rows_first  1 if keys lie in memory as (batch, rows, heads, head_dim) and that makes a difference
    """
    heads = batch * query_heads
    return (heads, query_heads // key_heads, query_rows, key_rows, 1 if query_rows != key_rows else 0, head_dim,
            (query_rows + 127) // 128 * heads, 1 if causal else 0, 1 if bf16 else 0,
            1 if rows_first and key_heads > 1 and key_rows > 1 else 0)


def _node(tree):
    """A tree of a table as nested tuples (feature, at most, then, else), or a verdict."""
    if "is" in tree:
        return VERDICTS.index(tree["is"])
    return FEATURES.index(tree["feature"]), tree["at_most"], _node(tree["then"]), _node(tree["else"])


def compiled(table):
    """The tree that verdict() takes: the table's own, below its domain."""
    node = _node(table["tree"])
    for name, ranges in table["domain"].items():
        feature, within, node = FEATURES.index(name), node, NOT_MEASURED
        for least, most in reversed(ranges):
            node = (feature, least - 1, NOT_MEASURED, (feature, most, within, node))
    return node


@functools.lru_cache(maxsize=None)
def tables():
    """(compute capability, device name) -> table, for every GPU that was measured."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        table = json.loads(path.read_text())
        found[table["gpu"]["compute_capability"], table["gpu"]["name"]] = table
    return found


@functools.lru_cache(maxsize=None)
def tree_of(compute_capability, name):
    """The tree of a GPU, or NOT_MEASURED, which is a tree too."""
    table = tables().get((compute_capability, name))
    return NOT_MEASURED if table is None else compiled(table)


def verdict(tree, batch, query_heads, key_heads, query_rows, key_rows, head_dim, causal, bf16, rows_first):
    """FASTER, NOT_FASTER or NOT_MEASURED. Plain arithmetic on its arguments, so that torch.compile can trace it."""
    if batch < 1 or key_heads < 1 or query_heads < 1 or query_rows < 1 or key_rows < 1:
        return NOT_MEASURED
    values = features(batch, query_heads, key_heads, query_rows, key_rows, head_dim, causal, bf16, rows_first)
    while isinstance(tree, tuple):
        feature, at_most, then, otherwise = tree
        tree = then if values[feature] <= at_most else otherwise
    return tree


def measured(batch, query_heads, query_rows, head_dim, key_heads=None, key_rows=None, dtype="fp16", causal=False, layout="bhsd",
             gpu=None):
    """"faster", "not faster" or "not measured": our kernel beside the best of PyTorch's SDPA backends on this shape.

    layout  how keys lie in memory: "bhsd" or "bshd"
    gpu     (compute capability, device name), for example (90, "NVIDIA H200"); None: PyTorch's current device
    """
    if gpu is None:
        import torch
        device = torch.cuda.get_device_properties(torch.cuda.current_device())
        gpu = (10 * device.major + device.minor, device.name)
    return VERDICTS[verdict(tree_of(*gpu), batch, query_heads, key_heads or query_heads, query_rows, key_rows or query_rows,
                            head_dim, causal, dtype == "bf16", layout == "bshd")]
