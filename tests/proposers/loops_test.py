# SPDX-License-Identifier: MIT
"""Loops: each transformation where it applies, and where it must not."""

import unittest

from asking import results, texts
from mutations import loops

SIMPLE = "void k(float* y, const float* x, int n) {\n  for (int i = threadIdx.x; i < n; i += 64) y[i] = x[i];\n}\n"


def body(statement, head="for (int i = 0; i < n; ++i)", pragma=""):
    return f"void k() {{\n{pragma}  {head} {statement}\n}}\n"


class UnrollTest(unittest.TestCase):
    def test_by_a_factor_in_full_and_not_at_all(self):
        change, text = results(loops.unroll, SIMPLE)[0]
        self.assertEqual(change.tunables, [{"name": "UNROLL_LOOP_1", "values": [4, 1, 2, 8]}])
        self.assertTrue(text.startswith("constexpr int kUnrollLoop1 = UNROLL_LOOP_1;\n"))
        self.assertIn("  #pragma unroll kUnrollLoop1\n  for (", text)
        again, twice = results(loops.unroll, text)[0]
        self.assertEqual(twice.count("#pragma unroll"), 1, "a pragma that is there is replaced")
        self.assertEqual(again.tunables[0]["name"], "UNROLL_LOOP_2")
        self.assertIn("  #pragma unroll\n  for (", texts(loops.unroll_in_full, text)[0])
        self.assertIn("  #pragma unroll 1\n  for (", texts(loops.do_not_unroll, text)[0])

    def test_nested_loops_have_factors_of_their_own(self):
        nested = "void k() {\n  for (int i = 0; i < 4; ++i)\n    for (int j = 0; j < 4; ++j) f(i, j);\n}\n"
        names = [change.tunables[0]["name"] for change, _ in results(loops.unroll, nested)]
        self.assertEqual(names, ["UNROLL_LOOP_1", "UNROLL_LOOP_2"])

    def test_no_loop_in_a_comment_a_string_or_a_macro(self):
        for text in ("// for (int i = 0; i < n; ++i) f();\n", "/*\n  for (int i = 0; i < n; ++i) f();\n*/\n",
                     'const char* s = "\\\n  for (int i = 0; i < n; ++i) f();";\n', 'auto s = R"(\n for (int i = 0; i < n; ++i) f();\n)";\n',
                     "#define LOOP \\\n  for (int i = 0; i < n; ++i) f();\n", "void k() { if (n) for (int i = 0; i < n; ++i) f(); }\n",
                     "  for (auto& each : list) f(each);\n"):
            self.assertEqual(texts(loops.unroll, text), [], text)

    def test_what_says_so_already_stays(self):
        full = body("f(i);", pragma="#pragma unroll\n")
        self.assertEqual(texts(loops.unroll_in_full, full), [])
        self.assertEqual(texts(loops.do_not_unroll, full.replace("unroll", "unroll 1")), [])


class SeveralSumsTest(unittest.TestCase):
    def test_a_sum_and_a_largest_value(self):
        text = texts(loops.several_sums, body("sum += x[i];", pragma="#pragma unroll\n"))[0]
        self.assertIn("decltype(sum) sum_part[2] = {};", text)
        self.assertIn("#pragma unroll\n  for (int i = 0; i < n; ++i) sum_part[i % 2] += x[i];", text)
        self.assertIn("sum += (sum_part[0] + sum_part[1]);", text)
        text = texts(loops.several_sums, body("most = fmaxf(most, x[i]);", pragma="#pragma unroll\n"))[1]
        self.assertIn("decltype(most) most_part[4] = {most, most, most, most};", text)
        self.assertIn("most = fmaxf(fmaxf(most_part[0], most_part[1]), fmaxf(most_part[2], most_part[3]));", text)

    def test_no_more_than_that(self):
        for statement in ("{ sum += x[i]; f(); }", "sum += sum * x[i];", "sum -= x[i];", "y[i] += x[i];", "if (i) sum += x[i];"):
            self.assertEqual(texts(loops.several_sums, body(statement, pragma="#pragma unroll\n")), [], statement)
        self.assertEqual(texts(loops.several_sums, body("sum += x[i];")), [], "parts that are indexed need an unrolled loop")
        self.assertEqual(texts(loops.several_sums, body("sum += x[i];", "for (int i = n; i > 0; --i)", "#pragma unroll\n")), [])


