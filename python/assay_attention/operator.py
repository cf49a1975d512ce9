# SPDX-License-Identifier: MIT
"""attention(), and the operators assay_attention::forward and ::forward_lse behind it.

Eager calls on plain tensors go straight to the C library. Whoever watches or rewrites operators (torch.compile, fake
tensors, tracing, dispatch modes, tensor subclasses) sees an operator of torch.library.
"""

import torch

from .errors import Unsupported
from .launch import enqueue

LIBRARY = torch.library.Library("assay_attention", "DEF")
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)
_ARGUMENTS = "(Tensor query, Tensor key, Tensor value, bool causal, float scale, bool overlap)"
LIBRARY.define(f"forward{_ARGUMENTS} -> Tensor", tags=TAGS)
LIBRARY.define(f"forward_lse{_ARGUMENTS} -> (Tensor, Tensor)", tags=TAGS)

_GRADIENTS = ("a gradient is required, and there is no backward; call it under torch.no_grad(), or on detached tensors")


def _cuda_forward(query, key, value, causal, scale, overlap):
    return enqueue(query, key, value, causal, scale, False, False, overlap)[0]


def _cuda_forward_lse(query, key, value, causal, scale, overlap):
    return enqueue(query, key, value, causal, scale, True, False, overlap)


def _check_shapes(query, key, value):
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.dtype not in (torch.float16, torch.bfloat16) or tensor.dtype != query.dtype:
            raise Unsupported(f"{name} is {tensor.dtype}")
        if tensor.dim() != 4:
            raise Unsupported(f"{name} has {tensor.dim()} dimensions")
        if tensor.device.type not in ("cuda", "meta"):
            raise Unsupported(f"{name} is on {tensor.device}")
    if key.shape != value.shape or key.shape[0] != query.shape[0] or key.shape[3] != query.shape[3]:
        raise Unsupported(f"query, key and value have shapes {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}")
    if query.shape[3] % 8 != 0 or query.shape[3] > 256:
        raise Unsupported(f"head_dim is {query.shape[3]}")
    if query.shape[1] % key.shape[1] != 0:
        raise Unsupported(f"{query.shape[1]} query heads are no multiple of {key.shape[1]} key heads")


def output_like(query):
    """An output for this query, whose dimensions lie in memory in the same order."""
    out = torch.empty_like(query)
    return out if out.stride(3) == 1 else torch.empty(query.shape, dtype=query.dtype, device=query.device)


def _fake_forward(query, key, value, causal, scale, overlap):
    _check_shapes(query, key, value)
    return output_like(query)


def _fake_forward_lse(query, key, value, causal, scale, overlap):
    _check_shapes(query, key, value)
    return output_like(query), query.new_empty(query.shape[:3], dtype=torch.float32)


def _refuse_cpu(query, key, value, causal, scale, overlap):
    raise Unsupported(f"query, key and value are on {query.device}, {key.device} and {value.device}")


def _without_gradients(name):
    """The operator for autograd's turn: refuses where a gradient is wanted, else passes on."""
    def run(query, key, value, causal, scale, overlap):
        if torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad):
            raise Unsupported(_GRADIENTS)
        with torch._C._AutoDispatchBelowAutograd():
            return getattr(torch.ops.assay_attention, name).default(query, key, value, causal, scale, overlap)
    return run


for _name, _cuda, _fake in (("forward", _cuda_forward, _fake_forward), ("forward_lse", _cuda_forward_lse, _fake_forward_lse)):
    LIBRARY.impl(_name, _cuda, "CUDA")
    LIBRARY.impl(_name, _refuse_cpu, "CPU")
    LIBRARY.impl(_name, _without_gradients(_name), "Autograd")
    torch.library.register_fake(f"assay_attention::{_name}", _fake, lib=LIBRARY)

_op_forward = torch.ops.assay_attention.forward.default
_op_forward_lse = torch.ops.assay_attention.forward_lse.default


def _through_operator(q, k, v, causal, scale, return_lse, bshd, overlap):
    if scale is None:
        scale = q.shape[-1] ** -0.5
    if not bshd:
        if return_lse:
            return _op_forward_lse(q, k, v, causal, scale, overlap)
        return _op_forward(q, k, v, causal, scale, overlap)
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    if return_lse:
        out, lse = _op_forward_lse(q, k, v, causal, scale, overlap)
        return out.transpose(1, 2), lse
    return _op_forward(q, k, v, causal, scale, overlap).transpose(1, 2)


_Tensor = torch.Tensor
_is_compiling = torch.compiler.is_compiling
_dispatch_modes = torch._C._len_torch_dispatch_stack
_transforms = torch._C._functorch.peek_interpreter_stack
_is_tracing = torch._C._is_tracing
_is_grad_enabled = torch.is_grad_enabled
_forward_mode = torch.autograd.forward_ad


def unobserved(q, k, v):
    """True if a call on these tensors is seen by nobody who needs an operator: plain tensors with memory, no dispatch modes,
    no transforms (vmap, grad), no torch.jit.trace. Never asked while compiling."""
    return (type(q) is _Tensor and type(k) is _Tensor and type(v) is _Tensor and not _dispatch_modes()
            and _transforms() is None and not _is_tracing() and not q.is_meta)


def wants_gradients(q, k, v):
    """True if a derivative of the result would be asked for."""
    if _is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad):
        return True
    return _forward_mode._current_level >= 0 and any(_forward_mode.unpack_dual(t).tangent is not None for t in (q, k, v))


def attention(q, k, v, causal=False, scale=None, return_lse=False, layout="bhsd", overlap=False):
    """softmax(scale q k^T) v, with the same bits on every run.

    q, k, v     fp16 or bf16 on one GPU: (batch, heads, rows, head_dim), or (batch, rows, heads, head_dim) with
                layout="bshd"; head_dim a multiple of 8 up to 256; strides are free, the last dimension is contiguous.
                k and v may have fewer heads than q (grouped and multi-query attention) and another number of rows.
    causal      a query sees no key behind itself; the last query is beside the last key (bottom right, which differs from
                scaled_dot_product_attention where the numbers of rows differ). A row that sees no key is 0.
    scale       1 / sqrt(head_dim) if None; must be positive
    return_lse  also return the logarithm of each row's sum of exponentials: float32 (batch, heads, rows)
    overlap     let the kernel be set up while the one before it in the stream ends; results are the same

    Raises assay_attention.Unsupported, a ValueError, for anything else, tensors that require gradients included.
    """
    if layout == "bhsd":
        bshd = False
    elif layout == "bshd":
        bshd = True
    else:
        raise ValueError(f"assay_attention: layout is {layout!r}; 'bhsd' or 'bshd' is meant")
    if _is_compiling():
        return _through_operator(q, k, v, causal, scale, return_lse, bshd, overlap)
    if not unobserved(q, k, v):
        for name, tensor in (("q", q), ("k", k), ("v", v)):
            if not isinstance(tensor, _Tensor):
                raise TypeError(f"assay_attention: {name} is a {type(tensor).__name__}, not a torch.Tensor")
        if wants_gradients(q, k, v):
            raise Unsupported(_GRADIENTS)
        return _through_operator(q, k, v, causal, scale, return_lse, bshd, overlap)
    if wants_gradients(q, k, v):
        raise Unsupported(_GRADIENTS)
    out, lse = enqueue(q, k, v, causal, scale, return_lse, bshd, overlap)
    return (out, lse) if return_lse else out
