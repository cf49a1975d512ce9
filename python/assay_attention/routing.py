# SPDX-License-Identifier: MIT
"""with assay_attention.sdpa(): calls of torch.nn.functional.scaled_dot_product_attention that we can compute become ours.

While a thread is inside, torch.nn.functional's attribute is a function that decides call by call. It decides for the
threads that are inside alone; for others it passes on. A reference to the original function that a module took for
itself earlier ("from torch.nn.functional import scaled_dot_product_attention") is not affected.
"""

import contextlib
import threading

import torch
import torch.nn.functional

from . import library
from .errors import Unsupported
from .launch import enqueue
from .operator import LIBRARY, TAGS, _is_compiling, output_like, unobserved, wants_gradients

_lock = threading.Lock()
_inside = threading.local()
_users = 0
_original = torch.nn.functional.scaled_dot_product_attention

# Beyond this head size PyTorch's own choice on Hopper (cuDNN) is faster than our kernel, except where it is causal.
_MOST_HEAD_DIM = 192


def _prefers_theirs(query, is_causal):
    return query.shape[3] > _MOST_HEAD_DIM and not is_causal


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
    if _prefers_theirs(query, is_causal):
        return False
    if key.shape != value.shape or key.shape[0] != query.shape[0]:
        return False
    if is_causal and key.shape[2] != query.shape[2]:
        return False
    if enable_gqa:
        return query.shape[1] % key.shape[1] == 0
    return query.shape[1] == key.shape[1]


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
    if not unobserved(query, key, value) or query.dim() != 4 or key.dim() != 4 or _prefers_theirs(query, is_causal):
        return None
    if not enable_gqa and query.shape[1] != key.shape[1]:
        return None
    if is_causal and query.shape[2] != key.shape[2]:
        # PyTorch aligns at the top left. With fewer queries than keys the keys behind the last query are seen by none.
        if query.shape[2] > key.shape[2] or value.dim() != 4:
            return None
        key, value = key[:, :, :query.shape[2]], value[:, :, :query.shape[2]]
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

    Eligible: no mask, no dropout, no gradient, fp16 or bf16 on a GPU that we have kernels for, head_dim a multiple of 8 up
    to 192, or 256 if causal; causal with as many queries as keys (fewer in eager mode too). Everything else is PyTorch's,
    as if we were not there.
    """

    def __enter__(self):
        global _users, _original
        library.load()
        with _lock:
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
