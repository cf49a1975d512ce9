# SPDX-License-Identifier: MIT
"""mutate as a program: one answer to one request; and its changes of PTX."""

import json
import subprocess
import sys
import unittest

from asking import PROPOSERS, request, texts
from mutations import ptx
from mutations.proposals import proposals

PTX = """\
.visible .entry k(.param .u64 p)
{
\tld.global.f32 \t%f1, [%rd1];
\tld.global.f32 \t%f2, [%rd1+4];
\tld.global.f32 \t%f3, [%rd1+8];
\tld.global.f32 \t%f4, [%rd1+12];
\tbar.sync \t0;
\tst.global.f32 \t[%rd2+8], %f1;
\tst.global.f32 \t[%rd2+12], %f2;
\tret;
}
"""


class PtxTest(unittest.TestCase):
    def test_neighbouring_words_are_taken_at_once(self):
        found = texts(ptx.vectorise, PTX, "k.ptx")
        self.assertIn("\tld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1];", found[0])
        self.assertTrue(any("\tst.global.v2.f32 \t[%rd2+8], {%f1, %f2};" in text for text in found))

    def test_what_does_not_lie_together_stays(self):
        for old, new in (("[%rd1+4]", "[%rd3+4]"), ("[%rd1+8]", "[%rd1+16]"), ("ld.global.f32 \t%f2", "ld.shared.f32 \t%f2"),
                         ("%f1, [%rd1];", "%f1, [%rd1+4];"), ("\tld.global.f32 \t%f2", "\t@%p1 ld.global.f32 \t%f2"),
                         ("\tld.global.f32 \t%f2", "\t// ld.global.f32 \t%f2")):
            self.assertFalse(any(".v4." in text for text in texts(ptx.vectorise, PTX.replace(old, new), "k.ptx")), new)

    def test_barriers_hints_and_directives(self):
        self.assertNotIn("bar.sync", texts(ptx.drop_barriers, PTX, "k.ptx")[0])
        self.assertIn("ld.global.nc.f32", texts(ptx.hint, PTX, "k.ptx")[0])
        self.assertIn(".param .u64 p)\n.maxnreg 32", texts(ptx.direct, PTX, "k.ptx")[0])
        self.assertEqual(texts(ptx.drop_barriers, PTX.replace("bar.sync \t0", "bar.sync \t1, 64"), "k.ptx"), [])
        self.assertEqual(texts(ptx.direct, PTX.replace(".entry", ".func"), "k.ptx"), [])

    def test_barriers_in_a_row_are_one_place(self):
        found = texts(ptx.drop_barriers, PTX.replace("\tbar.sync \t0;\n", "\tbar.sync \t0;\n" * 3), "k.ptx")
        self.assertEqual([text.count("bar.sync") for text in found], [1, 0])


class AnswerTest(unittest.TestCase):
    def run_it(self, text, *arguments):
        return subprocess.run([sys.executable, "-B", str(PROPOSERS / "mutate"), *arguments], input=text, capture_output=True,
                              text=True, check=False)

    def answer(self, *arguments, **more):
        done = self.run_it(json.dumps(request({"k.ptx": PTX}, **more)), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_largest_finding_decides_what_comes_first(self):
        findings = [{"rule": "dram_bound", "cap_us": 1}, {"rule": "barriers", "cap_us": 5}]
        self.assertIn("no barrier", json.loads(self.answer(findings=findings))["hypothesis"]["text"])
        answer = json.loads(self.answer())
        self.assertIn("4 words at once", answer["hypothesis"]["text"])
        self.assertEqual((answer["hypothesis"]["counter"], answer["hypothesis"]["direction"]), ("l1_wavefronts", "down"))

    def test_a_pass_when_nothing_is_left_but_all_is_new_on_another_parent(self):
        done = [{"hypothesis": change.text, "parent": "p", "verdict": "refused"}
                for change, _ in proposals(request({"k.ptx": PTX}))]
        self.assertGreater(len(done), 5)
        self.assertEqual(json.loads(self.answer(tried=done)), {})
        self.assertNotEqual(json.loads(self.answer(tried=[{**each, "parent": "q"} for each in done])), {})

    def test_kinds_can_be_chosen(self):
        self.assertIn("no barrier", self.answer("--only", "barrier"))
        self.assertIn("vector: 4 words", self.answer("--list"))
        self.assertEqual(self.run_it("{}", "--only", "magic").returncode, 2)


if __name__ == "__main__":
    unittest.main()
