# SPDX-License-Identifier: MIT
"""A tuning that is divided among processes of this machine, with workers that are killed and a command that is killed.

  python3 local_test.py PROGRAM FAKE_DRIVER

ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import json
import pathlib
import subprocess
import sys
import time

from divided import Divided, main
from spaces import make_kernel

FAKES = pathlib.Path(sys.argv[2]).resolve().parent

# Right with any number of threads: the first one of a block does all the work. AGAIN changes nothing: with every number
# of threads five times there is more to do than the first worker can have done when the second one begins.
CONFIGURATIONS = 60
ROW_SUM = """[kernel]
name    = "row_sum"
source  = "row_sum.ptx"
entry   = "row_sum_f32"
targets = ["sm_90"]

[problem]
reference = "row_reduction"

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
block = ["BLOCK"]

[tunable]
BLOCK = [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384]
AGAIN = [1, 2, 3, 4, 5]

[defaults]
BLOCK = 128
AGAIN = 1

[shapes]
canonical = [{ ROWS = 2, COLUMNS = 16 }]

[tolerance]
atol = 1e-3
rtol = 1e-5
"""
ROW_SUM_PTX = """.version 7.8
.target sm_90
.address_size 64
.visible .entry row_sum_f32(.param .u64 px, .param .u64 py, .param .u32 pcolumns)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<3>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 ret;
  ld.param.u64 %rd1, [px];
  ld.param.u64 %rd2, [py];
  ld.param.u32 %r2, [pcolumns];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r3, %ctaid.x;
  mul.lo.u32 %r4, %r3, %r2;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd3, %rd1, %rd3;
  mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd4, %rd2, %rd4;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r5, 0;
