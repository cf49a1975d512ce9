# SPDX-License-Identifier: MIT
"""Cache hints, streaming stores and wide accesses: where they apply, and where they must not."""

import unittest

from asking import texts
from mutations import memory

HEAD = "__global__ void k(const float* __restrict__ x, float* y, int n) {\n"


def kernel(statements):
    return HEAD + statements + "\n}\n"


class HintTest(unittest.TestCase):
    def test_loads_through_const_pointers(self):
        found = texts(memory.loads, kernel("  y[i] = x[i + a[2]] * x[0];"))
        self.assertIn("y[i] = __ldg(&x[i + a[2]]) * __ldg(&x[0]);", found[0])
        self.assertTrue(any("__ldcs(" in text for text in found))

    def test_no_loads_where_there_are_none(self):
        for statement in ("// x[i]", "/* x[i] */", 'f("x[i]");', "f(&x[i]);", "p.x[i] = 1;", "q->x[i] = 1;", "max[i] = 1;", "x[i][j];",
                          "#define X x[i]", "x[x[i]];"):
            self.assertEqual(texts(memory.loads, kernel(statement)), [], statement)
        self.assertEqual(texts(memory.loads, kernel("y[i] = x[i];").replace("const float", "float")), [])
        self.assertEqual(texts(memory.loads, "void f(const float* s_row) { g(s_row[i]); }"), [], "shared memory by its name")

    def test_stores_that_stream(self):
        self.assertIn("  __stcs(&y[i], x[i] + 1.0f);", texts(memory.stores, kernel("  y[i] = x[i] + 1.0f;"))[0])
        for statement in ("y[i] += 1;", "a = y[i] == 3;", "if (a) y[i] == 3;", "y[i].x = 1;", "// y[i] = 1;", "float y[i] = 1;",
                          "#define Y y[i] = 1;"):
            self.assertEqual(texts(memory.stores, kernel(statement)), [], statement)

    def test_casts(self):
        found = texts(memory.cast_stores, kernel("  *reinterpret_cast<uint4*>(g + row(1)) = *reinterpret_cast<const uint4*>(s_a);"))
        self.assertIn("__stcs(reinterpret_cast<uint4*>(g + row(1)), *reinterpret_cast<const uint4*>(s_a));", found[0])
        own = texts(memory.cast_stores, kernel("  *reinterpret_cast<Pack<E, 4>*>(g) = pack;"))[0]
        self.assertIn("if constexpr (sizeof(pack) == 16 && alignof(decltype(pack)) == 16) __stcs(", own)
        self.assertIn("else *reinterpret_cast<Pack<E, 4>*>(g) = pack;", own)
        loaded = texts(memory.cast_loads, kernel("  uint4 v = *reinterpret_cast<const uint4*>(g + i);"))[0]
        self.assertIn("uint4 v = __ldg(reinterpret_cast<const uint4*>(g + i));", loaded)

    def test_casts_of_something_else_stay(self):
        for statement in ("*reinterpret_cast<uint4*>(s_tile) = v;", "*reinterpret_cast<Pack<E>*>(g) = f(v);",
                          "*reinterpret_cast<uint4*>(g) += v;", "a = b *reinterpret_cast<int*>(g) = v;", "// *reinterpret_cast<uint4*>(g) = v;"):
            self.assertEqual(texts(memory.cast_stores, kernel(statement)), [], statement)
        for statement in ("v = *reinterpret_cast<const Pack<E>*>(g);", "v = *reinterpret_cast<const uint4*>(s_tile);",
                          "*reinterpret_cast<uint4*>(g) = v;"):
            self.assertEqual(texts(memory.cast_loads, kernel(statement)), [], statement)


class AsmTest(unittest.TestCase):
    LOAD = 'asm volatile("ld.global.nc.L1::no_allocate.v4.b32 {%0}, [%1];" : "=r"(a) : "l"(g));'

    def test_hints_in_asm(self):
        found = texts(memory.asm_hints, kernel(self.LOAD))
        self.assertTrue(any('"ld.global.nc.v4.b32' in text for text in found))
        self.assertTrue(any("ld.global.nc.L1::evict_last.v4" in text for text in found))
        copy = texts(memory.asm_hints, kernel('asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(s), "l"(g));'))
        self.assertTrue(any("cp.async.cg.shared.global.L2::256B [" in text for text in copy))

    def test_other_strings_stay(self):
        for statement in ('f("ld.global.nc.L1::no_allocate.v4.b32");', '// asm("ld.global.v4.b32");', 'asm("bar.sync 0;");',
                          'asm("ld.shared.b32 %0, [%1];");'):
            self.assertEqual(texts(memory.asm_hints, kernel(statement)), [], statement)

    def test_a_load_may_be_moved_but_nothing_else(self):
        self.assertIn('asm ("ld.global', texts(memory.asm_order, kernel(self.LOAD))[0])
        for statement in ('asm volatile("st.global.b32 [%0], %1;");', 'asm volatile("bar.sync 0;");', 'asm("ld.global.b32 %0, [%1];");'):
            self.assertEqual(texts(memory.asm_order, kernel(statement)), [], statement)


class VectorTest(unittest.TestCase):
    LOOP = "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n    y[row + i] = x[row + i] * 2.0f;"

    def test_a_row_by_four_words_where_it_is_aligned(self):
        four, two = texts(memory.vector, kernel(self.LOOP))
        self.assertIn("int packed = (reinterpret_cast<size_t>(&y[row]) | reinterpret_cast<size_t>(&x[row])) % 16 == 0 ? (n) / 4 : 0;", four)
        self.assertIn("for (int pack = threadIdx.x; pack < packed; pack += blockDim.x) {", four)
        self.assertIn("const float4 words_1 = reinterpret_cast<const float4*>(&x[row])[pack];", four)
        self.assertIn("results.w = words_1.w * 2.0f;", four)
        self.assertIn("for (int i = packed * 4 + (threadIdx.x); i < n; i += blockDim.x)\n    y[row + i] = x[row + i] * 2.0f;", four)
        self.assertIn("% 8 == 0 ? (n) / 2", two)
        self.assertNotIn(".z", two)

    def test_only_neighbouring_words_of_a_known_type(self):
        for old, new in (("x[row + i]", "x[row + 2 * i]"), ("x[row + i]", "x[i * n]"), ("x[row + i]", "z[i]"), ("* 2.0f", "* i"),
                         ("y[row + i] = ", "y[row + i] += "), ("x[row + i]", "x[i + 1]"), ("i += blockDim.x", "++i"),
                         ("* 2.0f;", "*  // twice\n 2.0f;"), ("y[row + i] = x[row + i] * 2.0f;", "{ if (x[i]) break; y[i] = x[i]; }"),
                         ("y[row + i] = x[row + i] * 2.0f;", "{ y[i] = x[i]; __syncthreads(); }")):
            self.assertEqual(texts(memory.vector, kernel(self.LOOP.replace(old, new))), [], new)
        self.assertEqual(texts(memory.vector, kernel(self.LOOP).replace("float", "__half")), [])


if __name__ == "__main__":
    unittest.main()
