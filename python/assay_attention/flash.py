# SPDX-License-Identifier: MIT
"""Functions with the names, arguments and meanings of flash-attn's, so that code moves over by changing an import:

  from assay_attention import flash_attn_func, flash_attn_varlen_func, flash_attn_with_kvcache

Forward alone. What flash-attn has and we do not (dropout, alibi, rotary, left padding, gradients) raises
assay_attention.Unsupported, which says so. A row that sees no key is 0 and its log-sum-exp -inf.
"""

import torch

from . import flash_launch, flash_operator
from .flash_call import refuse, refuse_missing_features
from .operator import _is_compiling, unobserved, wants_gradients


def _tensors(**named):
    """Tensors with a contiguous last dimension, as flash-attn makes them. None stays."""
    for name, tensor in named.items():
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"assay_attention: {name} is a {type(tensor).__name__}, not a torch.Tensor")
    return [tensor if tensor is None or tensor.stride(-1) == 1 else tensor.contiguous() for tensor in named.values()]


def _needs_operator(q, k, v):
    """True if somebody watches who needs an operator. Refuses tensors whose gradient is wanted, but while compiling, where the
    operator does."""
    if _is_compiling():
        return True
    if wants_gradients(q, k, v):
        refuse(flash_operator.GRADIENTS)
    return not unobserved(q, k, v)


def _answer(results, with_lse, *after):
    out, lse = results
    return (out, lse, *after) if with_lse else out


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                    deterministic=False, return_attn_probs=False):
    """softmax(softmax_scale q k^T) v of (batch, rows, heads, head_dim) tensors.

    k and v may have fewer heads and another number of rows than q. The last query is beside the last key: causal hides what is
    behind the key beside a query, window_size (left, right) what is further before or behind it; -1 is no limit. softcap, if not
    0: scores become softcap tanh(score / softcap). return_attn_probs: also returns the log-sum-exp, float32 (batch, heads,
    rows), and None in the place of flash-attn's probabilities, which it keeps for tests of dropout.
    """
    refuse_missing_features(dropout_p, alibi_slopes)
    q, k, v = _tensors(q=q, k=k, v=v)
    if _needs_operator(q, k, v):
        left, right = window_size
        results = flash_operator.flash(q, k, v, causal, left, right, softcap, softmax_scale, return_attn_probs)
    else:
        results = flash_launch.dense(q, k, v, causal, window_size, softcap, softmax_scale, return_attn_probs)
    return _answer(results, return_attn_probs, None)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0, softmax_scale=None,
                           causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False,
                           return_attn_probs=False, block_table=None):
    """As flash_attn_func, of sequences that follow each other in one tensor (rows of all, heads, head_dim).

    cu_seqlens_q, cu_seqlens_k: int32 on the GPU, one number more than sequences: where each begins, and the end of the last.
    max_seqlen_q, max_seqlen_k: of the longest, or more. block_table (sequences, pages): k and v are then pages (pages,
    rows of a page, heads, head_dim), with a multiple of 16 rows. The log-sum-exp is (heads, rows of all).
    """
    refuse_missing_features(dropout_p, alibi_slopes)
    q, k, v, cu_seqlens_q, cu_seqlens_k, block_table = _tensors(q=q, k=k, v=v, cu_seqlens_q=cu_seqlens_q, cu_seqlens_k=cu_seqlens_k,
                                                                block_table=block_table)
    if _needs_operator(q, k, v):
        left, right = window_size
        results = flash_operator.flash_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, block_table, causal, left,
                                              right, softcap, softmax_scale, return_attn_probs)
    else:
        results = flash_launch.varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, block_table, causal, window_size,
                                      softcap, softmax_scale, return_attn_probs)
    return _answer(results, return_attn_probs, None)


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
    refuse_missing_features(0.0, alibi_slopes, rotary_cos, rotary_sin, cache_leftpad)
    for name, cache in (("k_cache", k_cache), ("v_cache", v_cache)):
        if isinstance(cache, torch.Tensor) and cache.stride(-1) != 1:
            refuse(f"{name}: the last dimension is not contiguous")
    q, k_cache, v_cache, k, v, block_table = _tensors(q=q, k_cache=k_cache, v_cache=v_cache, k=k, v=v, block_table=block_table)
    if (k is None) != (v is None):
        refuse("one of k and v is given without the other")
    watched = _needs_operator(q, k_cache, v_cache)
    if k is not None and not watched:
        watched = _needs_operator(q, k, v)
    if watched:
        results = _cache_by_operator(q, k_cache, v_cache, k, v, cache_seqlens, cache_batch_idx, block_table, causal, window_size,
                                     softcap, softmax_scale, return_softmax_lse)
    else:
        results = flash_launch.cache(q, k_cache, v_cache, k, v, cache_seqlens, cache_batch_idx, block_table, causal, window_size,
                                     softcap, softmax_scale, return_softmax_lse)
    return _answer(results, return_softmax_lse)


def _cache_by_operator(q, k_cache, v_cache, k, v, cache_seqlens, cache_batch_idx, block_table, causal, window_size, softcap, scale,
                       with_lse):
    """The operator that says what it writes: the cache, if there are new keys and values."""
    lengths, length = (cache_seqlens, None) if isinstance(cache_seqlens, torch.Tensor) else (None, cache_seqlens)
    left, right = window_size
    others = (lengths, length, cache_batch_idx, block_table, causal, left, right, softcap, scale, with_lse)
    if k is None:
        return flash_operator.flash_cache(q, k_cache, v_cache, *others)
    return flash_operator.flash_append(q, k_cache, v_cache, k, v, *others)
