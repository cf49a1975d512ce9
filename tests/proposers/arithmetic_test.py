# SPDX-License-Identifier: MIT
"""Cheaper arithmetic: where it applies, and where it must not."""

import unittest

from asking import texts
from mutations import arithmetic


def function(statements, parameters="float a, float b, float d, int n, float* y"):
    return f"__device__ void f({parameters}) {{\n{statements}\n}}\n"


class ReciprocalTest(unittest.TestCase):
    def test_a_divisor_that_no_round_changes(self):
        text = texts(arithmetic.reciprocals, function("  for (int i = 0; i < n; ++i) y[i] = y[i] / d + a / d;"))[0]
        self.assertIn("{ const float reciprocal_of_d = 1.0f / d;\n  for (int i", text)
        self.assertIn("y[i] = y[i] * reciprocal_of_d + a * reciprocal_of_d; }", text)

    def test_not_integers_nor_what_changes_nor_comments(self):
        for statement in ("y[i] = i / n;", "{ d += 1; y[i] = a / d; }", "y[i] = a; // a / d", "y[i] = a / y[i];", "y[i] /= d;",
                          "y[i] = a / d.x;", "y[i] = a / d(1);"):
            self.assertEqual(texts(arithmetic.reciprocals, function(f"  for (int i = 0; i < n; ++i) {statement}\n")), [], statement)
        self.assertEqual(texts(arithmetic.reciprocals, function("  y[0] = a / d;")), [], "no loop")


class DivisionTest(unittest.TestCase):
    def test_two_floats(self):
        self.assertIn("y[0] = __fdividef(a, b);", texts(arithmetic.quick_divisions, function("  y[0] = a / b;"))[0])

    def test_not_integers_nor_parts_of_a_product(self):
        for statement in ("n / 2;", "n / n;", "c = d * a / b;", "c = n / a;", "// a / b", '"a / b";', "a / 2;"):
            self.assertEqual(texts(arithmetic.quick_divisions, function(f"  {statement}\n")), [], statement)


class FunctionTest(unittest.TestCase):
    def test_cheaper_forms(self):
        found = texts(arithmetic.quick_functions, function("  y[0] = expf(a * (b + 1)) + 1.0f / sqrtf(d);"))
        self.assertIn("__expf(a * (b + 1))", found[0])
        self.assertTrue(any("exp2f((a * (b + 1)) * 1.4426950408889634f)" in text for text in found))
        self.assertTrue(any("rsqrtf(d)" in text for text in found))

    def test_other_names_stay(self):
        for statement in ("// expf(a)", '"expf(a)";', "my_expf(a);", "p.expf(a);", "p->expf(a);", "#define E expf(1.0f)", "a / sqrtf(d);"):
            self.assertEqual(texts(arithmetic.quick_functions, function(statement)), [], statement)


class MultiplyAddTest(unittest.TestCase):
    def test_a_difference_times_something(self):
        self.assertIn("y[0] = fmaf(a, d, -b * d);", texts(arithmetic.multiply_add, function("  y[0] = (a - b) * d;"))[0])

    def test_not_integers_nor_calls(self):
        for statement in ("(n - n) * d;", "f(a - b) * d;", "c * (a - b) * d;", "(a - b) * d[1];", "(a - b) * d(1);", "// (a - b) * d",
                          "#define X (a - b) * d"):
            self.assertEqual(texts(arithmetic.multiply_add, function(f"  {statement}\n")), [], statement)


if __name__ == "__main__":
    unittest.main()
