# SPDX-License-Identifier: MIT
"""Every example of every page works, and pages keep to their form.

A fenced block says what it is behind the three backquotes:

  console            `$ command` lines, each with the lines that it prints. `...` alone stands for any lines, within a
                     line for any text. Runs in the repository, or in a fresh folder if the page has files.
  sh                 commands that are not run here (they need a GPU, or take long): programs, files, targets and options
                     must exist
  LANGUAGE file=F    the file F of a fresh folder in which the page's console blocks run
  toml suite         a suite file that stands in suites/: it must load
  toml, yaml, json, cpp, cuda, python, ptx fragment
                     a part of something; TOML and JSON must be well-formed
  text               a drawing or a message
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from project import BUILD, FolderTest, PROGRAM, ROOT, run

sys.path.insert(0, str(ROOT / "tools"))
import pages  # noqa: E402
import wrap_documents  # noqa: E402

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

# PTX of the kernels that pages show, for machines without nvcc; ASSAY_UPDATE=1 writes it (with nvcc in PATH).
PREBUILT = ROOT / "tests/project/prebuilt"
LANGUAGES = {"toml", "yaml", "json", "cpp", "c", "cuda", "python", "ptx"}


def page_files():
    found = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                           stdout=subprocess.PIPE, text=True).stdout.split("\n")
    names = [name for name in found if name and (ROOT / name).exists()] or \
        [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md") if "build" not in path.relative_to(ROOT).parts[0]]
    return sorted(name for name in names if not name.startswith("docs/cli/"))


class Example:
    def __init__(self, page, line, info, lines):
        self.page = page
        self.place = f"{page}:{line}"
        self.words = info.split()
        self.lines = lines

    @property
    def language(self):
        return self.words[0] if self.words else ""

    @property
    def file(self):
        return next((word[5:] for word in self.words if word.startswith("file=")), None)

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def read_examples(page, text):
    """Fenced blocks, and blocks that are indented by four blanks, which have no word that says what they are."""
    examples, inside, start = [], None, 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        fence = re.match(r"^(\s*)```(.*)$", line)
        if fence and inside is None:
            inside, start, info, indent = [], number, fence[2], len(fence[1])
        elif fence:
            examples.append(Example(page, start, info, inside))
            inside = None
        elif inside is not None:
            inside.append(line[indent:])
        elif re.match(r"^    \S", line) and lines[number - 2].strip() == "" and not in_list(lines, number - 2):
            examples.append(Example(page, number, "", [line]))
    return examples


def in_list(lines, at):
    while at > 0 and (not lines[at].strip() or lines[at].startswith("  ")):
        at -= 1
    return bool(re.match(r"^(\d+\.|[-*]) ", lines[at]))


def matches(expected, printed):
    """Whether `printed` is `expected`; `...` stands for any lines, or any text within a line."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part.rstrip()) for part in line.rstrip().split("...")) + r"[ \t]*\n"
    text = "".join(line.rstrip() + "\n" for line in printed)
    return re.fullmatch(pattern, text) is not None


def wide_tables(text):
    return [line for line in text.split("\n") if line.startswith("|") and line.count("|") - 1 - 2 * line.count("\\|") > 6]


class ExamplesTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.pages = {name: read_examples(name, (ROOT / name).read_text()) for name in page_files()}
        program, commands = pages.read_pages(ROOT / "docs/cli")
        cls.options = {page.command: {name for name, _, _ in page.options()} | {"--help"} for page in commands}
        cls.options["help"] = set()

    def test_every_block_says_what_it_is(self):
        for examples in self.pages.values():
            for example in examples:
                known = example.language in ("console", "sh", "text") or example.file or \
                    (example.language in LANGUAGES and example.words[1:] in (["fragment"], ["suite"]))
                self.assertTrue(known, f"{example.place}: a block needs a word: console, sh, text, file=, suite or fragment")

    def test_there_are_examples(self):
        kinds = [example.language for examples in self.pages.values() for example in examples]
        for kind in ("console", "sh", "toml"):
            self.assertIn(kind, kinds)

    # --- what is run

    def place(self, page, examples):
        """The folder in which the page's commands run."""
        if not any(example.file for example in examples):
            return ROOT
        folder = self.folder / page.replace("/", "-")
        for example in examples:
            if example.file:
                path = folder / example.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(example.text)
        self.prebuild(page, folder)
        return folder

    def prebuild(self, page, folder):
        stored = PREBUILT / pathlib.Path(page).stem
        if os.environ.get("ASSAY_UPDATE") == "1":
            for spec in folder.glob("*/kernel.toml"):
                self.succeeds([PROGRAM, "build", spec.parent, "--prebuilt"], ASSAY_NVCC=shutil.which("nvcc") or "nvcc")
                shutil.copytree(spec.parent / "ptx", stored / spec.parent.name / "ptx", dirs_exist_ok=True)
        if stored.is_dir():
            shutil.copytree(stored, folder, dirs_exist_ok=True)

    def run_console(self, example, folder):
        command, expected, ran = None, [], 0
        for line in example.lines + ["$ "]:
            if not line.startswith("$ "):
                expected.append(line)
                continue
            if command is not None:
                self.run_command(example, command, expected, folder)
                ran += 1
            command, expected = line[2:], []
        self.assertGreater(ran, 0, f"{example.place}: no command")

    def run_command(self, example, command, expected, folder):
        words = shlex.split(command.split(" #")[0])
        if words[0] in ("assay", "build/assay"):
            words[0] = str(PROGRAM)
        done = run(words, folder=folder, ASSAY_CACHE=str(self.folder / "cache"))
        printed = (done.stdout or done.stderr).rstrip("\n").split("\n")  # progress goes to standard error
        while expected and not expected[-1].strip():
            expected.pop()
        self.assertTrue(matches(expected, printed), f"{example.place}: $ {command}\n--- expected\n" + "\n".join(expected) +
                        "\n--- printed\n" + "\n".join(printed[:60]))

    def test_console_blocks_print_what_they_show(self):
        ran = 0
        for page, examples in self.pages.items():
            folder = None
            for example in examples:
                if example.language == "console":
                    folder = folder or self.place(page, examples)
                    with self.subTest(example.place):
                        self.run_console(example, folder)
                    ran += 1
        self.assertGreater(ran, 2)

    def test_files_of_pages_are_run(self):
        for page, examples in self.pages.items():
            if any(example.file for example in examples):
                self.assertTrue(any(example.language == "console" for example in examples),
                                f"{page}: has files that no console block uses")

    def test_suites_load(self):
        place = self.folder / "suites"
        place.mkdir()
        (self.folder / "kernels").symlink_to(ROOT / "kernels")
        for examples in self.pages.values():
            for example in examples:
                if example.words[1:] == ["suite"]:
                    (place / "pasted.toml").write_text(example.text)
                    done = run([PROGRAM, "suite", place / "pasted.toml", "--list"])
                    self.assertEqual(done.returncode, 0, f"{example.place}: {done.stderr}")

    def test_fragments_are_well_formed(self):
        for examples in self.pages.values():
            for example in examples:
                if example.language == "toml" and tomllib:
                    tomllib.loads(example.text)
                if example.language == "json":
                    json.loads(example.text)
                if example.language == "python":
                    compile(example.text, example.place, "exec")

    # --- what is not run: everything that it names exists

    def check_words(self, place, words):
        while words and (re.fullmatch(r"[A-Z_]+=.*", words[0]) or words[0] == "srun"):
            words = words[1:]
        name = words[0]
        if name == "cd":
            self.entered = ROOT / words[1]
        elif name in ("assay", "build/assay"):
            if len(words) > 1 and not words[1].startswith("-"):
                self.assertIn(words[1], self.options, place)
                for word in words[2:]:
                    if word.startswith("--"):
                        self.assertIn(word.split("=")[0], self.options[words[1]], f"{place}: assay {words[1]} {word}")
        elif name == "make":
            for word in words[1:]:
                if "=" not in word and not word.startswith("-"):
                    self.assertRegex((ROOT / "Makefile").read_text(), rf"(?m)^{re.escape(word)}:", place)
        elif name in ("python3", "sh"):
            script = next((word for word in words[1:] if not word.startswith("-")), None)
            self.assertTrue("-m" in words or "-c" in words or self.exists(place, script), f"{place}: there is no {script}")
        elif "/" in name:
            self.assertTrue(self.exists(place, name), f"{place}: there is no {name}")
        else:
            self.assertIn(name, ("cd", "git", "pip", "cmake", "ctest", "cat", "nvcc", "export", "apt", "tar", "man", "source",
                                 "docker", "nvidia-smi", "compute-sanitizer", "g++", "mkdir", "cp", "echo"), place)

    def exists(self, place, name):
        page = (ROOT / place.split(":")[0]).parent
        return name is not None and (name.startswith(("build", "~", "$", "dist")) or
                                     any((folder / name).exists() for folder in (ROOT, page, self.entered)))

    def test_commands_that_are_not_run_exist(self):
        for examples in self.pages.values():
            for example in examples:
                if example.language == "sh":
                    self.entered = ROOT
                    text = example.text.replace("\\\n", " ")
                    for line in text.split("\n"):
                        line = re.sub(r"(^|\s)#.*", "", line).strip()
                        for part in re.split(r"\s*(?:&&|\|\||;|\|)\s*", line):
                            if part:
                                self.check_words(example.place, shlex.split(part))


