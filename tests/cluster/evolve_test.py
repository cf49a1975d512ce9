# SPDX-License-Identifier: MIT
"""Proposals that are judged by processes of this machine: on virtual GPUs, where times are estimated, and on two GPUs
of a library in the driver's place, one of which comes to disagree.

  python3 evolve_test.py PROGRAM FAKE_DRIVER

ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import json
import pathlib
import sys

from divided import ROOT, Divided, main

FAKES = pathlib.Path(sys.argv[2]).resolve().parent
KERNELS = ROOT / "tests" / "evolve" / "kernels"
BARRIERS = "\tbar.sync \t0;\n\tbar.sync \t0;\n\tbar.sync \t0;\n"

ROW_SUM = """[kernel]
name    = "row_sum"
source  = "row_sum.ptx"
entry   = "row_sum_f32"
targets = ["sm_90"]

[problem]
reference = "row_reduction"
bytes     = "4*ROWS*(COLUMNS + 1)"

[[argument]]
name   = "x"
tensor = { dtype = "f32", shape = ["ROWS", "COLUMNS"], fill = "normal" }

[[argument]]
name   = "y"
tensor = { dtype = "f32", shape = ["ROWS"], output = true }

[[argument]]
name   = "COLUMNS"
scalar = { type = "i32", value = "COLUMNS" }

[launch]
grid  = ["ROWS"]
block = [128]

[shapes]
canonical = [{ ROWS = 2, COLUMNS = 512 }, { ROWS = 3, COLUMNS = 1024 }]

