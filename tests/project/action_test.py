# SPDX-License-Identifier: MIT
"""The action as another repository runs it: from a release tar, without a GPU, against the base of a pull request."""

import os
import shutil
import subprocess
import unittest

from project import BUILD, FolderTest, ROOT, VERSION, run


class ActionTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(BUILD / "action-test", ignore_errors=True)
        done = run([ROOT / "tools/package.sh", BUILD, BUILD / "action-test"])
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        cls.release = next((BUILD / "action-test").glob("*.tar.gz"))

    def setUp(self):
        super().setUp()
        self.repository = self.folder / "their kernels"
        for name in ("reduction", "primitives"):
            shutil.copytree(ROOT / "kernels" / name, self.repository / "gpu" / name)
        self.git("init", "-q", "-b", "main")
        self.base = self.commit()
        self.spec = self.repository / "gpu/reduction/kernel.toml"

    def git(self, *words):
        settings = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], cwd=self.repository,
                              env=settings, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD")

    def gate(self, **settings):
        settings = {"ASSAY_RELEASE": str(self.release), "ASSAY_BASE": self.base, "ASSAY_OPTIONS": "--shape ROWS=4,COLUMNS=512",
                    "ASSAY_CACHE": str(self.folder / "cache"), "GITHUB_STEP_SUMMARY": str(self.folder / "page.md"), **settings}
        return run([ROOT / "tools/ci_gate.sh"], folder=self.repository, **settings)

    def page(self):
        return (self.folder / "page.md").read_text()

    def test_an_unchanged_kernel_passes(self):
        self.commit()
        done = self.gate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("gpu/reduction", self.page())
        self.assertTrue((self.repository / "assay-gate/summary.md").is_file())
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)  # the base is gone again

    def test_a_kernel_that_does_the_work_twice_is_a_regression(self):
        self.spec.write_text(self.spec.read_text().replace('grid  = ["ROWS"]', 'grid  = ["ROWS", "2"]'))
        self.commit()
        done = self.gate(ASSAY_RELEASE=self.release.as_uri(), ASSAY_KERNELS="gpu/reduction")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("REGRESSION", self.page())

    def test_the_release_of_this_version_is_fetched(self):
        place = self.folder / "releases" / f"v{VERSION}"
        place.mkdir(parents=True)
        shutil.copy(self.release, place)
        self.commit()
        done = self.gate(ASSAY_RELEASE="", ASSAY_RELEASES=(self.folder / "releases").as_uri())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_is_missing_is_named(self):
        for settings, code, words in (({"ASSAY_RELEASE": ""}, 2, "ASSAY_RELEASE is not set"),
                                      ({"ASSAY_BASE": ""}, 2, "ASSAY_BASE is not set"),
                                      ({"ASSAY_BASE": "--upload-pack=x"}, 2, "no commit"),
                                      ({"ASSAY_BASE": "0" * 40}, 2, "there is no commit"),
                                      ({"ASSAY_RELEASE": "/nowhere.tar.gz"}, 6, "cannot read"),
                                      ({"ASSAY_RELEASE": "", "ASSAY_RELEASES": "file:///nowhere"}, 6, "cannot fetch")):
            summary = self.repository / "assay-gate/summary.md"
            summary.parent.mkdir(exist_ok=True)
            summary.write_text("PASS of another day")
            done = self.gate(**settings)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(words, done.stderr)
            self.assertFalse(summary.exists(), "an older summary is left")

    def test_a_repository_without_kernels_is_told_so(self):
        shutil.rmtree(self.repository / "gpu")
        self.commit()
        done = self.gate()
        self.assertEqual(done.returncode, 2)
        self.assertIn("no kernel.toml", done.stderr)


class SanitizeScriptTest(FolderTest):
    def sanitize(self, kernels):
        return run([ROOT / ".github/sanitize.sh", self.folder / "sarif", "--device", "vgpu:l4"], ASSAY_KERNELS=kernels,
                   ASSAY_PROGRAM=str(BUILD / "assay"), ASSAY_CACHE=str(self.folder / "cache"))

    def test_findings_of_all_kernels_are_joined(self):
        done = self.sanitize("kernels/broken/misaligned_rows kernels/broken/null_pointer_read")
        self.assertEqual(done.returncode, 5, done.stderr)
        text = (self.folder / "sarif/findings.sarif").read_text()
        self.assertTrue("misaligned_rows/misaligned_rows.cu" in text)
        self.assertTrue("null_pointer_read/add_bias.cu" in text)

    def test_a_clean_kernel_passes(self):
        done = self.sanitize("kernels/softmax")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "sarif/findings.sarif").is_file())


if __name__ == "__main__":
    unittest.main()
