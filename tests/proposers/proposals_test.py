# SPDX-License-Identifier: MIT
"""What is proposed: the order, nothing twice, combinations of what was not slower, and no crash on any text."""

import pathlib
import random
import unittest

from asking import request
from mutations.proposals import KINDS, proposals

CUDA = """\
constexpr int kStages = 2;
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float s_tile[32][32];
  for (int i = threadIdx.x; i < n; i += 64) y[i] = x[i];
  __syncthreads();
}
"""
KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"


def kernel_request(name, **more):
    folder = KERNELS / name
    return request({f"{name}.cu": (folder / f"{name}.cu").read_text(encoding="utf-8")}, folder=str(folder),
                   specification=(folder / "kernel.toml").read_text(encoding="utf-8"), **more)


def tried(text, ratio=1.0, verdict="lost", parent="p"):
    return {"hypothesis": text, "parent": parent, "ratio": ratio, "verdict": verdict}


class OrderTest(unittest.TestCase):
    def test_kinds_take_turns_and_the_finding_decides_who_begins(self):
        found = list(proposals(request({"k.cu": CUDA}, [{"rule": "barriers", "cap_us": 5}, {"rule": "bank_conflicts", "cap_us": 9}])))
        kinds = [change.kind for change, _ in found]
        self.assertEqual(kinds[:3], ["padding", "constant", "barrier"])
        first_turn = kinds[:len(set(kinds))]
        self.assertEqual(len(set(first_turn)), len(first_turn), "each kind once, before any comes twice")

    def test_kinds_take_turns_also_from_proposal_to_proposal(self):
        at_once = [change.text for change, _ in proposals(request({"k.cu": CUDA}))]
        asked = []
        for _ in range(12):
            asked.append(tried(next(proposals(request({"k.cu": CUDA}, tried=asked)))[0].text, None, "refused"))
        self.assertEqual([each["hypothesis"] for each in asked], at_once[:12])

    def test_what_was_tried_on_another_parent_comes_after_what_is_new(self):
        first, second, *_ = [change.text for change, _ in proposals(request({"k.cu": CUDA}))]
        done = [tried(first, None, "refused", "q"), tried("../folder/" + second, 1.0, "lost", "q")]
        texts = [change.text for change, _ in proposals(request({"k.cu": CUDA}, tried=done))]
        self.assertEqual(texts[-2:], [second, first], "what was refused comes last")

    def test_what_no_estimate_sees_comes_last_where_nothing_is_measured(self):
        kinds = [change.kind for change, _ in proposals(request({"k.cu": CUDA}, device="vgpu:h200"))]
        self.assertEqual(set(kinds[-kinds.count("cache"):]), {"cache"})
        measured = [change.kind for change, _ in proposals(request({"k.cu": CUDA}))]
        self.assertLess(measured.index("cache"), len(set(measured)))

    def test_nothing_twice(self):
        asked, answers = [], set()
        for _ in range(400):
            found = next(proposals(request({"k.cu": CUDA}, tried=asked)), None)
            if found is None:
                break
            change, files = found
            key = repr(sorted(files.items())) + repr(change.tunables)
            self.assertNotIn(key, answers)
            answers.add(key)
            asked.append(tried(change.text, None, "refused"))
        self.assertIsNone(found)
        self.assertGreater(len(asked), 20)


class CombinationTest(unittest.TestCase):
    def pairs(self, ratios, device="cuda:0"):
        done = [tried(text, ratio) for text, ratio in ratios.items()]
        found = proposals(request({"k.cu": CUDA}, tried=done, device=device))
        return [change.text for change, _ in found if change.kind == "combination"]

    def test_what_was_not_slower_alone_is_tried_together(self):
        texts = [change.text for change, _ in proposals(request({"k.cu": CUDA}))]
        restrict = next(text for text in texts if "restrict" in text)
        padding = next(text for text in texts if text.startswith("rows of"))
        stages = next(text for text in texts if "kStages" in text)
        self.assertEqual(self.pairs({restrict: 0.99, padding: 1.0}), [f"together: {restrict}; {padding}"])
        self.assertEqual(self.pairs({restrict: 0.99, padding: 1.1}), [], "one was slower")
        self.assertEqual(self.pairs({restrict: 0.99, padding: None}), [], "one was not raced")
        self.assertEqual(len(self.pairs({restrict: 1.0, padding: 1.0})), 1, "noise may hide a gain")
        self.assertEqual(self.pairs({restrict: 1.0, padding: 1.0}, "vgpu:l4"), [], "no estimate hides one")
        three = self.pairs({restrict: 0.99, padding: 1.0, stages: 0.98})
        self.assertEqual(three[0], f"together: {stages}; {restrict}", "the best first")
        self.assertEqual(len(three), 3)

    def test_both_changes_are_in_the_files(self):
        texts = [change.text for change, _ in proposals(request({"k.cu": CUDA}))]
        chosen = [next(text for text in texts if "restrict" in text), next(text for text in texts if text.startswith("rows of"))]
        files = next(files for change, files in proposals(request({"k.cu": CUDA}, tried=[tried(text) for text in chosen]))
                     if change.kind == "combination")
        self.assertIn("float* __restrict__ y", files["k.cu"])
        self.assertIn("s_tile[32][32 + 1]", files["k.cu"])

    def test_edits_of_the_same_place_are_no_combination(self):
        texts = [change.text for change, _ in proposals(request({"k.cu": CUDA})) if change.text.startswith("rows of")]
        self.assertEqual(self.pairs({text: 1.0 for text in texts}), [])

    def test_one_loop_has_one_number_of_rounds(self):
        texts = [change.text for change, _ in proposals(request({"k.cu": CUDA})) if "unroll" in change.text]
        self.assertGreater(len(texts), 2)
        self.assertEqual(self.pairs({text: 1.0 for text in texts}), [])


class KernelsTest(unittest.TestCase):
    def test_fifty_and_more_for_the_kernels_of_this_repository(self):
        for name in ("softmax", "layernorm", "gemm"):
            found = list(proposals(kernel_request(name)))
            self.assertGreater(len(found), 50, name)
            self.assertGreater(len({change.kind for change, _ in found}), 6, name)
            for change, files in found:
                self.assertIn(change.kind, KINDS)
                self.assertFalse(any(path.startswith("..") for path in files), change.text)
                for text in files.values():
                    self.assertEqual([text.count(sign) for sign in "{(["], [text.count(sign) for sign in "})]"], change.text)

    def test_no_text_makes_it_fail(self):
        random.seed(5)
        pieces = ["for (", "{", "}", "(", ")", "[", "]", ";", "//", "/*", "*/", '"', "'", "\\\n", "#define A ", "#include \"../x\"", "\n",
                  "__global__ void k(", "__launch_bounds__(", "y[i] = x[i]", "float* y", "R\"(", "i += 2", "__syncthreads();", "if (a)",
                  "asm volatile(\"ld.global.b32\"", "*reinterpret_cast<int*>(", "else", "do", "/ d", "%", "\0", "é", "int i = 0"]
        source = (KERNELS / "gemm" / "gemm.cu").read_text(encoding="utf-8")
        texts = ["".join(random.choices(pieces, k=random.randrange(60))) for _ in range(200)]
        texts += [source[a:a + random.randrange(4000)] for a in random.choices(range(len(source)), k=20)]
        texts += ["for (;;) " * 3000, "{" * 5000, "(" * 5000, "for (int i = 0; i < n; ++i) { " * 300]
        for text in texts:
            for name in ("k.cu", "k.ptx"):
                list(proposals(request({name: text})))


if __name__ == "__main__":
    unittest.main()
