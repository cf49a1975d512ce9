# SPDX-License-Identifier: MIT
"""with assay_attention.sdpa(): calls of torch.nn.functional.scaled_dot_product_attention that we compute faster become ours.

Faster is what the table of the GPU says (decision.py): where it says anything else, or there is none, PyTorch computes.

While a thread is inside, torch.nn.functional's attribute is a function that decides call by call. It decides for the
threads that are inside alone; for others it passes on. A reference to the original function that a module took for
itself earlier ("from torch.nn.functional import scaled_dot_product_attention") is not affected.
"""

import contextlib
import threading

import torch
import torch.nn.functional

from . import library
from .decision import FASTER, NOT_MEASURED, tree_of, verdict
from .errors import Unsupported
from .launch import enqueue
from .operator import LIBRARY, TAGS, _is_compiling, output_like, unobserved, wants_gradients

_lock = threading.Lock()
_inside = threading.local()
_users = 0
_original = torch.nn.functional.scaled_dot_product_attention

_trees = {}  # device index -> tree of decision.py
_decided = {}  # what eager calls asked -> whether it is ours
_MOST_DECIDED = 1 << 16


def _learn_devices():
    """Looks up the tables of this process's GPUs. Does nothing before PyTorch has initialised CUDA."""
    if not torch.cuda.is_initialized():
        return
    for index in range(torch.cuda.device_count()):
        if index not in _trees:
            device = torch.cuda.get_device_properties(index)
            _trees[index] = tree_of(10 * device.major + device.minor, device.name)


def _is_faster(index, query, key, is_causal, bf16, rows_first):
    """The one decision, for eager and compiled calls: shapes of query and key -> whether ours was measured to be faster."""
    batch, query_heads, query_rows, head_dim = query
    _, key_heads, key_rows, _ = key
    return verdict(_trees.get(index, NOT_MEASURED), batch, query_heads, key_heads, query_rows, key_rows, head_dim, is_causal, bf16,
                   rows_first) == FASTER


def _decide(asked):
    """_is_faster for an eager call, remembered."""
    if asked[0] not in _trees:
        _learn_devices()
    if len(_decided) >= _MOST_DECIDED:
        _decided.clear()
    index, query, key, is_causal, dtype, rows_first = asked
    half = dtype is torch.float16 or dtype is torch.bfloat16
    ours = half and _is_faster(index, query, key, is_causal, dtype is torch.bfloat16, rows_first)
    _decided[asked] = ours
    return ours


def _traced_eligible(query, key, value, is_causal, enable_gqa):
    """For torch.compile, which sees shapes but no addresses."""
    for tensor in (query, key, value):
        if tensor.dim() != 4 or tensor.device.type != "cuda" or tensor.dtype not in (torch.float16, torch.bfloat16):
            return False
        if tensor.dtype != query.dtype or tensor.stride(3) != 1 or tensor.numel() == 0:
            return False
    if torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad):
        return False
    if query.shape[3] % 8 != 0 or query.shape[3] > 256 or key.shape[3] != query.shape[3]:
        return False
    if key.shape != value.shape or key.shape[0] != query.shape[0]:
        return False
    if is_causal and key.shape[2] != query.shape[2]:
        return False
    if query.shape[1] % key.shape[1] != 0 if enable_gqa else query.shape[1] != key.shape[1]:
        return False
    return _is_faster(query.device.index, query.shape, key.shape, is_causal, query.dtype == torch.bfloat16,
                      key.stride(1) < key.stride(2))


# What a compiled graph calls: ours, or PyTorch's where the addresses that come do not suit us. Its result lies in memory
# as ours would.
LIBRARY.define("routed(Tensor query, Tensor key, Tensor value, bool is_causal, float? scale, bool enable_gqa) -> Tensor",
               tags=TAGS)


def _cuda_routed(query, key, value, is_causal, scale, enable_gqa):
    try:
        return enqueue(query, key, value, is_causal, scale, False, False, False)[0]
    except Unsupported:
        theirs = _original(query, key, value, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
        return output_like(query).copy_(theirs)


def _fake_routed(query, key, value, is_causal, scale, enable_gqa):
    return output_like(query)


LIBRARY.impl("routed", _cuda_routed, "CUDA")
torch.library.register_fake("assay_attention::routed", _fake_routed, lib=LIBRARY)
_op_routed = torch.ops.assay_attention.routed.default


def _eager(query, key, value, is_causal, scale, enable_gqa):
    """Our result, or None where PyTorch is to compute it."""
    if not unobserved(query, key, value) or query.dim() != 4 or key.dim() != 4:
        return None
    index, query_shape, key_shape = query.get_device(), query.shape, key.shape
    if index < 0 or not enable_gqa and query_shape[1] != key_shape[1]:
        return None
    if is_causal and query_shape[2] != key_shape[2]:  # PyTorch aligns the mask to the top left
        return None
    asked = (index, query_shape, key_shape, is_causal, query.dtype, key.stride(1) < key.stride(2))
    ours = _decided.get(asked)
    if not (_decide(asked) if ours is None else ours):
        return None
    if wants_gradients(query, key, value):
        return None
    try:
        return enqueue(query, key, value, is_causal, scale, False, False, False)[0]
    except Unsupported:
        return None


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False, **others):
    """What torch.nn.functional holds while a thread is inside sdpa()."""
    if attn_mask is None and dropout_p == 0.0 and not others:
        if _is_compiling():
            if _traced_eligible(query, key, value, is_causal, enable_gqa):
                return _op_routed(query, key, value, is_causal, scale, enable_gqa)
        elif getattr(_inside, "depth", 0) > 0:
            out = _eager(query, key, value, is_causal, scale, enable_gqa)
            if out is not None:
                return out
    return _original(query, key, value, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale,
                     enable_gqa=enable_gqa, **others)


class sdpa(contextlib.ContextDecorator):
    """Routes eligible scaled_dot_product_attention calls of this thread to ours; may be nested; also a decorator.

    Eligible: no mask, no dropout, no gradient, fp16 or bf16, causal only with as many queries as keys, and measured on this
    very GPU to be faster than every backend of PyTorch's: assay_attention.measured says what was. Everything else is
    PyTorch's, as if we were not there.
    """

    def __enter__(self):
        global _users, _original
        library.load()
        with _lock:
            _learn_devices()
            if _users == 0 and torch.nn.functional.scaled_dot_product_attention is not scaled_dot_product_attention:
                _original = torch.nn.functional.scaled_dot_product_attention
                torch.nn.functional.scaled_dot_product_attention = scaled_dot_product_attention
            _users += 1
        _inside.depth = getattr(_inside, "depth", 0) + 1
        return self

    def __exit__(self, *exception):
        global _users
        _inside.depth -= 1
        with _lock:
            _users -= 1
            # Somebody who replaced the function after us keeps his; ours then passes everything on.
            if _users == 0 and torch.nn.functional.scaled_dot_product_attention is scaled_dot_product_attention:
                torch.nn.functional.scaled_dot_product_attention = _original
        return False
