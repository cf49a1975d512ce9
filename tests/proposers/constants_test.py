# SPDX-License-Identifier: MIT
"""Constants whose names speak of speed, and switches; nothing else."""

import unittest

from asking import texts
from mutations import constants


class ConstantsTest(unittest.TestCase):
    def test_numbers_and_switches(self):
        found = texts(constants.numbers, "constexpr int kStages = 2;\n#define VECTOR 4\n")
        self.assertIn("constexpr int kStages = 3;\n#define VECTOR 4\n", found)
        self.assertIn("constexpr int kStages = 2;\n#define VECTOR 8\n", found)
        self.assertIn("static constexpr bool kAhead = false;", texts(constants.switches, "static constexpr bool kAhead = true;\n")[0])

    def test_not_what_is_tuned_or_means_something_else(self):
        for text in ("#define BLOCK 64\n", "constexpr int kRows = 2;\n", "// constexpr int kStages = 2;\n", "#define VECTOR 4 + 1\n",
                     "constexpr float kWidth = 2;\n", "constexpr int kStages = STAGES;\n", '"constexpr int kStages = 2;"\n'):
            self.assertEqual(texts(constants.numbers, text), [], text)
        self.assertEqual(texts(constants.switches, "bool fast = true;\n// constexpr bool kAhead = true;\n"), [])
        self.assertEqual(texts(constants.numbers, "constexpr int kStages = 2;\n", "../shared.cuh"), [], "numbers of the hardware")


if __name__ == "__main__":
    unittest.main()
