# SPDX-License-Identifier: MIT
"""Files that cannot be run here (workflow, action, Dockerfile) only call make and scripts of the repository, and a test
runs each of these scripts."""

import re
import shlex
import unittest

from project import ROOT

# What must happen before the repository is there, and what a checkout in a container needs.
BOOTSTRAP = {"apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates git make",
             "git config --global --add safe.directory '*'"}
TARGETS = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text()))


def commands(name):
    text = (ROOT / name).read_text()
    if name == "Dockerfile":
        return re.findall(r"(?m)^RUN (.*)$", text)
    found = re.findall(r"(?m)^\s*(?:- )?run: (.*)$", text)
    return [re.sub("^'(.*)'$", r"\1", command) for command in found]


class CalledScriptsTest(unittest.TestCase):
    def scripts_of(self, name):
        scripts = set()
        called = commands(name)
        self.assertTrue(called, name)
        for command in called:
            self.assertNotIn(command, ("|", ">", "|-", ">-"), f"{name}: a step calls one script")
            if command in BOOTSTRAP:
                continue
            words = shlex.split(command.replace("${{ matrix.target }}", "test"))
            program = words[1] if words[0] == "sh" else words[0]
            program = program.replace("$GITHUB_ACTION_PATH/", "")
            if program == "make":
                self.assertIn(words[1], TARGETS, f"{name}: {command}")
            elif program != "build/assay":
                self.assertRegex(program, r"^(tools|\.github)/\w+\.sh$", f"{name}: {command}")
                self.assertTrue((ROOT / program).stat().st_mode & 0o100, f"{program} is not executable")
                scripts.add(program)
        return scripts

    def test_only_scripts_and_targets_are_called(self):
        for name in (".github/workflows/assay.yml", "action.yml", "Dockerfile"):
            self.scripts_of(name)

    def test_targets_of_the_matrix_exist(self):
        text = (ROOT / ".github/workflows/assay.yml").read_text()
        targets = re.findall(r"target: ([\w-]+)", text)
        self.assertEqual(targets, ["test", "lint", "test-asan", "test-tsan", "fuzz"])
        self.assertLessEqual(set(targets), TARGETS)

    def test_every_script_is_run_by_a_test(self):
        # tools/setup.sh is run by make test itself.
        tests = "".join(path.read_text() for folder in ("tests/project", "tests/cli") for path in (ROOT / folder).iterdir()
                        if path.suffix in (".py", ".cpp"))
        calls = "".join((ROOT / name).read_text() for name in ("tools/ci_gate.sh", "Makefile"))
        for name in (".github/workflows/assay.yml", "action.yml", "Dockerfile"):
            for script in self.scripts_of(name):
                self.assertTrue(script in tests or script in calls, f"no test runs {script}")

    def test_the_action_passes_every_input_on(self):
        text = (ROOT / "action.yml").read_text()
        script = (ROOT / "tools/ci_gate.sh").read_text()
        inputs = re.findall(r"(?m)^  (\w+):$", text.split("inputs:")[1].split("runs:")[0])
        self.assertGreater(len(inputs), 3)
        page = (ROOT / "docs/ci.md").read_text()
        for name in inputs:
            self.assertIn(f"inputs.{name}", text)
            self.assertIn(f"| `{name}` |", page)
        for variable in re.findall(r"(?m)^\s+(ASSAY_\w+):", text):
            self.assertIn(variable, script)

    def test_the_lines_to_paste_are_few_and_name_inputs_that_exist(self):
        block = re.search(r"```yaml fragment\n(.*?)```", (ROOT / "docs/ci.md").read_text(), re.DOTALL)[1]
        self.assertLessEqual(len(block.splitlines()), 11)
        version = (ROOT / "VERSION").read_text().strip()
        self.assertIn(f"assay@v{version}", block)
        inputs = re.findall(r"(?m)^  (\w+):$", (ROOT / "action.yml").read_text())
        given = re.search(r"with: \{ (kernels.*)\}", block)[1]
        for name in re.findall(r"(\w+): ", given):
            self.assertIn(name, inputs)


if __name__ == "__main__":
    unittest.main()
