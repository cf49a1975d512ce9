# SPDX-License-Identifier: MIT
"""The operators behind flash-attn's functions, for whoever watches or rewrites operators (torch.compile, fake tensors, tracing,
dispatch modes, tensor subclasses): assay_attention::flash, ::flash_varlen, ::flash_cache, and ::flash_append, which writes new keys
and values into the cache before it attends to it. All return the output and the log-sum-exp, which has no elements where it is not
wanted: an operator has the same number of results in every call.
"""

import torch

from . import flash_launch
from .errors import SUPPORTED_FLASH, Unsupported
from .flash_call import check_dimensions, refuse
from .operator import LIBRARY, TAGS

_MASK = "bool causal, int left, int right, float softcap, float? scale, bool with_lse"
_CACHE = "Tensor? lengths, SymInt? length, Tensor? lines, Tensor? block_table"
SCHEMAS = {
    "flash": f"(Tensor query, Tensor key, Tensor value, {_MASK}) -> (Tensor, Tensor)",
    "flash_varlen": "(Tensor query, Tensor key, Tensor value, Tensor query_starts, Tensor key_starts, SymInt query_rows, "
                    f"SymInt key_rows, Tensor? block_table, {_MASK}) -> (Tensor, Tensor)",
    "flash_cache": f"(Tensor query, Tensor key_cache, Tensor value_cache, {_CACHE}, {_MASK}) -> (Tensor, Tensor)",
    "flash_append": "(Tensor query, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor new_key, Tensor new_value, "
                    f"{_CACHE}, {_MASK}) -> (Tensor, Tensor)",
}
GRADIENTS = "a gradient is required, and there is no backward; call it under torch.no_grad(), or on detached tensors"


def _results(query, out, lse):
    return out, query.new_empty((0,), dtype=torch.float32) if lse is None else lse


# ---- On a GPU ----

def _flash(query, key, value, causal, left, right, softcap, scale, with_lse):
    return _results(query, *flash_launch.dense(query, key, value, causal, (left, right), softcap, scale, with_lse))


def _flash_varlen(query, key, value, query_starts, key_starts, query_rows, key_rows, block_table, causal, left, right, softcap, scale,
                  with_lse):
    return _results(query, *flash_launch.varlen(query, key, value, query_starts, key_starts, query_rows, key_rows, block_table, causal,
                                                (left, right), softcap, scale, with_lse))


def _flash_cache(query, key_cache, value_cache, lengths, length, lines, block_table, causal, left, right, softcap, scale, with_lse):
    return _flash_append(query, key_cache, value_cache, None, None, lengths, length, lines, block_table, causal, left, right, softcap,
                         scale, with_lse)


def _flash_append(query, key_cache, value_cache, new_key, new_value, lengths, length, lines, block_table, causal, left, right, softcap,
                  scale, with_lse):
    return _results(query, *flash_launch.cache(query, key_cache, value_cache, new_key, new_value, length if lengths is None else lengths,
                                               lines, block_table, causal, (left, right), softcap, scale, with_lse))


# ---- On tensors without memory: shapes, types and places of the results ----

def _check(dimensions, query, **others):
    """What a kernel would refuse whatever the sizes are, at the time of compilation. Sizes may be symbols and are left alone."""
    check_dimensions(dimensions, query=query)
    if query.dtype not in (torch.float16, torch.bfloat16):
        refuse(f"query is {query.dtype}")
    for name, tensor in others.items():
        if tensor.dtype != query.dtype:
            refuse(f"query is {query.dtype} and {name} is {tensor.dtype}")
        if tensor.device != query.device:
            refuse(f"query and {name} are on different devices")


def _fake_results(query, lse_shape, with_lse):
    return _results(query, *flash_launch.outputs(query, lse_shape, with_lse))


def _fake_flash(query, key, value, causal, left, right, softcap, scale, with_lse):
    _check(4, query, key=key, value=value)
    return _fake_results(query, (query.shape[0], query.shape[2], query.shape[1]), with_lse)


def _fake_flash_varlen(query, key, value, query_starts, key_starts, query_rows, key_rows, block_table, causal, left, right, softcap,
                       scale, with_lse):
    _check(3, query, key=key, value=value)
    return _fake_results(query, (query.shape[1], query.shape[0]), with_lse)


def _fake_flash_cache(query, key_cache, value_cache, lengths, length, lines, block_table, causal, left, right, softcap, scale, with_lse):
    _check(4, query, key_cache=key_cache, value_cache=value_cache)
    return _fake_results(query, (query.shape[0], query.shape[2], query.shape[1]), with_lse)


def _fake_flash_append(query, key_cache, value_cache, new_key, new_value, lengths, length, lines, block_table, causal, left, right,
                       softcap, scale, with_lse):
    _check(4, query, key_cache=key_cache, value_cache=value_cache, new_key=new_key, new_value=new_value)
    return _fake_results(query, (query.shape[0], query.shape[2], query.shape[1]), with_lse)


# ---- Elsewhere ----

def _refuse_cpu(query, *others):
    raise Unsupported(f"query is on {query.device}", SUPPORTED_FLASH)


def _without_gradients(name):
    """The operator for autograd's turn: refuses where a gradient is wanted, else passes on."""
    def run(*arguments):
        if torch.is_grad_enabled() and any(isinstance(each, torch.Tensor) and each.requires_grad for each in arguments):
            raise Unsupported(GRADIENTS, SUPPORTED_FLASH)
        with torch._C._AutoDispatchBelowAutograd():
            return getattr(torch.ops.assay_attention, name).default(*arguments)
    return run


for _name, _cuda, _fake in (("flash", _flash, _fake_flash), ("flash_varlen", _flash_varlen, _fake_flash_varlen),
                            ("flash_cache", _flash_cache, _fake_flash_cache), ("flash_append", _flash_append, _fake_flash_append)):
    LIBRARY.define(_name + SCHEMAS[_name], tags=TAGS)
    LIBRARY.impl(_name, _cuda, "CUDA")
    LIBRARY.impl(_name, _refuse_cpu, "CPU")
    LIBRARY.impl(_name, _without_gradients(_name), "Autograd")
    torch.library.register_fake(f"assay_attention::{_name}", _fake, lib=LIBRARY)

flash = torch.ops.assay_attention.flash.default
flash_varlen = torch.ops.assay_attention.flash_varlen.default
flash_cache = torch.ops.assay_attention.flash_cache.default
flash_append = torch.ops.assay_attention.flash_append.default
