# SPDX-License-Identifier: MIT
"""Functions with the names, arguments and meanings of flash-attn's, so that code moves over by changing an import:

  from assay_attention import flash_attn_func, flash_attn_varlen_func, flash_attn_with_kvcache

Forward alone. What flash-attn has and we do not (dropout, alibi, rotary, left padding, gradients) raises
assay_attention.Unsupported, which says so. A row that sees no key is 0 and its log-sum-exp -inf.
"""

import torch

from . import library
from .flash_call import Types, cache_calls, check_dense, check_varlen, dense_call, refuse, refuse_missing_features, varlen_call
from .launch import _current_device, _raw_stream
from .operator import _is_compiling, wants_gradients

_TYPES = Types({torch.float16: library.F16, torch.bfloat16: library.BF16}, torch.int32)
_LEAST_VERSION = 300
_functions = None  # assay_attention_forward and _append, once loaded


def _load():
    global _functions
    if _functions is None:
        loaded = library.load()
        if loaded.assay_attention_version() < _LEAST_VERSION:
            raise library.LibraryNotFound(f"assay_attention: {library.library_path()} has version "
                                          f"{loaded.assay_attention_version()}; these functions need {_LEAST_VERSION}. "
                                          "Build it anew with 'make attention'.")
        _functions = loaded.assay_attention_forward, loaded.assay_attention_append
    return _functions


def _enqueue(device, append, call):
    """One kernel for each that is not None, on the current stream of the device."""
    forward, add = _functions or _load()
    if device != _current_device():
        with torch.cuda.device(device):
            return _enqueue(device, append, call)
    stream = _raw_stream(device)
    status = add(append, stream) if append is not None else 0
    if not status and call is not None:
        status = forward(call, stream)
    if status:
        library.raise_for(status)
    return None


def _tensors(**named):
    """Tensors with a contiguous last dimension, as flash-attn makes them. None stays."""
    for name, tensor in named.items():
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"assay_attention: {name} is a {type(tensor).__name__}, not a torch.Tensor")
    return [tensor if tensor is None or tensor.stride(-1) == 1 else tensor.contiguous() for tensor in named.values()]


def _refuse_gradients(q, k, v):
    if wants_gradients(q, k, v):
        refuse("a gradient is required, and there is no backward; call it under torch.no_grad(), or on detached tensors")


def _outputs(q, lse_shape, wanted):
    out = torch.empty_like(q)
    if out.stride(-1) != 1:
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    return out, torch.empty(lse_shape, dtype=torch.float32, device=q.device) if wanted else None


def _of_nothing(out, lse):
    """Attention to no keys at all."""
    out.zero_()
    if lse is not None:
        lse.fill_(float("-inf"))


