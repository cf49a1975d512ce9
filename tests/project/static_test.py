# SPDX-License-Identifier: MIT
"""make package: the program in it needs nothing but the C library. Compiles the program again, so it takes minutes."""

import re
import unittest

from project import FolderTest, ROOT, VERSION, run

# What a program may take from glibc, and the loader.
ALLOWED = re.compile(r"^(linux-vdso|libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so")


class StaticTest(FolderTest):
    def test_the_packed_program_needs_the_c_library_alone(self):
        done = run(["make", "package"], timeout=3000)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])
        (archive,) = (ROOT / "dist").glob(f"assay-{VERSION}-*.tar.gz")
        self.succeeds([ROOT / "tools/unpack_release.sh", archive, self.folder / "packed"])
        program = self.folder / "packed/bin/assay"
        for line in self.succeeds(["ldd", program]).splitlines():
            library = line.split()[0].rsplit("/", 1)[-1]
            self.assertRegex(library, ALLOWED, line)
        (package,) = (ROOT / "dist").glob(f"assay_{VERSION}_*.deb")
        depends = self.succeeds(["dpkg-deb", "--field", package, "Depends"])
        self.assertRegex(depends, r"^libc6 \(>= [\d.]+\)\n$")
        checked = run([program, "check", "kernels/softmax", "--device", "vgpu:l4", "--shape", "ROWS=2,COLUMNS=33,dtype=f32"],
                      ASSAY_CACHE=str(self.folder / "cache"))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main()
