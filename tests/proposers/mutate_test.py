# SPDX-License-Identifier: MIT
"""What mutate proposes: each kind of change, the order of the findings, and nothing twice."""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "proposers" / "mutate"
loader = importlib.machinery.SourceFileLoader("mutate", str(SCRIPT))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
sys.dont_write_bytecode = True
loader.exec_module(mutate)

CUDA = """\
constexpr int kStages = 2;
#define VECTOR 4
#define BLOCK 64
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float s_tile[32][32];
  for (int i = threadIdx.x; i < n; i += BLOCK) y[i] = x[i];
  __syncthreads();
}
"""
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


def request(files, findings=(), tried=(), specification='[launch]\nblock = [256]\n\n[tunable]\nBLOCK = [64, 128]\n'):
    return {"proposal": len(tried) + 1, "specification": specification, "findings": list(findings),
            "counters": {"lines": []}, "tried": list(tried), "parent": {"id": "p", "files": files}}


def proposed(files, kind, **more):
    return [change for change in mutate.changes(request(files, **more)) if change.kind == kind]


class CudaTest(unittest.TestCase):
    def only(self, kind):
        changes = proposed({"k.cu": CUDA}, kind)
        self.assertTrue(changes, kind)
        return [change.files["k.cu"] for change in changes]

    def test_a_loop_is_unrolled_by_a_tuned_factor(self):
        change = proposed({"k.cu": CUDA}, "unroll")[0]
        self.assertEqual(change.tunables, [{"name": "UNROLL_LOOP_1", "values": [4, 1, 2, 8]}])
        self.assertTrue(change.files["k.cu"].startswith("constexpr int kUnrollLoop1 = UNROLL_LOOP_1;\n"))
        self.assertIn("  #pragma unroll kUnrollLoop1\n  for (", change.files["k.cu"])
        again = proposed({"k.cu": change.files["k.cu"]}, "unroll")[0]
        self.assertEqual(again.files["k.cu"].count("#pragma unroll"), 1, "a pragma that is there is replaced")
        self.assertEqual(again.tunables[0]["name"], "UNROLL_LOOP_2")

    def test_rows_of_shared_memory_are_padded(self):
        self.assertIn("s_tile[32][32 + 1]", self.only("padding")[0])
        padded = CUDA.replace("[32][32]", "[32][32 + 1]")
        texts = [change.files["k.cu"] for change in proposed({"k.cu": padded}, "padding")]
        self.assertTrue(any("[32][32]" in text for text in texts))
        self.assertFalse(any("[32][32 + 1]" in text for text in texts))

    def test_constants_by_their_names_but_no_tunables(self):
        texts = self.only("constant")
        self.assertTrue(any("kStages = 3;" in text for text in texts))
        self.assertTrue(any("#define VECTOR 8" in text for text in texts))
        self.assertTrue(all("#define BLOCK 64" in text for text in texts), "the tuner sets BLOCK")

    def test_bounds_registers_and_pointers(self):
        self.assertIn("__global__ __launch_bounds__(256, 2) void k(", self.only("launch_bounds")[0])
        self.assertIn("__global__ __maxnreg__(64) void k(", self.only("registers")[0])
        self.assertIn("const float* __restrict__ x, float* __restrict__ y, int n)", self.only("restrict")[0])
        bounded = CUDA.replace("__global__ void", "__global__ void __launch_bounds__(4 * (BLOCK), 1)")
        texts = [change.files["k.cu"] for change in proposed({"k.cu": bounded}, "launch_bounds")]
        self.assertIn("void __launch_bounds__(4 * (BLOCK), 2) k(", texts[0])

    def test_cache_hints_and_barriers(self):
        self.assertIn("y[i] = __ldg(&x[i]);", self.only("cache")[0])
        self.assertNotIn("__syncthreads", self.only("barrier")[0])


class PtxTest(unittest.TestCase):
    def test_neighbouring_words_are_taken_at_once(self):
        texts = [change.files["k.ptx"] for change in proposed({"k.ptx": PTX}, "vector")]
        self.assertIn("\tld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1];", texts[0])
        self.assertTrue(any("\tst.global.v2.f32 \t[%rd2+8], {%f1, %f2};" in text for text in texts))

    def test_what_does_not_lie_together_stays(self):
        for old, new in (("[%rd1+4]", "[%rd3+4]"), ("[%rd1+8]", "[%rd1+16]"), ("ld.global.f32 \t%f2", "ld.shared.f32 \t%f2"),
                         ("%f1, [%rd1];", "%f1, [%rd1+4];"), ("\tld.global.f32 \t%f2", "\t@%p1 ld.global.f32 \t%f2")):
            texts = [change.files["k.ptx"] for change in proposed({"k.ptx": PTX.replace(old, new)}, "vector")]
            self.assertFalse(any(".v4." in text for text in texts), new)

    def test_barriers_hints_and_directives(self):
        self.assertNotIn("bar.sync", proposed({"k.ptx": PTX}, "barrier")[0].files["k.ptx"])
        self.assertIn("ld.global.nc.f32", proposed({"k.ptx": PTX}, "cache")[0].files["k.ptx"])
        self.assertIn(".param .u64 p)\n.maxnreg 32", proposed({"k.ptx": PTX}, "registers")[0].files["k.ptx"])


class AnswerTest(unittest.TestCase):
    def answer(self, *arguments, **more):
        done = subprocess.run([sys.executable, "-B", str(SCRIPT), *arguments], input=json.dumps(request({"k.ptx": PTX}, **more)),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_largest_finding_decides_what_comes_first(self):
        findings = [{"rule": "dram_bound", "cap_us": 1}, {"rule": "barriers", "cap_us": 5}]
        self.assertIn("no barrier", json.loads(self.answer(findings=findings))["hypothesis"]["text"])
        self.assertIn("4 words at once", json.loads(self.answer())["hypothesis"]["text"])

    def test_nothing_twice_and_then_a_pass(self):
        tried = []
        for _ in range(50):
            answer = json.loads(self.answer(tried=tried))
            if not answer:
                break
            text = answer["hypothesis"]["text"]
            self.assertNotIn(text, [each["hypothesis"] for each in tried])
            tried.append({"hypothesis": text, "parent": "p"})
        self.assertEqual(answer, {})
        self.assertGreater(len(tried), 5)
        self.assertNotEqual(json.loads(self.answer(tried=[{**each, "parent": "q"} for each in tried])), {},
                            "on another parent all is new")

    def test_kinds_can_be_chosen(self):
        self.assertIn("no barrier", self.answer("--only", "barrier"))
        self.assertIn("vector: 4 words", self.answer("--list"))
        done = subprocess.run([sys.executable, "-B", str(SCRIPT), "--only", "magic"], input="{}", capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
