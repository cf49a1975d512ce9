# SPDX-License-Identifier: MIT
"""Headers outside of the kernel's folder: read, and adopted where one is changed."""

import pathlib
import tempfile
import unittest

from asking import PROPOSERS  # noqa: F401  puts the modules on the path
from mutations.sources import Sources

KERNEL = '#include "../shared/row.cuh"\n#include "../shared/element.cuh"\n#include <cuda_fp16.h>\nint k;\n'


class SourcesTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.temporary.name)
        (root / "shared").mkdir()
        (root / "k").mkdir()
        for name, text in (("row.cuh", '#include "element.cuh"\n#include "deep.cuh"\nint row;\n'), ("element.cuh", "int element;\n"),
                           ("deep.cuh", "int deep;\n"), ("unused.cuh", "int unused;\n")):
            (root / "shared" / name).write_text(text, encoding="utf-8")
        self.folder = str(root / "k")
        self.sources = Sources({"k.cu": KERNEL}, self.folder)

    def tearDown(self):
        self.temporary.cleanup()

    def edited(self, name, old, new):
        text = dict(self.sources.all())[name]
        at = text.index(old)
        return self.sources.with_edits({name: [(at, at + len(old), new)]})

    def test_all_that_is_included_is_read(self):
        self.assertEqual([name for name, _ in self.sources.all()],
                         ["k.cu", "../shared/deep.cuh", "../shared/element.cuh", "../shared/row.cuh"])
        self.assertEqual([name for name, _ in Sources({"k.cu": KERNEL}).all()], ["k.cu"], "without a folder")
        self.assertEqual([name for name, _ in Sources({"k.cu": "// " + KERNEL}, self.folder).all()][1:], ["../shared/element.cuh"])

    def test_a_changed_header_is_adopted_with_what_it_needs(self):
        files = self.edited("../shared/row.cuh", "int row;", "int column;")
        self.assertEqual(sorted(files), ["deep.cuh", "k.cu", "row.cuh"])
        self.assertTrue(files["k.cu"].startswith('#include "row.cuh"\n#include "../shared/element.cuh"\n'))
        self.assertEqual(files["row.cuh"], '#include "../shared/element.cuh"\n#include "deep.cuh"\nint column;\n')

    def test_what_includes_a_changed_header_is_adopted_too(self):
        files = self.edited("../shared/element.cuh", "int element;", "int other;")
        self.assertEqual(sorted(files), ["deep.cuh", "element.cuh", "k.cu", "row.cuh"])
        self.assertIn('#include "element.cuh"', files["row.cuh"])

    def test_a_kernels_own_file_needs_nothing(self):
        self.assertEqual(self.edited("k.cu", "int k;", "int l;"), {"k.cu": KERNEL.replace("int k;", "int l;")})

    def test_what_cannot_be_is_no_answer(self):
        self.assertIsNone(self.sources.with_edits({"k.cu": [(0, 5, "a"), (3, 6, "b")]}), "edits that overlap")
        sources = Sources({"k.cu": KERNEL, "row.cuh": ""}, self.folder)
        self.assertIsNone(sources.with_edits({"../shared/row.cuh": [(0, 0, " ")]}), "the name is taken")

    def test_what_cannot_be_read_is_left_alone(self):
        (pathlib.Path(self.folder).parent / "shared" / "row.cuh").write_bytes(b"\xff\xfe")
        self.assertEqual([name for name, _ in Sources({"k.cu": KERNEL}, self.folder).all()], ["k.cu", "../shared/element.cuh"])


if __name__ == "__main__":
    unittest.main()
