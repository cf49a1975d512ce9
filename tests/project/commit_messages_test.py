# SPDX-License-Identifier: MIT
"""tools/commit_messages.sh names commits whose messages are not as CONTRIBUTING.md wants them, and no others."""

import subprocess
import tempfile
import unittest

from project import ROOT

IDENTITY = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]


class CommitMessagesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assay commits ")
        self.addCleanup(self.folder.cleanup)
        self.git("init", "-q", "-b", "main")
        self.commit("Begin", "There was nothing.")
        self.base = self.git("rev-parse", "HEAD").strip()

    def git(self, *words):
        return subprocess.run(["git", *IDENTITY, *words], cwd=self.folder.name, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def commit(self, *paragraphs):
        words = [word for each in paragraphs for word in ("-m", each)]
        self.git("commit", "-q", "--allow-empty", *words)

    def judge(self):
        return subprocess.run([ROOT / "tools/commit_messages.sh", self.base], cwd=self.folder.name, text=True,
                              stderr=subprocess.PIPE, check=False)

    def test_good_messages_pass(self):
        self.assertEqual(self.judge().returncode, 0, "no commit at all")
        self.commit("x" * 72, "It is as long as a subject may be.")
        self.commit("Ä" * 72, "Characters are counted, not bytes.")
        self.git("checkout", "-q", "-b", "side", self.base)
        self.commit("Work beside it", "So that there is something to merge.")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
        judged = self.judge()
        self.assertEqual((judged.returncode, judged.stderr), (0, ""))

    def test_a_long_subject_and_a_missing_body_are_named(self):
        self.commit("y" * 73, "Why.")
        self.commit("Change it")
        judged = self.judge()
        self.assertEqual(judged.returncode, 1)
        self.assertRegex(judged.stderr, "more than 72 characters: y{73}\n")
        self.assertRegex(judged.stderr, "no body that says why: Change it\n")
        self.assertEqual(len(judged.stderr.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
