# SPDX-License-Identifier: MIT
"""Forward attention on NVIDIA GPUs, faster than PyTorch's own, over the C library libassay_attention.so.

  out = assay_attention.attention(q, k, v, causal=True)      # (batch, heads, rows, head_dim), fp16 or bf16
  with assay_attention.sdpa():                               # F.scaled_dot_product_attention, where ours was measured to be faster
      model(x)
  out = assay_attention.flash_attn_with_kvcache(q, k_cache, v_cache, cache_seqlens=lengths, block_table=pages, causal=True)

`flash_attn_func`, `flash_attn_varlen_func` and `flash_attn_with_kvcache` have flash-attn's arguments. `query` says which kernel a
shape takes and `measured` whether it is faster than PyTorch's; they need neither PyTorch nor a GPU. Everything else imports PyTorch
when it is first used.
"""

from .decision import measured
from .errors import LibraryNotFound, Unsupported
from .library import library_path, prepare, query, version

_FLASH = ("flash_attn_func", "flash_attn_varlen_func", "flash_attn_with_kvcache")
__all__ = ["attention", "sdpa", *_FLASH, "query", "measured", "prepare", "library_path", "version", "Unsupported", "LibraryNotFound"]


def __getattr__(name):
    if name == "attention":
        from .operator import attention
        return attention
    if name == "sdpa":
        from .routing import sdpa
        return sdpa
    if name in _FLASH:
        from . import flash
        return getattr(flash, name)
    raise AttributeError(f"module 'assay_attention' has no attribute '{name}'")


def __dir__():
    return sorted(__all__)
