# SPDX-License-Identifier: MIT
"""Man pages and completions are those of the help pages, and the shells and groff take them."""

import re
import subprocess
import sys
import unittest

from project import FolderTest, PROGRAM, ROOT, VERSION, has, run

sys.path.insert(0, str(ROOT / "tools"))
import pages  # noqa: E402

HELP = ROOT / "docs/cli"

# Asks the completion as bash does: COMP_WORDS are split at blanks and colons.
ASK_BASH = r"""
source "$1"
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
read -r -a COMP_WORDS <<< "${COMP_LINE//:/ : }"
case "$COMP_LINE" in *[[:space:]]) COMP_WORDS+=("") ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_assay
printf '%s\n' "${COMPREPLY[@]}"
"""


class PagesTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "pages"
        self.succeeds([sys.executable, "-B", ROOT / "tools/pages.py", HELP, self.out, VERSION])
        self.program, self.commands = pages.read_pages(HELP)

    def completions(self, line):
        done = subprocess.run(["bash", "-c", ASK_BASH, "ask", self.out / "completions/assay.bash", line],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_values(self):
        names = [page.command for page in self.commands]
        self.assertEqual(self.completions("assay "), names + ["help", "--help", "--version"])
        self.assertEqual(self.completions("assay ga"), ["gate"])
        self.assertEqual(self.completions("assay help prof"), ["profile"])
        self.assertEqual(self.completions("assay bench kernels/softmax --ca"), ["--candidate", "--cache"])
        self.assertEqual(self.completions("assay bench --cache "), ["warm", "cold", "rotating"])
        self.assertEqual(self.completions("assay log "), ["show", "tried", "tree", "export", "note", "retire", "best", "lineage"])

    def test_bash_completes_devices_behind_the_colon(self):
        self.assertIn("vgpu:l4", self.completions("assay check --device "))
        self.assertEqual(self.completions("assay check k --device vgpu:h"), ["h100", "h200"])

    def test_an_option_means_what_its_command_says(self):
        self.assertEqual(self.completions("assay profile --with "), ["ncu"])
        self.assertEqual(self.completions("assay sanitize --with "), ["compute-sanitizer"])
        # A flag of log, a number for bench: after the flag the words of log are completed.
        self.assertEqual(self.completions("assay log --samples e"), ["export"])
        self.assertEqual(self.completions("assay bench --samples "), [])

    def test_bash_leaves_files_to_readline(self):
        self.assertEqual(self.completions("assay check kern"), [])
        self.assertEqual(self.completions("assay gate --junit "), [])

    def test_every_option_of_every_page_is_in_every_shell(self):
        texts = {name: (self.out / "completions" / name).read_text() for name in ("assay.bash", "_assay", "assay.fish")}
        for page in self.commands:
            self.assertTrue(page.options(), page.command)
            for name, _, _ in page.options():
                self.assertIn(name, self.completions(f"assay {page.command} --"))
                block = texts["_assay"].split(f"    {page.command})\n")[1].split(";;")[0]
                self.assertIn(f"'{name}[", block)
                self.assertRegex(texts["assay.fish"], rf"from {page.command}' -l {name[2:]}[ \n]")

    def test_shells_that_are_here_take_the_files(self):
        asked = 0
        for shell, name in (("bash", "assay.bash"), ("zsh", "_assay"), ("fish", "assay.fish")):
            if has(shell):
                asked += 1
                self.succeeds([shell, "-n", self.out / "completions" / name])
        self.assertGreater(asked, 0)

    def test_man_pages_have_all_sections_and_options(self):
        for page in [self.program] + self.commands:
            text = (self.out / "man" / f"{page.title}.1").read_text()
            self.assertIn(f'"assay {VERSION}"', text)
            for section in ("NAME", "SYNOPSIS", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(text, rf'(?m)^\.SH "?{section}"?$', page.title)
            for name, _, _ in page.options():
                self.assertIn("\\fB" + name.replace("-", "\\-"), text)

    @unittest.skipUnless(has("groff"), "there is no groff")
    def test_groff_has_no_warnings(self):
        for file in sorted((self.out / "man").iterdir()):
            done = run(["groff", "-man", "-Tutf8", "-ww", "-z", file])
            self.assertEqual((done.returncode, done.stderr), (0, ""), file.name)

    def test_help_pages_are_narrow(self):
        for file in HELP.glob("*.md"):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                self.assertLessEqual(len(line), 105, f"{file.name}:{number}")


class ProgramTest(unittest.TestCase):
    """What the pages say, the program takes."""

    def setUp(self):
        _, self.commands = pages.read_pages(HELP)

    def refusal(self, *words):
        done = run([PROGRAM, *words], folder="/")
        self.assertEqual(done.returncode, 2, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr  # with --json it is a document

    def words(self, page):
        """What stands without a name in the usage line: assay compare A B."""
        return [word for word in page.usage[0].split()[2:] if re.fullmatch(r"\[?[A-Z]+(\.toml)?\]?", word)]

    def test_every_option_of_a_page_is_known(self):
        # A second option that nobody has ends the command before it does anything.
        for page in self.commands:
            for name, value, _ in page.options():
                example = {"": [], "N": ["100"], "X": ["0.5"], "SECONDS": ["1"]}.get(value, [value.split("|")[0]])
                if "," in value and value[0] == "X":
                    example = ["0.5"]
                said = self.refusal(page.command, *self.words(page), name, *example, "--no-such-option")
                self.assertNotRegex(said, rf"(not expected|no option)[^;]*{name}(?![\w-])", f"{page.command} {name}")
        self.assertRegex(self.refusal("check", "KERNEL", "--no-such-option"), "(not expected|no option).*--no-such-option")


# A declaration of an option: line.flag("--prebuilt,--carry", ...), line.choice("--cache", value, "text", {"warm", "cold"})
DECLARATION = re.compile(r'\bline\.(\w+)\(\s*"((?:--[a-z-]+,?)+)"(.*?)\);', re.DOTALL)


class DeclarationsTest(unittest.TestCase):
    """What the sources declare, the pages say."""

    def setUp(self):
        _, self.commands = pages.read_pages(HELP)
        self.declared = [(file.stem, kind, names.split(","), rest) for file in sorted((ROOT / "src/cli").glob("*.cpp"))
                         for kind, names, rest in DECLARATION.findall(file.read_text())]
        self.assertGreater(len(self.declared), 30)

    def pages_of(self, stem):
        """export.cpp and export_results.cpp declare options of assay export; words.cpp those of several commands."""
        return [page for page in self.commands if (stem + "_").startswith(page.command + "_")] or self.commands

    def test_every_declared_option_is_on_a_page(self):
        for stem, _, names, _ in self.declared:
            # Those of a command's own file are on that command's page, shared ones on some page.
            candidates = self.pages_of(stem)
            listed = {name for page in candidates for name, _, _ in page.options()}
            self.assertIn(names[0], listed, f"src/cli/{stem}.cpp declares {names[0]}")
            for older in names[1:]:
                self.assertTrue(any(older in (HELP / f"{page.command}.md").read_text() for page in candidates), older)

    def test_choices_are_those_of_the_page(self):
        compared = 0
        for stem, kind, names, rest in self.declared:
            if kind != "choice":
                continue
            choices = re.findall('"([^"]*)"', rest[rest.rindex("{"):])
            candidates = self.pages_of(stem)
            for page in candidates:
                for name, value, _ in page.options():
                    if name == names[0]:
                        self.assertEqual(value, "|".join(choices), f"{page.command} {name}")
                        compared += 1
        self.assertGreater(compared, 5)


class WrongPagesTest(FolderTest):
    def refused(self, **files):
        folder = self.folder / "help"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.md").write_text(text)
        done = run([sys.executable, "-B", ROOT / "tools/pages.py", folder, self.folder / "out", "1.0.0"])
        self.assertEqual(done.returncode, 2)
        return done.stderr

    PROGRAM = ("assay: a program.\n\nusage: assay COMMAND\n\ncommands:\n  check  is it right?\n\n"
               "devices (--device): vgpu:l4.\n")

    def test_a_page_needs_title_and_usage(self):
        self.assertRegex(self.refused(assay=self.PROGRAM, check="check things\n"), "check.md:1: .*what it is for")

    def test_a_page_without_usage_is_refused(self):
        self.assertRegex(self.refused(assay=self.PROGRAM, check="assay check: it.\n\nIt checks.\n"), "check.md:3: .*usage")

    def test_a_command_without_a_page_is_refused(self):
        self.assertIn("lists check; there are pages for", self.refused(assay=self.PROGRAM))


if __name__ == "__main__":
    unittest.main()
