# SPDX-License-Identifier: MIT
"""From the arguments of flash-attn's functions to calls of the C library, as bytes. Needs no PyTorch: a tensor is whatever has
shape, stride(), data_ptr(), dtype and get_device()."""

from . import library
from .errors import SUPPORTED_FLASH, Unsupported

SIZES = "sequence or head sizes are no 32-bit numbers"


def refuse(reason):
    raise Unsupported(reason, SUPPORTED_FLASH)


def refuse_missing_features(dropout_p=0.0, alibi_slopes=None, rotary_cos=None, rotary_sin=None, cache_leftpad=None):
    """What flash-attn has and we do not."""
    if dropout_p != 0.0:
        refuse(f"dropout_p is {dropout_p}; there is no dropout here")
    if alibi_slopes is not None:
        refuse("alibi_slopes are given; there are no biases here")
    if rotary_cos is not None or rotary_sin is not None:
        refuse("rotary_cos and rotary_sin are given; apply the rotary embedding to q and k before the call")
    if cache_leftpad is not None:
        refuse("cache_leftpad is given; sequences begin at the first row of their cache here")


class Types:
    """What a framework calls its types: halves maps its 16-bit float types to codes of the library, int32 is one type."""

    def __init__(self, halves, int32):
        self.halves, self.int32 = halves, int32

    def check(self, **tensors):
        """The code of the one type of these tensors, which are on one GPU."""
        (first, model), *others = tensors.items()
        code = self.halves.get(model.dtype)
        if code is None:
            refuse(f"{first} is {model.dtype}")
        if model.get_device() < 0:
            refuse(f"{first} is not on a GPU")
        for name, tensor in tensors.items():
            if tensor.dtype != model.dtype:
                refuse(f"{first} is {model.dtype} and {name} is {tensor.dtype}")
            if tensor.get_device() != model.get_device():
                refuse(f"{first} and {name} are on different devices")
            if tensor.stride()[-1] != 1:
                refuse(f"{name}: the last dimension is not contiguous")
        return code

    def check_numbers(self, name, tensor, shape, model):
        """An array of the GPU that the kernel reads. shape: sizes; None stands for any."""
        if tensor.dtype != self.int32:
            refuse(f"{name} is {tensor.dtype}; int32 is meant")
        if tensor.get_device() != model.get_device():
            refuse(f"{name} is not on the device of the query")
        found = tuple(tensor.shape)
        if len(found) != len(shape) or any(size is not None and size != there for size, there in zip(shape, found)):
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            refuse(f"{name} has the shape {found}; ({wanted}) is meant")
        if found[-1] > 1 and tensor.stride()[-1] != 1:
            refuse(f"{name} is not contiguous")


def check_dimensions(count, **tensors):
    for name, tensor in tensors.items():
        if len(tensor.shape) != count:
            refuse(f"{name} has {len(tensor.shape)} dimensions; {count} are meant")


def _strides(tensor):
    """Batch or page, head, row, of (batch, rows, heads, dim) or (rows, heads, dim)."""
    found = tensor.stride()
    return (found[0], found[2], found[1]) if len(found) == 4 else (0, found[1], found[0])


def window_flags(window_size, causal):
    """Flags, left and right."""
    left, right = window_size
    flags = library.CAUSAL if causal else 0
    if left >= 0 or right >= 0:
        flags |= library.WINDOW
    return flags, min(left, (1 << 30) - 1), min(right, (1 << 30) - 1)


