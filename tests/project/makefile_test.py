# SPDX-License-Identifier: MIT
"""Options of the Makefiles have names of their own: what happens to be in the environment does not redirect a build."""

import os
import re
import unittest

from project import ROOT, run

MAKEFILES = ["Makefile", "kernels/attention/library/Makefile"]
# As CC and CXX are for make: the compiler to use.
CONVENTIONAL = {"NVCC"}
POISON = {name: "/poison" for name in ("OUT", "KERNEL", "JOBS", "ROOT", "FLAGS", "SOURCES", "PREFIX", "FUZZ_SECONDS", "NAME",
                                       "HOST", "KERNELS", "OBJECTS", "BUILD", "DEVICE", "VERSION", "TARGETS")}


def plan(target, extra):
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return run(["env", "-i", *[f"{key}={value}" for key, value in {**clean, **extra}.items()], "make", "-n", target])


class MakefileTest(unittest.TestCase):
    def test_options_have_names_of_their_own(self):
        for name in MAKEFILES:
            options = re.findall(r"^(\w+) *\?=", (ROOT / name).read_text(), re.MULTILINE)
            self.assertTrue(options, name)
            for option in options:
                self.assertTrue(option.startswith("ASSAY_") or option in CONVENTIONAL, f"{name}: {option}")

    def test_the_environment_does_not_leak_in(self):
        for target in ("run", "test", "test-all", "install", "package", "fuzz", "bench", "attention", "wheel", "help"):
            clean = plan(target, {})
            self.assertEqual(clean.returncode, 0, clean.stderr)
            self.assertEqual(plan(target, POISON).stdout, clean.stdout, target)

    def test_an_option_is_obeyed(self):
        self.assertIn('build/assay run "kernels/softmax"', plan("run", {"ASSAY_KERNEL": "kernels/softmax"}).stdout)
        self.assertIn("-j3", plan("test", {"ASSAY_JOBS": "3"}).stdout)
        self.assertIn("max_total_time=60", plan("fuzz", {"ASSAY_FUZZ_SECONDS": "60"}).stdout)

    def test_the_attention_library_names_no_absolute_path(self):
        # make splits words at blanks: a path of the checkout may hold one, relative ones do not.
        planned = plan("attention", {"NVCC": "true", "ASSAY_ATTENTION_OUTPUT": "../../../build/none"})  # where nothing is built
        self.assertEqual(planned.returncode, 0, planned.stderr)
        lines = [line for line in planned.stdout.splitlines() if line.startswith("true ")]
        self.assertGreater(len(lines), 3)
        for line in lines:
            self.assertNotIn(str(ROOT), line)

    def test_every_fuzzer_has_seeds(self):
        """make fuzz names a folder for each; libFuzzer ends where one is not there."""
        for program in sorted((ROOT / "fuzz").glob("*_fuzz.cpp")):
            seeds = ROOT / "fuzz/corpus" / program.name.split("_")[0]
            self.assertTrue(seeds.is_dir() and any(seeds.iterdir()), f"{program.name}: no seeds in {seeds}")

    def test_help_names_targets_that_exist(self):
        text = (ROOT / "Makefile").read_text()
        for target in re.findall(r'@echo "make ([\w-]+)', text):
            self.assertRegex(text, rf"(?m)^{target}:", target)


if __name__ == "__main__":
    unittest.main()
