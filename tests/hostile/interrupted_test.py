# SPDX-License-Identifier: MIT
"""Long work that is killed at random moments, again and again, comes to the same end as work that nobody disturbs.

  python3 interrupted_test.py PROGRAM [FAKE_DRIVER]

ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = None
DRIVER = None
SEED = int(os.environ.get("ASSAY_TEST_SEED", "7"))
MOST_KILLS = 200


class Interrupted(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="interrupted-")
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder),
                            "ASSAY_CACHE": str(self.folder / "cache"), "ASSAY_NVCC": str(HERE / "nvcc.sh"),
                            "ASSAY_CUDA_DRIVER": "none"}
        self.random = random.Random(SEED)
        print(f"{self.id()}: seed {SEED}", file=sys.stderr)

    def make_rows(self, tunable="", shapes="ROWS = [1, 2, 7], COLUMNS = [1, 100, 1000, 3000, 5000, 7000]"):
        shutil.copytree(HERE / "rows", self.folder / "rows")
        specification = self.folder / "rows" / "kernel.toml"
        text = specification.read_text()
        specification.write_text(text.replace("[shapes]\n", f"{tunable}[shapes]\ngrid = {{ {shapes} }}\n"))
        return self.folder / "rows"

    def make_reduction(self):
        """A kernel that the fake driver runs, with more shapes than a moment can hold."""
        for name in ("reduction", "primitives"):
            shutil.copytree(ROOT / "kernels" / name, self.folder / name)
        specification = self.folder / "reduction" / "kernel.toml"
        lines = specification.read_text().split("\n")
        grid = next(i for i, line in enumerate(lines) if line.startswith("grid = {"))
        lines[grid] = "grid = { ROWS = [1, 2, 3], COLUMNS = [8, 16] }"
        specification.write_text("\n".join(lines))
        self.environment.update({"ASSAY_NVCC": "none", "ASSAY_CUDA_DRIVER": str(DRIVER), "ASSAY_NVML_LIBRARY": "none",
                                 "ASSAY_CUPTI_LIBRARY": "none", "FAKE_CUDA_WAITS": "1"})
        return self.folder / "reduction"

    def start(self, words, ledger):
        return subprocess.Popen([PROGRAM, *words, "--ledger", self.folder / ledger], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def undisturbed(self, words):
        """Output, and the seconds that it took."""
        began = time.monotonic()
        process = self.start(words, "undisturbed.sqlite")
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors + output)
        return output, time.monotonic() - began

    def endure(self, words, whole, least=0.2, most=0.6):
        """The output of the run that came to its end, after others that did not."""
        resumed = killed = 0
        for _ in range(MOST_KILLS):
            process = self.start(words, "killed.sqlite")
            try:
                output, errors = process.communicate(timeout=self.random.uniform(least, most) * whole)
            except subprocess.TimeoutExpired:
                process.send_signal(self.random.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
                killed += 1
                resumed += "before the interruption" in process.communicate()[1]
                continue
            self.assertEqual(process.returncode, 0, errors + output)
            resumed += "before the interruption" in errors
            break
        else:
            self.fail(f"it never came to its end (seed {SEED}): it does not go on where it was")
        self.assertGreater(killed, 0, f"nothing was killed (seed {SEED})")
        if "--json" not in words:  # there it says so; here only the time that it had does
            self.assertGreater(resumed, 0, f"nothing was resumed (seed {SEED})")
        return output

    def begins_anew(self, words):
        process = self.start(words, "killed.sqlite")
        errors = process.communicate()[1]
        self.assertNotIn("before the interruption", errors, "work that is done begins anew")

    def pieces(self, ledger):
        """How many are remembered."""
        if not (self.folder / ledger).exists():
            return 0
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / ledger}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM work_items").fetchone()[0]

    def attempts(self, ledger):
        done = subprocess.run([PROGRAM, "log", "export", "--ledger", self.folder / ledger], capture_output=True,
                              text=True, check=True, env=self.environment)
        return json.loads(done.stdout)["attempts"]

    def repeated(self, shapes, all_of_them):
        """How many were measured again. A run that was killed after its last shape was complete: the next begins anew."""
        count, seen = 0, set()
        for shape in shapes:
            count += shape in seen
            seen = seen | {shape} if len(seen) < all_of_them else {shape}
        return count

    def test_check_goes_on_where_it_was(self):
        words = ["check", self.make_rows("[tunable]\nA = [1, 2, 3]\n\n"), "--config", "all", "--device", "vgpu:a100"]
        output, whole = self.undisturbed(words)
        last = self.endure(words, whole)
        self.assertEqual(last, output)

        def verdicts(ledger):
            return sorted({(each["configuration"], each["verdict"], each["details"]["planned"], each["details"]["ran"])
                           for each in self.attempts(ledger) if "planned" in each["details"]})  # others were interrupted
        self.assertEqual(verdicts("killed.sqlite"), verdicts("undisturbed.sqlite"))
        self.begins_anew(words)

    def test_a_reference_that_changed_begins_anew(self):
        """Also if it is a file that the reference includes: what was checked against the old one is not known of it."""
        folder = self.make_rows()
        specification = folder / "kernel.toml"
        specification.write_text(specification.read_text().replace('"row_reduction"', '"reference.cpp"'))
        (folder / "reference.cpp").write_text("""#include <assay/reference.h>
