# SPDX-License-Identifier: MIT
"""From PyTorch tensors to the C call. Two ways with the same result:

enqueue  lets the C library look at the tensors through DLPack's exchange table, which PyTorch offers from 2.10 on;
         this is what an eager call costs. No version of PyTorch is compiled against: the table is a stable C interface.
launch   looks at them in Python: for older versions, and to say what is wrong.
"""

import torch

from . import library
from .errors import Unsupported

_F16, _BF16, _F32 = torch.float16, torch.bfloat16, torch.float32
_empty, _empty_like = torch.empty, torch.empty_like
_pack, _SIZE = library.CALL.pack, library.CALL.size
_raw_stream = torch._C._cuda_getCurrentRawStream
_current_device = torch._C._cuda_getDevice
_CAUSAL, _OVERLAP, _ROWS_FIRST = library.CAUSAL, library.OVERLAP_PREVIOUS, library.ROWS_BEFORE_HEADS
_NAN = float("nan")
_forward = None  # assay_attention_forward, once loaded
_forward_objects = None  # assay_attention_forward_objects, once loaded; False where PyTorch has no table


def launch(q, k, v, causal, scale, return_lse, bshd, overlap):
    """Enqueues attention of plain tensors; returns (output, log-sum-exp or None). Raises Unsupported.

    The output's dimensions lie in memory in the order of the query's.
    """
    dtype = q.dtype
    if dtype is _F16:
        code = 0
    elif dtype is _BF16:
        code = 1
    else:
        raise Unsupported(f"query is {dtype}")
    if k.dtype is not dtype or v.dtype is not dtype:
        raise Unsupported(f"query, key and value are {dtype}, {k.dtype} and {v.dtype}")
    device = q.get_device()
    if device < 0 or k.get_device() != device or v.get_device() != device:
        raise Unsupported(f"query, key and value are on {q.device}, {k.device} and {v.device}")
    try:
        batch, heads, rows, dim = q.shape
        key_batch, key_heads, key_rows, key_dim = k.shape
        q0, q1, q2, q3 = q.stride()
        k0, k1, k2, k3 = k.stride()
        v0, v1, v2, v3 = v.stride()
    except ValueError:
        raise Unsupported(f"query, key and value have {q.dim()}, {k.dim()} and {v.dim()} dimensions") from None
    if key_batch != batch or key_dim != dim or v.shape != k.shape:
        raise Unsupported(f"query, key and value have shapes {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}")
    if q3 != 1 or k3 != 1 or v3 != 1:
        raise Unsupported(f"strides of the last dimension are {q3}, {k3} and {v3}")
    out = _empty_like(q)
    o0, o1, o2, o3 = out.stride()
    if o3 != 1:
        out = _empty(q.shape, dtype=dtype, device=q.device)
        o0, o1, o2, o3 = out.stride()
    if bshd:
        heads, rows, key_heads, key_rows = rows, heads, key_rows, key_heads
        q1, q2, k1, k2, v1, v2, o1, o2 = q2, q1, k2, k1, v2, v1, o2, o1
    lse = _empty((batch, heads, rows), dtype=_F32, device=q.device) if return_lse else None
    call = _pack(_SIZE, (_CAUSAL if causal else 0) | (_OVERLAP if overlap else 0), q.data_ptr(), k.data_ptr(), v.data_ptr(),
                 out.data_ptr(), 0 if lse is None else lse.data_ptr(), q0, q1, q2, k0, k1, k2, v0, v1, v2, o0, o1, o2, batch,
                 heads, key_heads, rows, key_rows, dim, code, dim ** -0.5 if scale is None else scale)
    global _forward
    if _forward is None:
        _forward = library.load().assay_attention_forward
    if device == _current_device():
        status = _forward(call, _raw_stream(device))
    else:
        with torch.cuda.device(device):
            status = _forward(call, _raw_stream(device))
    if status:
        library.raise_for(status)
    return out, lse


def _load():
    global _forward_objects
    if _forward_objects is None:
        _forward_objects = library.forward_objects(torch.Tensor) or False
    return _forward_objects


def enqueue(q, k, v, causal, scale, return_lse, bshd, overlap):
    """As launch. What the C library refuses, launch refuses with more words."""
    forward = _forward_objects or _load()
    if not forward:
        return launch(q, k, v, causal, scale, return_lse, bshd, overlap)
    flags = _CAUSAL if causal else 0
    if overlap:
        flags |= _OVERLAP
    if bshd:
        flags |= _ROWS_FIRST
    try:
        out = _empty_like(q)
        lse = None
        if return_lse:
            batch, first, second, _ = q.shape
            lse = _empty((batch, second, first) if bshd else (batch, first, second), dtype=_F32, device=q.device)
        # 0 asks the library for the usual scale; a 0 of the caller's is as wrong as NaN.
        status = forward(q, k, v, out, lse, flags, 0.0 if scale is None else scale or _NAN)
    except (BufferError, RuntimeError, ValueError):  # a tensor that has no memory, or other than four dimensions
        status = -1
    if status:
        return launch(q, k, v, causal, scale, return_lse, bshd, overlap)
    return out, lse