class FormTest(unittest.TestCase):
    def test_lines_have_at_most_120_columns(self):
        for name in page_files():
            lines = (ROOT / name).read_text().split("\n")
            long = [line for line in lines if len(line) > 120 and not line.lstrip().startswith("|")]
            self.assertFalse(long, f"{name}: make format wraps {long[:3]}")

    def test_tables_have_at_most_six_columns(self):
        for name in page_files():
            wide = wide_tables((ROOT / name).read_text())
            self.assertEqual(wide, [], name)

    def test_links_lead_somewhere(self):
        for name in page_files():
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / name).read_text()):
                if not target.startswith(("http:", "https:", "mailto:")):
                    self.assertTrue(((ROOT / name).parent / target).exists(), f"{name}: {target}")


class HarnessTest(unittest.TestCase):
    """The test itself: that it would notice."""

    def test_expected_lines(self):
        self.assertTrue(matches(["a", "...", "z"], ["a", "b", "c", "z"]))
        self.assertTrue(matches(["took ... ms"], ["took 12 ms "]))
        self.assertFalse(matches(["a", "z"], ["a", "b", "z"]))
        self.assertFalse(matches(["a"], ["a", "b"]))
        self.assertFalse(matches(["took ... ms"], ["took 12 s"]))

    def test_blocks(self):
        found = read_examples("p.md", "x\n\n```toml file=a.toml\nb = 1\n```\n\n    make test\n\n- item\n\n    of the list\n")
        self.assertEqual([(each.language, each.file, each.lines) for each in found],
                         [("toml", "a.toml", ["b = 1"]), ("", None, ["    make test"])])

    def test_wrapping(self):
        words = " ".join(["word"] * 30)
        wrapped = wrap_documents.wrap(f"# {words}\n\n{words}\nshort\n\n- {words}\n  more\n\n| {words} |\n\n```sh\n{words}\n```\n")
        lines = wrapped.split("\n")
        kept = [line for line in lines if len(line) > 120]
        self.assertEqual(kept, [f"# {words}", f"| {words} |", words])  # heading, table and block
        self.assertIn("  " + " ".join(["word"] * 7) + " more", lines)   # an item goes on under its text
        self.assertEqual(wrap_documents.wrap(wrapped), wrapped)
        self.assertEqual(wrapped.split(), f"# {words} {words} short - {words} more | {words} | ```sh {words} ```".split())

    def test_wrapping_leaves_the_table_of_an_item(self):
        words = " ".join(["word"] * 30)
        table = f"  | a | b |\n  |---|---|\n  | {words} | 1 |\n  | short | 2 |"
        wrapped = wrap_documents.wrap(f"- {words}\n\n{table}\n\n  {words}\n")
        self.assertIn(table, wrapped)
        self.assertEqual([line for line in wrapped.split("\n") if len(line) > 120], [f"  | {words} | 1 |"])

    def test_wide_tables(self):
        self.assertEqual(wide_tables("| a | b | c | d | e | f |\n"), [])
        self.assertEqual(len(wide_tables("| a | b | c | d | e | f | g |\n")), 1)


if __name__ == "__main__":
    unittest.main()