[tolerance]
atol = 1e-3
rtol = 1e-5
"""


def edit(text, *replacements):
    return {"edit": [list(each) for each in replacements], "hypothesis": {"text": text}}


def lineage(document):
    """All of the steps that must not depend on who judged them, or how fast."""
    return [(step["proposal"], step["parent"], step["id"], step["verdict"], step["gate"], step["text"], step["seed"],
             step["ratio"], step["cell"], step["hypothesis_held"], step["diff"]) for step in document["steps"]]


# One that brings nothing, one that is accepted, one that is faster than the first kernel and slower than the accepted
# one, one that was there before, and one that is wrong.
MORE = ["\tmov.u32 \t%r4, 0;\n", "\tbar.sync 0;\n\tmov.u32 \t%r4, 0;\n"]
ANSWERS = [edit("more", MORE), edit("no barrier", [BARRIERS, ""]), edit("one barrier", [BARRIERS, "\tbar.sync \t0;\n"]),
           edit("more once more", MORE), edit("no store", ["st.global.f32", "// st.global.f32"]), "no JSON"]


class Evolve(Divided):
    quiet = None  # the lineage of ANSWERS, four in flight, one worker that nobody disturbs

    def command(self, name, kernel, device, answers, *options):
        (self.folder / "answers.json").write_text(json.dumps(answers))
        (self.folder / "requests").mkdir(exist_ok=True)
        return ["evolve", kernel, "--device", device, "--proposer", "python3", "--seed", "7", "--proposals", len(answers),
                "--journal", self.folder / f"{name}.jsonl", "--ledger", self.folder / f"{name}.sqlite", "--json",
                *options, "--", "-B", ROOT / "tests" / "evolve" / "scripted.py", self.folder / "answers.json",
                self.folder / "requests"]

    def copying(self, name, *options):
        return self.command(name, KERNELS / "stepwise_copy", "vgpu:l4", ANSWERS, *options)

    def undisturbed(self):
        if Evolve.quiet is None:
            Evolve.quiet = self.run_command(self.copying("quiet", *self.executor(workers=1), "--in-flight", "4"))
            self.complete("quiet", Evolve.quiet)
            asked = json.loads((self.folder / "requests" / "4.json").read_text())
            self.assertEqual([each["hypothesis"] for each in asked["in_flight"]], ["more", "no barrier", "one barrier"])
            self.assertEqual(asked["tried"], [])
            self.work = self.folder / "other work"
        return Evolve.quiet

    def complete(self, name, document, killed=False):
        """Each proposal is in the journal and in the ledger once. A command that is killed between the two writes an
        attempt again, and the newer one of a proposal counts."""
        expected = list(range(1, len(ANSWERS) + 1))
        lines = [json.loads(line) for line in (self.folder / f"{name}.jsonl").read_text().splitlines()[1:]]
        self.assertEqual([line["judged"]["proposal"] for line in lines if "judged" in line], expected)
        self.assertEqual([line["asked"] for line in lines if "asked" in line], expected)
        self.assertEqual([step["proposal"] for step in document["steps"]], expected)
        stored = [json.loads(details)["proposal"]
                  for _, _, details in self.attempts(self.folder / f"{name}.sqlite", "evolve")]
        self.assertEqual(sorted(set(stored) if killed else stored), [0] + expected, "the first kernel is number 0")

    def test_one_at_a_time_is_as_without_workers(self):
        alone = self.run_command(self.copying("alone"))
        divided = self.run_command(self.copying("one", *self.executor(), "--in-flight", "1"))
        self.assertEqual(lineage(divided), lineage(alone))
        self.assertEqual((divided["best"], divided["speedup"]), (alone["best"], alone["speedup"]))
        self.assertEqual(divided["accepted"], 1)
        self.complete("one", divided)
        self.assertEqual(self.workers(), [], "workers end with the command")

    def test_what_is_in_flight_is_judged_again_beside_a_new_incumbent(self):
        document = self.undisturbed()
        steps = document["steps"]
        verdicts = [(step["verdict"], step["gate"]) for step in steps]
        self.assertEqual(verdicts[0][0], "lost", steps[0])
        self.assertEqual(verdicts[1], ("accepted", "race"), steps[1])
        self.assertEqual(verdicts[2], ("lost", "quick race"), steps[2])
        self.assertEqual(steps[2]["parent"], document["first"])
        self.assertGreater(steps[2]["verdicts"][0]["ratio"], 1, "beside the kernel that was accepted meanwhile")
        self.assertEqual(verdicts[3], ("refused", "seen"), steps[3])
        self.assertEqual(steps[3]["text"], "it compiles to the same code as proposal 1")
        self.assertEqual(verdicts[4][0], "refused", steps[4])
        self.assertIn(verdicts[4][1], ("sanitize", "check"))
        self.assertEqual(verdicts[5], ("refused", "answer"), steps[5])
        self.assertEqual(document["judged_again"], 1)

    def test_the_same_lineage_whoever_is_killed(self):
        expected = lineage(self.undisturbed())
        killed, kills = self.run_with_killed_workers(self.copying("killed", *self.executor(), "--in-flight", "4"), 3)
        self.assertEqual(lineage(killed), expected)
        self.complete("killed", killed)
        self.assertGreater(kills, 0)

    def test_a_killed_command_goes_on(self):
        expected = lineage(self.undisturbed())
        words = self.copying("resumed", "--resume", *self.executor(), "--in-flight", "4")
        for _ in range(2):
            self.kill_after(words, 0.3, 1.5)
        resumed = self.run_command(words)
        self.complete("resumed", resumed, killed=True)
        self.assertEqual(lineage(resumed), expected)

    def test_a_gpu_that_disagrees_with_the_best_is_shown(self):
        kernel = self.folder / "row_sum"
        kernel.mkdir()
        (kernel / "kernel.toml").write_text(ROW_SUM)
        text = (ROOT / "kernels" / "reduction" / "ptx" / "reduction.sm_90.ptx").read_text()
        body = text.index("\n", text.rindex(".reg"))
        extra = "\n\tmov.u32 \t%r1, 0;\n\t// SLOWER\n"
        (kernel / "row_sum.ptx").write_text(text[:body] + extra + text[body:])
        aged = self.folder / "aged"
        self.environment.update(ASSAY_CUDA_DRIVER=str(FAKES / "libfake_cuda.so"), FAKE_CUDA_WAITS="1",
                                ASSAY_NVML_LIBRARY=str(FAKES / "libfake_nvml.so"), FAKE_NVML_GPUS="2",
                                FAKE_NVML_COOL="1", FAKE_CUDA_AGED=str(aged))
        answers = [edit("nothing that nobody reads", [extra, "\n"]), {"write": {str(aged): ""}}]
        document = self.run_command(self.command("gpu", kernel, "cuda:0", answers, *self.executor(), "--in-flight", "1"))
        self.assertEqual(document["known"], "measured")
        self.assertEqual(document["accepted"], 1, document["steps"])
        self.assertAlmostEqual(document["speedup"], 1.1, delta=0.02)
        self.assertIn(document["steps"][0]["device"], ("GPU-1234", "GPU-5678"))
        devices = {each["device"]: each for each in document["devices"]}
        self.assertEqual(sorted(devices), ["GPU-1234", "GPU-5678"])
        self.assertEqual(devices["GPU-1234"]["verdict"], "accepted", devices["GPU-1234"])
        self.assertFalse(devices["GPU-1234"]["disagrees"])
        self.assertTrue(devices["GPU-5678"]["disagrees"], devices["GPU-5678"])
        self.assertEqual(devices["GPU-5678"]["verdict"], "lost")

    def test_a_request_that_is_damaged_is_an_error(self):
        request = self.folder / "request.json"
        request.write_text('{"assay": "0.0.1"}')
        other = self.run_command(["evolve", "--judge", request, "--json"], expected=6)
        self.assertIn("no request for a judging", other["error"]["message"])
        self.run_command(["evolve", KERNELS / "stepwise_copy", "--proposer", "mutate", "--in-flight", "2", "--json"],
                         expected=2)


if __name__ == "__main__":
    main(sys.argv)