@torch.compiler.disable
def _outside_of_graphs(function, *arguments):
    return function(*arguments)


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                    deterministic=False, return_attn_probs=False):
    """softmax(softmax_scale q k^T) v of (batch, rows, heads, head_dim) tensors.

    k and v may have fewer heads and another number of rows than q. The last query is beside the last key: causal hides what is
    behind the key beside a query, window_size (left, right) what is further before or behind it; -1 is no limit. softcap, if not
    0: scores become softcap tanh(score / softcap). return_attn_probs: also returns the log-sum-exp, float32 (batch, heads,
    rows), and None in the place of flash-attn's probabilities, which it keeps for tests of dropout.
    """
    if _is_compiling():
        return _outside_of_graphs(flash_attn_func, q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes,
                                  deterministic, return_attn_probs)
    refuse_missing_features(dropout_p, alibi_slopes)
    q, k, v = _tensors(q=q, k=k, v=v)
    _refuse_gradients(q, k, v)
    check_dense(_TYPES, q, k, v)
    out, lse = _outputs(q, (q.shape[0], q.shape[2], q.shape[1]), return_attn_probs)
    if q.numel() > 0:
        if k.numel() > 0:
            _enqueue(q.get_device(), None, dense_call(_TYPES, q, k, v, out, lse, causal, window_size, softcap, softmax_scale))
        else:
            _of_nothing(out, lse)
    return (out, lse, None) if return_attn_probs else out


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0, softmax_scale=None,
                           causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False,
                           return_attn_probs=False, block_table=None):
    """As flash_attn_func, of sequences that follow each other in one tensor (rows of all, heads, head_dim).

    cu_seqlens_q, cu_seqlens_k: int32 on the GPU, one number more than sequences: where each begins, and the end of the last.
    max_seqlen_q, max_seqlen_k: of the longest, or more. block_table (sequences, pages): k and v are then pages (pages,
    rows of a page, heads, head_dim), with a multiple of 16 rows. The log-sum-exp is (heads, rows of all).
    """
    if _is_compiling():
        return _outside_of_graphs(flash_attn_varlen_func, q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p,
                                  softmax_scale, causal, window_size, softcap, alibi_slopes, deterministic, return_attn_probs,
                                  block_table)
    refuse_missing_features(dropout_p, alibi_slopes)
    q, k, v, cu_seqlens_q, cu_seqlens_k, block_table = _tensors(q=q, k=k, v=v, cu_seqlens_q=cu_seqlens_q, cu_seqlens_k=cu_seqlens_k,
                                                                block_table=block_table)
    _refuse_gradients(q, k, v)
    _, batch = check_varlen(_TYPES, q, k, v, cu_seqlens_q, cu_seqlens_k, block_table)
    out, lse = _outputs(q, (q.shape[1], q.shape[0]), return_attn_probs)
    if q.numel() > 0 and batch > 0 and max_seqlen_q > 0:
        if k.numel() > 0:
            _enqueue(q.get_device(), None, varlen_call(_TYPES, q, k, v, out, lse, cu_seqlens_q, cu_seqlens_k, max_seqlen_q,
                                                       max_seqlen_k, causal, window_size, softcap, softmax_scale, block_table))
        else:
            _of_nothing(out, lse)
    return (out, lse, None) if return_attn_probs else out


def flash_attn_with_kvcache(q, k_cache, v_cache, k=None, v=None, rotary_cos=None, rotary_sin=None, cache_seqlens=None,
                            cache_batch_idx=None, cache_leftpad=None, block_table=None, softmax_scale=None, causal=False,
                            window_size=(-1, -1), softcap=0.0, rotary_interleaved=True, alibi_slopes=None, num_splits=0,
                            return_softmax_lse=False):
    """As flash_attn_func, against a cache of keys and values that has room for more: (sequences, rows, heads, head_dim).

    cache_seqlens: how many rows of it count, a number or int32 (batch) on the GPU. k, v (batch, new rows, heads, head_dim): written
    into the cache behind these rows first, by a kernel of its own, and part of what q sees. block_table (batch, pages): the cache is
    (pages, rows of a page, heads, head_dim), with a multiple of 16 rows. cache_batch_idx (batch): which line of the cache is whose.
    num_splits is not needed: how keys are split follows from the shape. The log-sum-exp is (batch, heads, rows).
    """
    if _is_compiling():
        return _outside_of_graphs(flash_attn_with_kvcache, q, k_cache, v_cache, k, v, rotary_cos, rotary_sin, cache_seqlens,
                                  cache_batch_idx, cache_leftpad, block_table, softmax_scale, causal, window_size, softcap,
                                  rotary_interleaved, alibi_slopes, num_splits, return_softmax_lse)
    refuse_missing_features(0.0, alibi_slopes, rotary_cos, rotary_sin, cache_leftpad)
    for name, cache in (("k_cache", k_cache), ("v_cache", v_cache)):
        if isinstance(cache, torch.Tensor) and cache.stride(-1) != 1:
            refuse(f"{name}: the last dimension is not contiguous")
    q, k_cache, v_cache, k, v, block_table = _tensors(q=q, k_cache=k_cache, v_cache=v_cache, k=k, v=v, block_table=block_table)
    _refuse_gradients(q, k_cache, v_cache)
    if k is not None and v is not None:
        _refuse_gradients(q, k, v)
    if q.dim() != 4:
        refuse(f"q has {q.dim()} dimensions; 4 are meant")
    out, lse = _outputs(q, (q.shape[0], q.shape[2], q.shape[1]), return_softmax_lse)
    append, call = cache_calls(_TYPES, q, k_cache, v_cache, out, lse, k, v, cache_seqlens, cache_batch_idx, block_table, causal,
                               window_size, softcap, softmax_scale)
    if call is None:
        _of_nothing(out, lse)
    if q.numel() > 0:
        _enqueue(q.get_device(), append, call)
    return (out, lse) if return_softmax_lse else out
