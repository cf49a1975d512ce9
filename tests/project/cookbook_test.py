# SPDX-License-Identifier: MIT
"""The cookbook: every recipe has its parts and is found, and the table of tiles is what the program computes.
documents_test.py runs the recipes' console blocks."""

import json
import re
import shutil
import unittest

from project import FolderTest, PROGRAM, ROOT, run
from documents_test import PREBUILT, read_examples

COOKBOOK = ROOT / "docs/cookbook"
RECIPES = sorted(path for path in COOKBOOK.glob("*.md") if path.name != "README.md")


def tile_rows(fits):
    """Rows of the table in tiles.md, from the document of `assay build --json`."""
    rows = []
    for fit in fits:
        m, n, stages, d = re.fullmatch(r"tile_(\d+)_(\d+)_(\d+)_(\d+)", fit["entry"]).groups()
        cells = [f"{m} x {n}, {stages}, {d}", f"{fit['dynamic_shared_bytes']:,}"]
        models = {model["gpu"]: model for model in fit["models"]}
        for gpu in ("l4", "a100", "h100", "h200"):
            blocks = models[gpu]["blocks_per_sm"]
            percent = models[gpu]["occupancy_percent"]
            cells.append(f"{blocks}: {percent:.0f} %" if blocks else "-")
        rows.append("| " + " | ".join(cells) + " |")
    return rows


class CookbookTest(FolderTest):
    def test_recipes_have_their_parts(self):
        self.assertGreater(len(RECIPES), 10)
        for path in RECIPES:
            text = path.read_text()
            self.assertRegex(text, r"\A# .+\n\n\*\*Problem\.\*\* ", path.name)
            self.assertIn("\n## Cost and gain\n", text, path.name)

    def test_recipes_run_something(self):
        for path in RECIPES:
            languages = [example.language for example in read_examples(path.name, path.read_text())]
            self.assertTrue({"console", "sh"} & set(languages), path.name)

    def test_index_names_every_recipe(self):
        named = re.findall(r"\]\(([a-z_]+\.md)\)", (COOKBOOK / "README.md").read_text())
        self.assertEqual(sorted(set(named)), [path.name for path in RECIPES])
        self.assertEqual(len(named), len(set(named)), "a recipe stands in the index once")

    def test_prebuilt_folders_belong_to_pages(self):
        pages = {path.stem for path in RECIPES} | {path.stem for path in (ROOT / "docs").glob("*.md")}
        for folder in PREBUILT.iterdir():
            self.assertIn(folder.name, pages)

    def test_tiles_are_what_the_program_computes(self):
        page = (COOKBOOK / "tiles.md").read_text()
        for example in read_examples("tiles.md", page):
            if example.file:
                path = self.folder / example.file
                path.parent.mkdir(exist_ok=True)
                path.write_text(example.text)
        shutil.copytree(PREBUILT / "tiles", self.folder, dirs_exist_ok=True)
        done = run([PROGRAM, "build", self.folder / "tiles", "--json"], ASSAY_CACHE=str(self.folder / "cache"))
        self.assertEqual(done.returncode, 0, done.stderr)
        computed = tile_rows(json.loads(done.stdout)["fits"])
        written = [line for line in page.split("\n") if re.match(r"\| \d+ x \d+, ", line)]
        self.assertGreater(len(written), 5)
        self.assertEqual(sorted(written), sorted(computed), "tiles.md should have these rows:\n" + "\n".join(computed))

    def test_every_guard_is_explained(self):
        """Those of red_team.md, and those of the table in the sources."""
        listed = set(re.findall(r"(?m)^\| `([a-z0-9_]+)` \| ", (ROOT / "docs/red_team.md").read_text()))
        self.assertGreater(len(listed), 15)
        named = set(re.findall(r'GuardKind::\w+, "([a-z0-9_]+)"', (ROOT / "src/measure/guard.cpp").read_text()))
        self.assertGreater(len(named), 10)
        done = run([PROGRAM, "explain", "--json"])
        explained = {each["name"] for each in json.loads(done.stdout)["explanations"] if each["kind"] == "guard"}
        self.assertEqual(sorted(listed | named), sorted(explained))

    def test_tile_rows(self):
        models = [{"gpu": gpu, "blocks_per_sm": blocks, "occupancy_percent": 25.0 * blocks}
                  for gpu, blocks in (("l4", 0), ("a100", 1), ("h100", 2), ("h200", 2))]
        self.assertEqual(tile_rows([{"entry": "tile_64_32_1_128", "dynamic_shared_bytes": 32768, "models": models}]),
                         ["| 64 x 32, 1, 128 | 32,768 | - | 1: 25 % | 2: 50 % | 2: 50 % |"])


if __name__ == "__main__":
    unittest.main()
