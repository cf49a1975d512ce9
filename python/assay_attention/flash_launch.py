# SPDX-License-Identifier: MIT
"""flash-attn's functions on plain tensors with memory: outputs, and the kernels that fill them. Returns (output, log-sum-exp or None)."""

import torch

from . import library
from .flash_call import Types, cache_calls, check_dense, check_varlen, dense_call, refuse, varlen_call
from .launch import _current_device, _raw_stream

TYPES = Types({torch.float16: library.F16, torch.bfloat16: library.BF16}, torch.int32)
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


def outputs(q, lse_shape, wanted):
    """Memory for output and log-sum-exp. The output's dimensions lie in the order of the query's."""
    out = torch.empty_like(q)
    if out.stride(-1) != 1:
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    return out, torch.empty(lse_shape, dtype=torch.float32, device=q.device) if wanted else None


def _of_nothing(out, lse):
    """Attention to no keys at all."""
    out.zero_()
    if lse is not None:
        lse.fill_(float("-inf"))


def dense(q, k, v, causal, window_size, softcap, scale, with_lse):
    check_dense(TYPES, q, k, v)
    out, lse = outputs(q, (q.shape[0], q.shape[2], q.shape[1]), with_lse)
    if q.numel() > 0:
        if k.numel() > 0:
            _enqueue(q.get_device(), None, dense_call(TYPES, q, k, v, out, lse, causal, window_size, softcap, scale))
        else:
            _of_nothing(out, lse)
    return out, lse


def varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, block_table, causal, window_size, softcap, scale, with_lse):
    _, batch = check_varlen(TYPES, q, k, v, cu_seqlens_q, cu_seqlens_k, block_table)
    out, lse = outputs(q, (q.shape[1], q.shape[0]), with_lse)
    if q.numel() > 0 and batch > 0 and max_seqlen_q > 0:
        if k.numel() > 0:
            _enqueue(q.get_device(), None, varlen_call(TYPES, q, k, v, out, lse, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k,
                                                       causal, window_size, softcap, scale, block_table))
        else:
            _of_nothing(out, lse)
    return out, lse


def cache(q, k_cache, v_cache, k, v, cache_seqlens, cache_batch_idx, block_table, causal, window_size, softcap, scale, with_lse):
    """Writes k and v into the cache first, if they are not None."""
    if q.dim() != 4:
        refuse(f"q has {q.dim()} dimensions; 4 are meant")
    out, lse = outputs(q, (q.shape[0], q.shape[2], q.shape[1]), with_lse)
    append, call = cache_calls(TYPES, q, k_cache, v_cache, out, lse, k, v, cache_seqlens, cache_batch_idx, block_table, causal,
                               window_size, softcap, scale)
    if call is None:
        _of_nothing(out, lse)
    if q.numel() > 0:
        _enqueue(q.get_device(), append, call)
    return out, lse
