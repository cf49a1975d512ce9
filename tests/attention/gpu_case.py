# SPDX-License-Identifier: MIT
"""What the GPU tests of the attention library share: the reason to skip them, and how close a result must be."""

import pathlib
import sys
import unittest

try:
    import torch
    MISSING = None if torch.cuda.is_available() else "PyTorch sees no GPU"
except ImportError:
    MISSING = "PyTorch is not installed"

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python"
sys.path[:0] = [str(HERE), str(PACKAGE)]

if MISSING is None:
    from reference import relative_error

    F16, BF16 = torch.float16, torch.bfloat16
    LIMIT = {F16: 6e-4, BF16: 5e-3}


@unittest.skipIf(MISSING, MISSING)
class GpuTest(unittest.TestCase):
    def assert_close(self, out, expected, dtype):
        error = relative_error(out, expected)
        self.assertTrue(error < LIMIT[dtype], f"relative error {error:.3g}")