class TwoRoundsTest(unittest.TestCase):
    def test_a_loop_that_strides(self):
        text = texts(loops.two_rounds, SIMPLE)[0]
        self.assertIn("for (; i_of_two + (64) < n; i_of_two += 2 * (64)) {", text)
        self.assertIn("{ y[i] = x[i]; }", text)
        self.assertIn("{ y[(i + (64))] = x[(i + (64))]; }", text)
        self.assertIn("for (; i_of_two < n; i_of_two += 64) {", text)

    def test_not_with_barriers_exits_or_changed_bounds(self):
        head = "for (int i = threadIdx.x; i < n; i += 64)"
        for statement in ("{ y[i] = 1; __syncthreads(); }", "{ if (x[i]) break; }", "{ if (x[i]) return; }", "{ n = x[i]; }",
                          "{ i += x[i]; }", "{ f(&i); }", "{ for (int i = 0; i < 3; ++i) f(i); }", "{ y[i] = 1; // one\n }",
                          "{ wait_for_copies<1>(); }", "{ if (i) continue; }"):
            self.assertEqual(texts(loops.two_rounds, body(statement, head)), [], statement)
        self.assertEqual(texts(loops.two_rounds, body("f(i);")), [], "it does not stride")

    def test_names_that_only_look_like_the_counter_stay(self):
        text = texts(loops.two_rounds, body("y.i[i] = pi + p->i;", "for (int i = a; i < n; i += 64)"))[0]
        self.assertIn("{ y.i[(i + (64))] = pi + p->i; }", text)


class HoistTest(unittest.TestCase):
    def test_a_load_that_no_round_changes(self):
        text = texts(loops.hoist, body("y[i] += weight[row];"))[0]
        self.assertIn("{ const auto invariant_of_weight = weight[row];\n  for (", text)
        self.assertIn("y[i] += invariant_of_weight;", text)

    def test_what_a_round_changes_stays(self):
        for statement in ("y[i] = x[i];", "{ int row = i; y[i] = weight[row]; }", "{ ++row; y[i] = weight[row]; }",
                          "weight[row] += x[i];", "{ weight[row] = 1; y[i] = weight[row]; }", "{ y[i] = weight[row]; __syncthreads(); }",
                          "y[i] = weight[row++];"):
            self.assertEqual(texts(loops.hoist, body(statement)), [], statement)


class OrderTest(unittest.TestCase):
    NEST = ("void k() {\n#pragma unroll\n  for (int i = 0; i < 4; ++i) {\n    for (int j = 0; j < 8; ++j) {\n      f(i, j);\n"
            "    }\n  }\n}\n")

    def test_loops_change_places_with_their_pragmas(self):
        text = texts(loops.interchange, self.NEST)[0]
        self.assertIn("for (int j = 0; j < 8; ++j) {\n    #pragma unroll\n  for (int i = 0; i < 4; ++i) {", text)

    def test_not_where_one_needs_the_other(self):
        for old, new in (("j = 0", "j = i"), ("j < 8", "j < i"), ("f(i, j);", "f(i, j); break;"), ("    }\n  }", "    }\n    g();\n  }"),
                         ("    for (int j", "    g();\n    for (int j"), ("f(i, j);", "__syncthreads();")):
            self.assertEqual(texts(loops.interchange, self.NEST.replace(old, new)), [], new)

    def test_equal_heads_become_one(self):
        two = "void k() {\n  for (int i = 0; i < 4; ++i) f(i);\n  for (int i = 0; i < 4; ++i) { g(i); }\n}\n"
        self.assertIn("for (int i = 0; i < 4; ++i) { f(i); { g(i); } }", texts(loops.fuse, two)[0])
        for old, new in (("g(i)", "__syncthreads()"), ("{ g(i); }", "{ g(i); } // x\n"), ("f(i);", "f(i); h();"),
                         ("f(i);", "return;"), ("i < 4; ++i) f", "i < 5; ++i) f")):
            changed = texts(loops.fuse, two.replace(old, new))
            self.assertTrue(changed == [] or "// x" in new, new)

    def test_statements_become_two_loops(self):
        one = body("{ a[i] = 1; b[i] = 2; }")
        self.assertIn("{ a[i] = 1; }\nfor (int i = 0; i < n; ++i) {\nb[i] = 2; }", texts(loops.split, one)[0])
        for statement in ("{ int t = i; b[i] = t; }", "{ a[i] = 1; }", "a[i] = 1;", "{ a[i] = 1; __syncthreads(); b[i] = 2; }",
                          "{ a[i] = 1; if (i) break; }", "{ a[i] = 1; MACRO }", "{ Pack<4> p; f(p); }"):
            self.assertEqual(texts(loops.split, body(statement)), [], statement)


if __name__ == "__main__":
    unittest.main()