#include <unistd.h>
#include "factor.h"
int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  usleep(100000);
  for (int64_t i = 0; i < y->count; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < x->shape[1]; ++j) sum += x->data[i * x->shape[1] + j];
    y->data[i] = FACTOR * sum;
  }
  return 0;
}
""")
        (folder / "factor.h").write_text("#define FACTOR 1.0\n")
        words = ["check", folder, "--device", "vgpu:a100"]

        def interrupted():
            process = self.start(words, "killed.sqlite")
            while process.poll() is None and self.pieces("killed.sqlite") < 5:
                time.sleep(0.05)
            self.assertIsNone(process.poll(), "it came to its end before it could be killed")
            process.kill()
            process.communicate()
        interrupted()
        process = self.start(words, "killed.sqlite")
        self.assertIn("before the interruption", process.communicate()[1])
        self.assertEqual(process.returncode, 0)
        interrupted()
        (folder / "factor.h").write_text("#define FACTOR 2.0\n")
        process = self.start(words, "killed.sqlite")
        output, errors = process.communicate()
        self.assertNotIn("before the interruption", errors)
        self.assertEqual(process.returncode, 5, output + errors)

    def test_run_goes_on_where_it_was(self):
        words = ["run", self.make_rows(shapes="ROWS = [1, 2, 7], COLUMNS = [1, 3000, 30000, 70000]"), "--device",
                 "vgpu:a100", "--json"]
        output, whole = self.undisturbed(words)
        last = self.endure(words, whole, 0.3, 0.9)

        def answer(text):
            document = json.loads(text)
            return (document["verdict"], document["sanitize"]["verdict"],
                    [(each["shape"], each["distribution"], each["seed"], each["outcome"], each["max_absolute_error"])
                     for each in document["check"]["cases"]])
        self.assertEqual(answer(last), answer(output))
        self.begins_anew(words)

    @unittest.skipUnless(len(sys.argv) > 2, "needs the fake driver")
    def test_bench_goes_on_where_it_was(self):
        words = ["bench", self.make_reduction(), "--shapes", "grid", "--most-samples", "100", "--json"]
        output, whole = self.undisturbed(words)
        last = self.endure(words, whole)

        def answer(text):
            return [(case["shape"], case["seed"],
                     [(each["name"], each["good"], each["measured"]["samples"], round(each["measured"]["p50_us"], 6))
                      for each in case["contenders"]]) for case in json.loads(text)["cases"]]
        self.assertEqual(answer(last), answer(output))
        self.assertEqual(len(answer(output)), 6)
        shapes = [each["shape"] for each in self.attempts("killed.sqlite") if each["verdict"] == "measured"]
        self.assertEqual(len(set(shapes)), 6)
        self.assertLessEqual(self.repeated(shapes, 6), 1, "a shape that was recorded is not measured again")
        known = {case["attempt"] for case in json.loads(last)["cases"]}
        self.assertEqual(len(known), 6, "each case names its attempt")
        self.begins_anew(words)

    @unittest.skipUnless(len(sys.argv) > 2, "needs the fake driver")
    def test_calibrate_goes_on_where_it_was(self):
        words = ["calibrate", self.make_reduction(), "--shape", "ROWS=2,COLUMNS=16", "--most-samples", "100", "--pairs",
                 "6", "--trials", "3", "--slowdowns", "0.2", "--json"]
        output, whole = self.undisturbed(words)
        last = self.endure(words, whole, 0.4, 0.8)

        def answer(text):
            document = json.loads(text)
            return (document["complete"], [(each["compare"], each["gate"]) for each in document["same"]],
                    [[(each["compare"], each["gate"]) for each in trials] for trials in document["slower"]])
        self.assertEqual(answer(last), answer(output))
        self.begins_anew(words)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv[1]).resolve()
    DRIVER = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    unittest.main(argv=sys.argv[:1])