NEXT:
  ld.global.f32 %f2, [%rd3];
  add.f32 %f1, %f1, %f2;
  add.u64 %rd3, %rd3, 4;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, %r2;
  @%p2 bra NEXT;
  st.global.f32 [%rd4], %f1;
  ret;
}
"""


class Local(Divided):
    def prepare(self, count):
        kernel, environment = make_kernel(self.folder, count)
        self.environment.update(environment)
        self.command = ["tune", kernel, "--device", "vgpu:a100", "--strategy", "exhaustive", *self.executor(), "--journal",
                        self.folder / "journal.jsonl", "--json"]

    def complete(self, document, count):
        ids = [each["configuration"] for each in document["evaluated"]]
        self.assertEqual(len(ids), count)
        self.assertEqual(len(set(ids)), count, "nothing is counted twice")
        self.assertTrue(all(each["failure"] == "" for each in document["evaluated"]))

    def test_all_are_evaluated_and_the_answer_is_that_of_one_process(self):
        self.prepare(24)
        document = self.run_command(self.command)
        self.complete(document, 24)
        self.assertEqual(sum(each["evaluations"] for each in document["devices"]), 24)
        start = self.command.index("--executor")
        expected = self.run_command(self.command[:start] + self.command[self.command.index("--journal"):])
        values = lambda found: {each["configuration"]: each["value"] for each in found["evaluated"]}
        self.assertEqual(values(document), values(expected))
        self.assertEqual(document["answer"], expected["answer"])
        self.assertEqual(self.workers(), [], "workers end with the command")

    def test_workers_that_are_killed_lose_nothing(self):
        self.prepare(40)
        document, killed = self.run_with_killed_workers(self.command, 6)
        self.complete(document, 40)
        self.assertGreater(killed, 0)

    def test_a_killed_command_goes_on(self):
        self.prepare(60)
        words = self.command + ["--resume"]
        for _ in range(3):
            self.kill_after(words, 1.0, 2.5)
        self.complete(self.run_command(words), 60)
        lines = (self.folder / "journal.jsonl").read_text().splitlines()[1:]
        self.assertEqual(len(lines), 60)
        self.assertEqual(len({json.loads(line)["configuration"] for line in lines}), 60)

    def on_two_gpus(self, slow):
        """Two GPUs that a library in the driver's place stands for; FAKE_CUDA_SLOW says how they differ."""
        self.environment.update(ASSAY_CUDA_DRIVER=str(FAKES / "libfake_cuda.so"), FAKE_CUDA_WAITS="1",
                                ASSAY_NVML_LIBRARY=str(FAKES / "libfake_nvml.so"), FAKE_NVML_GPUS="2",
                                FAKE_NVML_COOL="1", FAKE_CUDA_SLOW=slow)
        kernel = self.folder / "row_sum"
        kernel.mkdir()
        (kernel / "kernel.toml").write_text(ROW_SUM)
        (kernel / "row_sum.ptx").write_text(ROW_SUM_PTX)
        return ["tune", kernel, "--device", "cuda:0", "--strategy", "exhaustive", "--no-counters", *self.executor(),
                "--journal", self.folder / "journal.jsonl", "--ledger", "none", "--json"]

    def test_times_of_different_gpus_are_never_compared(self):
        document = self.run_command(self.on_two_gpus("GPU-5678=1.7 GPU-1234/256=0.8 GPU-5678/256=0.8"))
        self.complete(document, CONFIGURATIONS)
        devices = {each["device"]: each for each in document["devices"]}
        self.assertEqual(sorted(devices), ["GPU-1234", "GPU-5678"])
        self.assertTrue(all(each["evaluations"] > 0 for each in devices.values()), devices)
        self.assertAlmostEqual(devices["GPU-5678"]["beside"][0] / devices["GPU-1234"]["beside"][0], 1.7, delta=0.05)
        values = {each["configuration"]: each["value"] for each in document["evaluated"]}
        best = min(values.values())
        for configuration, value in values.items():
            self.assertAlmostEqual(value / best, 1 if "BLOCK=256" in configuration else 1.25, delta=0.04)
        self.assertIn("BLOCK=256", document["answer"])
        self.assertFalse(any(each["disagrees"] for each in devices.values()), devices)

    def test_a_gpu_that_disagrees_is_shown(self):
        words = self.on_two_gpus("GPU-1234/256=0.97 GPU-5678/64=0.97")
        for _ in range(5):  # who is free takes what is next: one in twenty times a GPU never sees the block that it is fast with
            document = self.run_command(words)
            ties = {each["device"]: each["tie_group"] for each in document["devices"]}
            if any("BLOCK=256" in each for each in ties["GPU-1234"]) and any("BLOCK=64" in each for each in ties["GPU-5678"]):
                break
        self.assertTrue(ties["GPU-1234"] and all("BLOCK=256" in each for each in ties["GPU-1234"]), ties)
        self.assertTrue(ties["GPU-5678"] and all("BLOCK=64" in each for each in ties["GPU-5678"]), ties)
        answers = {each["device"] for each in document["devices"] if document["answer"] in each["tie_group"]}
        self.assertEqual({each["device"] for each in document["devices"] if each["disagrees"]},
                         {"GPU-1234", "GPU-5678"} - answers)
        self.assertEqual(len(answers), 1)

    def test_a_gpu_that_is_lost_leaves_its_work_to_the_other(self):
        words = self.on_two_gpus("GPU-1234/256=0.8 GPU-5678/256=0.8")
        lost = self.folder / "lost"
        self.environment.update(FAKE_CUDA_LOST=str(lost))
        journal = self.folder / "journal.jsonl"
        process = subprocess.Popen([self.program, *map(str, words)], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while process.poll() is None and (not journal.exists() or len(journal.read_text().splitlines()) < 4):
            time.sleep(0.05)
        lost.touch()
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors + output)
        document = json.loads(output)
        self.complete(document, CONFIGURATIONS)
        self.assertIn("BLOCK=256", document["answer"])

    def test_a_worker_without_a_folder_of_work_says_so(self):
        done = subprocess.run([self.program, "work", self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder of work", done.stderr)

    def test_options_of_slurm_need_slurm(self):
        self.prepare(4)
        refused = self.run_command(self.command + ["--partition", "x"], expected=2)
        self.assertIn("--executor slurm", refused["error"]["message"])


if __name__ == "__main__":
    main(sys.argv)
