# SPDX-License-Identifier: MIT
"""Launch bounds, registers and pointers: where they apply, and where they must not."""

import unittest

from asking import texts
from mutations import launch

KERNEL = 'extern "C" __global__ void k(const float* x, float* y, int n) {\n}\n'
MACRO = "#define ENTRY(t) \\\n  __global__ void __launch_bounds__(4 * (BLOCK), 256 / BLOCK) \\\n      k_##t(const t* x) {}\n"


class LaunchTest(unittest.TestCase):
    def test_bounds_and_registers(self):
        self.assertIn("__global__ __launch_bounds__(256, 2) void k(", texts(launch.bound, KERNEL)[0])
        self.assertIn("__global__ __maxnreg__(64) void k(", texts(launch.limit_registers, KERNEL)[0])
        bounded = KERNEL.replace("__global__ void", "__global__ void __launch_bounds__(f(4), 2)")
        found = texts(launch.bound, bounded)
        self.assertIn("void __launch_bounds__(f(4), 4) k(", found[0])
        self.assertTrue(any("void __launch_bounds__(f(4)) k(" in text for text in found))
        self.assertFalse(any("(f(4), 2)" in text for text in found), "it stands there already")
        limited = texts(launch.limit_registers, bounded)
        self.assertIn("void __maxnreg__(64) k(", limited[0], "the two exclude each other")
        self.assertNotIn("__launch_bounds__", limited[0])

    def test_a_kernel_that_a_macro_makes(self):
        self.assertIn("__launch_bounds__(4 * (BLOCK), 2) \\\n      k_##t(", texts(launch.bound, MACRO)[0])
        self.assertEqual(texts(launch.bound, MACRO)[0].count("\\\n"), 2)

    def test_no_other_function(self):
        for text in ("__device__ void k(int n) {}\n", "// __global__ void k(int n) {}\n", '"__global__ void k(int n) {}";\n',
                     "/* __global__ void k(int n) */\n", "void k(int n) {}\n"):
            self.assertEqual(texts(launch.bound, text) + texts(launch.limit_registers, text), [], text)
        self.assertEqual(texts(launch.bound, KERNEL.replace("void", "__maxnreg__(40) void")), [])


class RestrictTest(unittest.TestCase):
    def test_pointers_of_kernels_and_functions(self):
        self.assertIn("(const float* __restrict__ x, float* __restrict__ y, int n)", texts(launch.restrict, KERNEL)[0])
        device = "__device__ __forceinline__ float f(const float* x, float (&y)[4]) { return *x * 2; }\n"
        self.assertIn("f(const float* __restrict__ x, float (&y)[4]) { return *x * 2; }", texts(launch.restrict, device)[0])

    def test_what_has_it_or_is_no_pointer_stays(self):
        for text in ("__global__ void k(const float* __restrict__ x, int n) {}\n", "__global__ void k(int a, int b) {}\n",
                     "// __global__ void k(float* x) {}\n", "__device__ int f(int a = 2 * 3) { return a * b; }\n"):
            self.assertEqual(texts(launch.restrict, text), [], text)


if __name__ == "__main__":
    unittest.main()