def forward_call(code, q, k, v, out, lse, *, batch, query_rows, key_rows, causal, window_size, softcap, scale, query_starts=None,
                 key_starts=None, key_lengths=None, added_keys=0, block_table=None, block_table_stride=0, page_rows=0, overlap=False):
    """assay_attention_call. q and out are (batch, rows, heads, dim), or packed (rows, heads, dim); k and v as well, or pages."""
    heads, dim = q.shape[-2], q.shape[-1]
    flags, left, right = window_flags(window_size, causal)
    if overlap:
        flags |= library.OVERLAP_PREVIOUS

    def address(tensor):
        return 0 if tensor is None else tensor.data_ptr()

    try:
        return library.SERVING_CALL.pack(
            library.SERVING_CALL.size, flags, q.data_ptr(), k.data_ptr(), v.data_ptr(), out.data_ptr(), address(lse), *_strides(q),
            *_strides(k), *_strides(v), *_strides(out), batch, heads, k.shape[-2], query_rows, key_rows, dim, code,
            dim ** -0.5 if scale is None else scale, address(query_starts), address(key_starts), address(key_lengths),
            address(block_table), block_table_stride, q.shape[0] if query_starts is not None else 0, added_keys, page_rows, left,
            right, softcap)
    except (library.struct.error, OverflowError) as error:
        refuse(f"{SIZES}: {error}")


def append_call(code, new_key, new_value, key, value, *, key_rows, key_lengths=None, first_row=0, block_table=None,
                block_table_stride=0, page_rows=0):
    """assay_attention_append_call. All are (batch, rows, heads, dim), or key and value are pages."""
    batch, rows, heads, dim = new_key.shape

    def address(tensor):
        return 0 if tensor is None else tensor.data_ptr()

    try:
        return library.APPEND_CALL.pack(
            library.APPEND_CALL.size, code, new_key.data_ptr(), new_value.data_ptr(), key.data_ptr(), value.data_ptr(),
            *_strides(new_key), *_strides(new_value), *_strides(key), *_strides(value), address(key_lengths), address(block_table),
            block_table_stride, batch, heads, rows, key_rows, dim, page_rows, first_row, 0)
    except (library.struct.error, OverflowError) as error:
        refuse(f"{SIZES}: {error}")


def dense_call(types, q, k, v, out, lse, causal, window_size, softcap, scale):
    """Of flash_attn_func: (batch, rows, heads, dim)."""
    code = check_dense(types, q, k, v)
    return forward_call(code, q, k, v, out, lse, batch=q.shape[0], query_rows=q.shape[1], key_rows=k.shape[1], causal=causal,
                        window_size=window_size, softcap=softcap, scale=scale)


def check_dense(types, q, k, v):
    check_dimensions(4, q=q, k=k, v=v)
    code = types.check(q=q, k=k, v=v)
    if tuple(k.shape) != tuple(v.shape) or k.shape[0] != q.shape[0] or k.shape[3] != q.shape[3]:
        refuse(f"q, k and v have shapes {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}")
    return code


def check_pages(types, q, k, block_table, batch):
    """Stride of a line of the table, rows of a page, and the most keys that a line holds."""
    types.check_numbers("block_table", block_table, (batch, None), q)
    page_rows, pages = k.shape[1], block_table.shape[1]
    if page_rows < 16 or page_rows % 16 != 0:
        refuse(f"a page has {page_rows} rows")
    if pages == 0:
        refuse("block_table has no columns")
    return block_table.stride()[0], page_rows, pages * page_rows


def check_varlen(types, q, k, v, cu_seqlens_q, cu_seqlens_k, block_table):
    """Code and batch of a call of flash_attn_varlen_func."""
    check_dimensions(3, q=q)
    check_dimensions(3 if block_table is None else 4, k=k, v=v)
    code = types.check(q=q, k=k, v=v)
    batch = cu_seqlens_q.shape[0] - 1
    types.check_numbers("cu_seqlens_q", cu_seqlens_q, (batch + 1,), q)
    types.check_numbers("cu_seqlens_k", cu_seqlens_k, (batch + 1,), q)
    if tuple(k.shape) != tuple(v.shape) or k.shape[-1] != q.shape[-1]:
        refuse(f"q, k and v have shapes {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}")
    return code, batch


