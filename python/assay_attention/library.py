# SPDX-License-Identifier: MIT
"""libassay_attention.so by ctypes: where it is, its struct as bytes, its errors as exceptions. Needs no PyTorch."""

import ctypes
import functools
import os
import pathlib
import struct

from .errors import LibraryNotFound, Unsupported

FILE = "libassay_attention.so"
VARIABLE = "ASSAY_ATTENTION_LIBRARY"
MAJOR_VERSION = 0

OK, INVALID, UNSUPPORTED, NO_KERNEL, CUDA_FAILED = range(5)
F16, BF16 = 0, 1
CAUSAL, OVERLAP_PREVIOUS, WINDOW, ROWS_BEFORE_HEADS = 1, 2, 4, 1 << 16

# assay_attention_call: size, flags | query, key, value, output, log_sum_exp | 4 x 3 strides | 7 sizes | scale
CALL = struct.Struct("=II5Q12q7if")
# The same with the fields of version 300: 4 arrays | block_table_stride | total_query_rows, added_keys, page_rows, window | softcap
SERVING_CALL = struct.Struct("=II5Q12q7if4Qq5if")
# assay_attention_append_call: size, dtype | new_key, new_value, key, value | 4 x 3 strides | key_lengths, block_table |
# block_table_stride | batch, key_heads, new_rows, key_rows, head_dim, page_rows, first_row, reserved
APPEND_CALL = struct.Struct("=Ii4Q12q2Qq8i")


def candidates():
    """Where the library is looked for, in order."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return [pathlib.Path(chosen)]
    package = pathlib.Path(__file__).resolve().parent
    return [package / FILE, package.parents[1] / "build" / "attention" / FILE, pathlib.Path.cwd() / "build" / "attention" / FILE]


def library_path():
    """The file that is used."""
    looked = candidates()
    for path in looked:
        if path.is_file():
            return path
    raise LibraryNotFound(f"assay_attention: no {FILE}; looked at {', '.join(map(str, looked))}. "
                          f"Build it with 'make attention' or set {VARIABLE} to the file.")


@functools.lru_cache(maxsize=None)
def load():
    """The loaded library with its functions described. Raises LibraryNotFound."""
    path = library_path()
    try:
        loaded = ctypes.CDLL(str(path))
        loaded.assay_attention_version.restype = ctypes.c_int
        found = loaded.assay_attention_version()
    except (OSError, AttributeError) as error:
        raise LibraryNotFound(f"assay_attention: cannot use {path}: {error}") from None
    if found // 10000 != MAJOR_VERSION:
        raise LibraryNotFound(f"assay_attention: {path} has version {found}; this package needs {MAJOR_VERSION}xxxx")
    # The call travels as bytes: packing them in one go is cheaper than filling a ctypes structure field by field.
    loaded.assay_attention_forward.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    loaded.assay_attention_query.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
    loaded.assay_attention_query_measured.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
    if found >= 300:
        loaded.assay_attention_append.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    loaded.assay_attention_last_error.restype = ctypes.c_char_p
    loaded.assay_attention_status_name.restype = ctypes.c_char_p
    loaded.assay_attention_status_name.argtypes = [ctypes.c_int]
    return loaded


class _MethodDef(ctypes.Structure):
    """Python's PyMethodDef."""
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_FASTCALL = 0x80


@functools.lru_cache(maxsize=None)
def _definition():
    """Kept for ever: a builtin function refers to its definition for as long as it lives."""
    return _MethodDef(b"forward_objects", ctypes.cast(load().assay_attention_python_function, ctypes.c_void_p).value, _FASTCALL,
                      None)


def forward_objects(tensor_type):
    """assay_attention_forward_objects as a builtin function (query, key, value, output, log_sum_exp or None, flags, scale)
    -> code, or None where the tensor type offers no DLPack exchange table."""
    capsule = getattr(tensor_type, "__dlpack_c_exchange_api__", None)
    if type(capsule).__name__ != "PyCapsule" or not load().assay_attention_python_ready():
        return None
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(_definition()), capsule, None)


def raise_for(status):
    """The exception for a code other than OK, with the library's own text."""
    text = load().assay_attention_last_error().decode(errors="replace")
    if status in (INVALID, UNSUPPORTED, NO_KERNEL):
        raise Unsupported(text)
    raise RuntimeError(f"assay_attention: {text}")


def version():
    """Version of the C library: 10000 major + 100 minor + patch."""
    return load().assay_attention_version()


def prepare():
    """Loads all kernels for the current device now, instead of each at its first call."""
    status = load().assay_attention_prepare()
    if status != OK:
        raise_for(status)


def _contiguous_call(batch, query_heads, query_rows, head_dim, key_heads, key_rows, dtype, causal, rows_first=False):
    """A call without tensors, as bytes."""
    if dtype not in ("fp16", "bf16"):
        raise Unsupported(f"dtype is {dtype!r}; 'fp16' or 'bf16' is meant")
    key_heads, key_rows = key_heads or query_heads, key_rows or query_rows

    def strides(heads, rows):
        return heads * rows * head_dim, *((head_dim, heads * head_dim) if rows_first else (rows * head_dim, head_dim))

    outer, inner = strides(query_heads, query_rows), strides(key_heads, key_rows)
    try:
        return CALL.pack(CALL.size, CAUSAL if causal else 0, 0, 0, 0, 0, 0, *outer, *inner, *inner, *outer, batch, query_heads,
                         key_heads, query_rows, key_rows, head_dim, F16 if dtype == "fp16" else BF16, 1.0)
    except struct.error as error:
        raise Unsupported(f"a size is no 32-bit number: {error}") from None


def query(batch, query_heads, query_rows, head_dim, key_heads=None, key_rows=None, dtype="fp16", causal=False,
          compute_capability=0):
    """Name of the kernel that contiguous tensors of this shape take. Raises Unsupported with the reason if none does.

    compute_capability: 80, 86, 89, 90 ... asks for a GPU that need not be there; 0 for the current device.
    """
    call = _contiguous_call(batch, query_heads, query_rows, head_dim, key_heads, key_rows, dtype, causal)
    name = ctypes.c_char_p()
    status = load().assay_attention_query(call, compute_capability, ctypes.byref(name))
    if status != OK:
        raise_for(status)
    return name.value.decode()


def measured(batch, query_heads, query_rows, head_dim, key_heads=None, key_rows=None, dtype="fp16", causal=False, rows_first=False,
             gpu=None):
    """What the C library says of a measurement, as a verdict of decision.py. gpu: as there; None: the current device."""
    call = _contiguous_call(batch, query_heads, query_rows, head_dim, key_heads, key_rows, dtype, causal, rows_first)
    capability, name = gpu or (0, None)
    verdict = ctypes.c_int()
    status = load().assay_attention_query_measured(call, capability, name.encode() if name else None, ctypes.byref(verdict))
    if status != OK:
        raise_for(status)
    return verdict.value
