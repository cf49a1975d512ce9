# SPDX-License-Identifier: MIT
"""Install and packages: what is in them, and that the program in them works. Everything goes through the scripts that
make install, make package and the Dockerfile call."""

import re
import unittest

from project import BUILD, FolderTest, ROOT, VERSION, has, run

FILES = ["bin/assay", "share/man/man1/assay.1", "share/man/man1/assay-check.1",
         "share/bash-completion/completions/assay", "share/zsh/site-functions/_assay",
         "share/fish/vendor_completions.d/assay.fish", "share/doc/assay/README.md", "share/doc/assay/CHANGELOG.md",
         "share/doc/assay/docs/kernel_toml.md", "share/doc/assay/docs/cli/check.md"]


# What a program may take from glibc, and the loader.
ALLOWED = re.compile(r"^(linux-vdso|libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so")


class PackageTest(FolderTest):
    def holds_a_working_program(self, prefix):
        for name in FILES:
            self.assertTrue((prefix / name).is_file(), f"{prefix}: {name}")
        self.assertEqual(self.succeeds([prefix / "bin/assay", "--version"]), f"assay {VERSION}\n")
        found = run([prefix / "bin/assay", "sanitize", "kernels/broken/misaligned_rows"], ASSAY_CACHE=str(self.folder / "cache"))
        self.assertEqual(found.returncode, 5, found.stderr)
        self.assertIn("misaligned", found.stdout)
        made = self.folder / prefix.name / "mine"
        made.mkdir(parents=True)
        self.succeeds([prefix / "bin/assay", "new", "--like", "reduction", "sums"], folder=made)
        self.assertTrue((made / "sums/kernel.toml").is_file())

    def test_install(self):
        prefix = self.folder / "installed here"
        self.succeeds(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "program"])
        self.holds_a_working_program(prefix)

    def test_packages(self):
        out = self.folder / "packages"
        printed = self.succeeds([ROOT / "tools/package.sh", BUILD, out])
        self.assertEqual(len(printed.splitlines()), 3)
        (archive,) = out.glob("*.tar.gz")
        self.assertRegex(archive.name, rf"^assay-{re.escape(VERSION)}-linux-\w+\.tar\.gz$")
        self.succeeds(["sha256sum", "--check", "SHA256SUMS"], folder=out)

        unpacked = self.folder / "unpacked"
        self.assertIn(f"assay {VERSION}", self.succeeds([ROOT / "tools/unpack_release.sh", archive, unpacked]))
        self.holds_a_working_program(unpacked)
        for line in self.succeeds(["ldd", unpacked / "bin/assay"]).splitlines():
            library = line.split()[0].rsplit("/", 1)[-1]
            self.assertRegex(library, ALLOWED, line)

        (package,) = out.glob("*.deb")
        facts = self.succeeds(["dpkg-deb", "--field", package])
        self.assertIn("Package: assay\n", facts)
        self.assertIn(f"Version: {VERSION}", facts)
        self.assertRegex(facts, r"(?m)^Depends: libc6 \(>= [\d.]+\)$")
        self.succeeds(["dpkg-deb", "--extract", package, self.folder / "deb"])
        self.holds_a_working_program(self.folder / "deb/usr")

    def test_a_folder_without_a_build_is_named(self):
        done = run([ROOT / "tools/package.sh", self.folder, self.folder / "out"])
        self.assertEqual(done.returncode, 6)
        self.assertIn("there is no build", done.stderr)


class VersionTest(unittest.TestCase):
    def test_one_file_says_the_version(self):
        self.assertRegex(VERSION, r"^\d+\.\d+\.\d+$")
        self.assertEqual((ROOT / "python/VERSION").resolve(), ROOT / "VERSION")
        self.assertNotRegex((ROOT / "python/pyproject.toml").read_text(), r'(?m)^version\s*=\s*"')

    def test_the_c_header_of_attention_has_the_same(self):
        major, minor, patch = (int(part) for part in VERSION.split("."))
        header = (ROOT / "kernels/attention/library/assay_attention.h").read_text()
        found = re.search(r"#define ASSAY_ATTENTION_VERSION (\d+)", header)
        self.assertEqual(int(found[1]), 10000 * major + 100 * minor + patch)

    def test_the_changelog_begins_with_this_version(self):
        headings = re.findall(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text())
        self.assertEqual(headings[0], VERSION)


if __name__ == "__main__":
    unittest.main()