def varlen_call(types, q, k, v, out, lse, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, causal, window_size, softcap, scale,
                block_table):
    """Of flash_attn_varlen_func: (rows, heads, dim), and keys in pages if there is a block table."""
    code, batch = check_varlen(types, q, k, v, cu_seqlens_q, cu_seqlens_k, block_table)
    stride, page_rows, most = 0, 0, max_seqlen_k
    if block_table is not None:
        stride, page_rows, most = check_pages(types, q, k, block_table, batch)
        if max_seqlen_k > most:
            refuse(f"max_seqlen_k is {max_seqlen_k}, but the {block_table.shape[1]} pages of a sequence hold {most} keys")
    return forward_call(code, q, k, v, out, lse, batch=batch, query_rows=max_seqlen_q, key_rows=max(1, max_seqlen_k), causal=causal,
                        window_size=window_size, softcap=softcap, scale=scale, query_starts=cu_seqlens_q, key_starts=cu_seqlens_k,
                        block_table=block_table, block_table_stride=stride, page_rows=page_rows)


def cache_calls(types, q, k_cache, v_cache, out, lse, k, v, cache_seqlens, cache_batch_idx, block_table, causal, window_size, softcap,
                scale):
    """Of flash_attn_with_kvcache: the addition to the cache, or None, and the call.

    cache_seqlens is a number for all sequences, a tensor, or None for the whole cache.
    """
    check_dimensions(4, q=q, k_cache=k_cache, v_cache=v_cache)
    code = types.check(q=q, k_cache=k_cache, v_cache=v_cache)
    batch, query_rows = q.shape[0], q.shape[1]
    if tuple(k_cache.shape) != tuple(v_cache.shape) or k_cache.shape[3] != q.shape[3]:
        refuse(f"q, k_cache and v_cache have shapes {tuple(q.shape)}, {tuple(k_cache.shape)} and {tuple(v_cache.shape)}")
    if (k is None) != (v is None):
        refuse("one of k and v is given without the other")
    table, stride, page_rows, capacity = None, 0, 0, k_cache.shape[1]
    if block_table is not None:
        if cache_batch_idx is not None:
            refuse("block_table and cache_batch_idx are both given")
        table = block_table
        stride, page_rows, capacity = check_pages(types, q, k_cache, block_table, batch)
    elif cache_batch_idx is not None:  # a cache line is a page, of which every sequence has one
        types.check_numbers("cache_batch_idx", cache_batch_idx, (batch,), q)
        table, stride, page_rows = cache_batch_idx, 1, max(16, (capacity + 15) // 16 * 16)
    elif k_cache.shape[0] < batch:
        refuse(f"the cache has {k_cache.shape[0]} sequences and q has {batch}")

    lengths, same, added = None, 0, 0
    if cache_seqlens is None:
        same = capacity
    elif isinstance(cache_seqlens, int):
        same = cache_seqlens
    else:
        types.check_numbers("cache_seqlens", cache_seqlens, (batch,), q)
        lengths = cache_seqlens
    append = None
    if k is not None:
        if cache_seqlens is None:
            refuse("k and v are given without cache_seqlens, which say where they go")
        check_dimensions(4, k=k, v=v)
        types.check(q=q, k=k, v=v)
        added = k.shape[1]
        wanted = (batch, added, k_cache.shape[2], k_cache.shape[3])
        if tuple(k.shape) != wanted or tuple(v.shape) != wanted:
            refuse(f"k and v have shapes {tuple(k.shape)} and {tuple(v.shape)}; {wanted} is meant")
        if added > capacity:
            refuse(f"k has {added} rows and the cache of a sequence {capacity}")
        if added > 0:
            append = append_call(code, k, v, k_cache, v_cache, key_rows=capacity, key_lengths=lengths, first_row=same,
                                 block_table=table, block_table_stride=stride, page_rows=page_rows)
    if lengths is None and not 0 <= same + added <= capacity:
        refuse(f"cache_seqlens is {same} and k has {added} rows, but the cache of a sequence holds {capacity}")
    key_rows = capacity if lengths is not None else same + added
    call = None if key_rows == 0 else forward_call(
        code, q, k_cache, v_cache, out, lse, batch=batch, query_rows=query_rows, key_rows=key_rows, causal=causal,
        window_size=window_size, softcap=softcap, scale=scale, key_lengths=lengths, added_keys=added if lengths is not None else 0,
        block_table=table, block_table_stride=stride, page_rows=page_rows, overlap=append is not None)
    return append, call
