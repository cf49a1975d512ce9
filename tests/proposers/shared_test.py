# SPDX-License-Identifier: MIT
"""Shared memory: padding, swizzle, barriers and shuffles, where they apply and where they must not."""

import unittest

from asking import texts
from mutations import shared

TILE = "  __shared__ float s_tile[32][64];\n  s_tile[threadIdx.y][threadIdx.x] = a;\n  b = s_tile[threadIdx.x][i + 1];\n"
TREE = ("void k() {\n  for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n    if (tid < s) s_sum[tid] += s_sum[tid + s];\n"
        "    __syncthreads();\n  }\n}\n")


class RowTest(unittest.TestCase):
    def test_rows_are_padded(self):
        self.assertIn("s_tile[32][64 + 1]", texts(shared.pad, TILE)[0])
        found = texts(shared.pad, TILE.replace("[64]", "[64 + 1]"))
        self.assertTrue(any("[32][64];" in text for text in found))
        self.assertFalse(any("[32][64 + 1];" in text for text in found))

    def test_columns_are_exchanged(self):
        text = texts(shared.swizzle, TILE)[0]
        self.assertIn("s_tile[threadIdx.y][(threadIdx.x) ^ ((threadIdx.y) % 32)] = a;", text)
        self.assertIn("s_tile[threadIdx.x][(i + 1) ^ ((threadIdx.x) % 32)];", text)

    def test_not_what_is_no_such_array(self):
        for old, new in (("  __shared__", "  // __shared__"), ("[32][64]", "[32]"), ("__shared__ float", "float")):
            self.assertEqual(texts(shared.pad, TILE.replace(old, new)), [], new)
        for old, new in (("[64]", "[48]"), ("[64]", "[16]"), ("b = s_tile[threadIdx.x][i + 1]", "b = f(s_tile)"),
                         ("b = s_tile[threadIdx.x][i + 1]", "p = s_tile[threadIdx.x]"), ("[64]", "[kWidth]")):
            self.assertEqual(texts(shared.swizzle, TILE.replace(old, new)), [], new)


class BarrierTest(unittest.TestCase):
    def test_one_less_or_for_a_warp(self):
        found = texts(shared.drop_barriers, "void k() {\n  f();\n  __syncthreads();  // all are here\n  g();\n  __syncthreads();\n}\n")
        self.assertIn("f();\n  ;  // all are here\n", found[0])
        self.assertIn("g();\n}\n", found[1])
        self.assertIn("__syncwarp();", found[2])

    def test_what_a_condition_needs_stays_a_statement(self):
        found = texts(shared.drop_barriers, "void k() {\n  if (a)\n    __syncthreads();\n  g();\n}\n")
        self.assertIn("if (a)\n    ;\n  g();", found[0])

    def test_no_barrier_in_a_comment_a_string_or_a_macro(self):
        for text in ("// __syncthreads();\n", "/*\n__syncthreads();\n*/\n", "#define WAIT \\\n  __syncthreads();\n",
                     'auto s = R"(\n__syncthreads();\n)";\n', "__syncthreads_or(1);\n"):
            self.assertEqual(texts(shared.drop_barriers, text), [], text)


class ShuffleTest(unittest.TestCase):
    def test_the_last_warp_of_a_tree(self):
        text = texts(shared.shuffles, TREE)[0]
        self.assertIn("for (int s = blockDim.x / 2; s >= 32; s >>= 1) {", text)
        self.assertIn("if (tid < 32) {", text)
        self.assertIn("last += __shfl_down_sync(0xffffffffu, last, distance);", text)
        self.assertIn("if (tid == 0) s_sum[0] = last;\n  }\n  __syncthreads();", text)

    def test_no_other_loop(self):
        for old, new in (("s > 0", "s > 1"), ("s >>= 1", "s -= 1"), ("+=", "-="), ("[tid + s]", "[tid + 2 * s]"),
                         ("    __syncthreads();\n", ""), ("tid < s", "tid < 2 * s"), ("    __syncthreads();", "    __syncthreads(); g();"),
                         ("tid < s)", "tid < t)")):
            self.assertEqual(texts(shared.shuffles, TREE.replace(old, new)), [], new)


if __name__ == "__main__":
    unittest.main()
