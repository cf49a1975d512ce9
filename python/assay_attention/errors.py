# SPDX-License-Identifier: MIT
"""What can go wrong, as exceptions whose text says what is supported."""

SUPPORTED = ("supported: float16 or bfloat16 CUDA tensors of four dimensions, key and value of one shape, the same batch and "
             "head_dim for all three, head_dim a multiple of 8 up to 256 and contiguous, query heads a multiple of key heads, "
             "rows that start at multiples of 16 bytes, no gradients")

SUPPORTED_FLASH = ("supported: float16 or bfloat16 CUDA tensors of one type and device, head_dim a multiple of 8 up to 256, query "
                   "heads a multiple of key heads, rows that start at multiples of 16 bytes, int32 CUDA tensors for lengths and "
                   "pages, pages of a multiple of 16 rows; no dropout, no alibi, no rotary, no gradients")


class Unsupported(ValueError):
    """The input is none that a kernel of ours computes. Nothing was computed."""

    def __init__(self, reason, supported=SUPPORTED):
        super().__init__(f"assay_attention: {reason} ({supported})")
        self.reason = reason


class LibraryNotFound(RuntimeError):
    """libassay_attention.so is not where it is looked for, or is none that this package can use."""
