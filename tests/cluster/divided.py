# SPDX-License-Identifier: MIT
"""What the tests of divided commands have in common: a folder, an environment, workers that are killed."""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("ASSAY_TEST_SEED", "7"))


class Divided(unittest.TestCase):
    program = None

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="assay cluster ")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.random = random.Random(SEED)
        self.work = self.folder / "work"
        self.environment = dict(os.environ, ASSAY_CACHE=str(self.folder / "cache"), ASSAY_CUDA_DRIVER="none",
                                ASSAY_NVCC="none", ASSAY_NVML_LIBRARY="none", ASSAY_CUPTI_LIBRARY="none")
        begin = time.monotonic()
        self.addCleanup(lambda: print(f"{self.id()}: seed {SEED}, {time.monotonic() - begin:.1f} s", file=sys.stderr))

    def executor(self, workers=2):
        return ["--executor", "local", "--workers", str(workers), "--lease", "2", "--work-folder", str(self.work)]

    def run_command(self, words, expected=0):
        done = subprocess.run([self.program, *map(str, words)], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, expected, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def workers(self):
        """Numbers of the processes that work for us."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
            if len(words) > 2 and words[1] == b"work" and words[2].startswith(os.fsencode(self.work)):
                found.append(int(entry.name))
        return found

    def run_with_killed_workers(self, words, kills=4):
        """The document, and how many workers were ended; over three lost ones an item would be given up."""
        process = subprocess.Popen([self.program, *map(str, words)], env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1][:kills]
        self.random.shuffle(signals)
        killed = []

        def trouble():
            while process.poll() is None and len(killed) < len(signals):
                time.sleep(self.random.uniform(0.1, 0.6))
                for worker in self.workers()[:1]:
                    try:
                        os.kill(worker, signals[len(killed)])
                        killed.append(worker)
                    except ProcessLookupError:
                        pass

        thread = threading.Thread(target=trouble)
        thread.start()
        output, errors = process.communicate()
        thread.join()
        self.assertEqual(process.returncode, 0, errors + output)
        return json.loads(output), len(killed)

    def kill_after(self, words, least, most):
        """Starts the command and kills it at a random moment."""
        process = subprocess.Popen([self.program, *map(str, words)], env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(self.random.uniform(least, most))
        process.kill()
        process.wait()

    def attempts(self, ledger, kind):
        with sqlite3.connect(ledger) as database:
            return database.execute("SELECT configuration, shape, details FROM attempts WHERE kind = ?",
                                    (kind,)).fetchall()


def main(arguments):
    Divided.program = pathlib.Path(arguments[1]).resolve()
    unittest.main(argv=arguments[:1])
