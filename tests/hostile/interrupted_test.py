# SPDX-License-Identifier: MIT
"""Long work that is killed at random moments, again and again, comes to the same end as work that nobody disturbs.

  python3 interrupted_test.py PROGRAM
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = None
SEED = 7


class Interrupted(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="interrupted-")
        self.folder = pathlib.Path(self.place.name)
        shutil.copytree(HERE / "rows", self.folder / "rows")
        specification = self.folder / "rows" / "kernel.toml"
        text = specification.read_text()
        text = text.replace("[shapes]\n", "[tunable]\nA = [1, 2, 3]\n\n[shapes]\ngrid = { ROWS = [1, 2, 7], "
                                          "COLUMNS = [1, 100, 1000, 3000, 5000, 7000] }\n")
        specification.write_text(text)
        self.random = random.Random(SEED)

    def tearDown(self):
        self.place.cleanup()

    def start(self, ledger):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder),
                       "ASSAY_CACHE": str(self.folder / "cache"), "ASSAY_NVCC": str(HERE / "nvcc.sh"),
                       "ASSAY_CUDA_DRIVER": "none"}
        return subprocess.Popen([PROGRAM, "check", self.folder / "rows", "--config", "all", "--device", "vgpu:a100",
                                 "--ledger", self.folder / ledger],
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    # Its verdicts without what differs from run to run.
    def verdicts(self, ledger):
        done = subprocess.run([PROGRAM, "log", "export", "--ledger", self.folder / ledger], capture_output=True,
                              text=True, check=True)
        attempts = json.loads(done.stdout)["attempts"]
        return [(each["configuration"], each["verdict"], each["details"]["planned"], each["details"]["ran"])
                for each in attempts]

    def test_check_goes_on_where_it_was(self):
        undisturbed = self.start("undisturbed.sqlite")
        began = time.monotonic()
        output, errors = undisturbed.communicate()
        whole = time.monotonic() - began
        self.assertEqual(undisturbed.returncode, 0, errors)
        resumed = 0
        for attempt in range(200):
            process = self.start("killed.sqlite")
            try:
                output_at_last, errors = process.communicate(timeout=self.random.uniform(0.2, 0.6) * whole)
            except subprocess.TimeoutExpired:
                process.send_signal(self.random.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
                errors = process.communicate()[1]
                resumed += "before the interruption" in errors
                continue
            self.assertEqual(process.returncode, 0, errors)
            resumed += "before the interruption" in errors
            break
        else:
            self.fail("it never came to its end: it does not go on where it was")
        self.assertGreater(resumed, 0, "nothing was resumed")
        self.assertEqual(output_at_last.count("correct rows"), output.count("correct rows"))
        self.assertEqual(sorted(set(self.verdicts("killed.sqlite"))), sorted(set(self.verdicts("undisturbed.sqlite"))))
        again = self.start("killed.sqlite")
        errors = again.communicate()[1]
        self.assertNotIn("before the interruption", errors, "work that is done begins anew")


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
