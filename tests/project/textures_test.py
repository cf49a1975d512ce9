# SPDX-License-Identifier: MIT
"""A kernel with a texture and a surface from its description to its time: on the virtual GPU, and with the fake driver in
a GPU's place, where arrays are filled before a call and drained behind it, outside of what is timed."""

import unittest

from project import BUILD, FolderTest, PROGRAM, ROOT, run

KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry texture_copy_f32(.param .u64 t, .param .u64 s)
{
  .reg .b32 %x, %y, %r<5>;
  .reg .f32 %u, %v;
  .reg .b64 %t, %s;
  ld.param.u64 %t, [t];
  ld.param.u64 %s, [s];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %ctaid.x;
  cvt.rn.f32.u32 %u, %x;
  cvt.rn.f32.u32 %v, %y;
  tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}];
  shl.b32 %x, %x, 2;
  sust.b.2d.b32.trap [%s, {%x, %y}], {%r1};
  ret;
}
"""

SPECIFICATION = """
[kernel]
name    = "texture_copy"
source  = "copy.ptx"
entry   = "texture_copy_f32"
targets = ["sm_90"]

[problem]
reference = "copy"

[[argument]]
name   = "x"
passed = false
tensor = { dtype = "f32", shape = ["H", "W"] }

[[argument]]
name   = "y"
passed = false
tensor = { dtype = "f32", shape = ["H", "W"], output = true }

[[argument]]
name    = "from"
texture = { of = "x" }

[[argument]]
name    = "to"
surface = { of = "y" }

[launch]
grid  = ["H"]
block = ["W"]

[shapes]
canonical = [{ H = 8, W = 32 }]
"""


# Level 1 of a mipmap, whose places are fractions of 16 by 4 texels.
OF_LEVEL_1 = KERNEL.replace("  tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}];", """
  fma.rn.f32 %u, %u, 0f3D800000, 0f3D000000;
  fma.rn.f32 %v, %v, 0f3E800000, 0f3E000000;
  tex.level.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}], 0f3F800000;""")
MIPMAP = SPECIFICATION.replace('tensor = { dtype = "f32", shape = ["H", "W"] }', """tensor = { dtype = "f32", shape = ["H", "W"] }

[[argument]]
name   = "whole"
passed = false
tensor = { dtype = "f32", shape = ["2*H", "2*W"], fill = "zeros" }""") \
    .replace('texture = { of = "x" }', 'texture = { of = "whole", normalised = true, mipmap = { levels = ["x"] } }') \
    .replace("H = 8, W = 32", "H = 4, W = 16").replace("[shapes]", '[shapes]\nconstraints = ["H == 4 && W == 16"]').replace('"copy"', '"reference.py"')


class TexturesTest(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "level").mkdir()
        (self.folder / "level/copy.ptx").write_text(OF_LEVEL_1)
        (self.folder / "level/kernel.toml").write_text(MIPMAP)
        (self.folder / "level/reference.py").write_text("def reference(x, whole):\n    return x\n")
        (self.folder / "copy").mkdir()
        (self.folder / "copy/copy.ptx").write_text(KERNEL)
        (self.folder / "copy/kernel.toml").write_text(SPECIFICATION)

    def assay(self, *words):
        trace = self.folder / "trace"
        trace.write_text("")
        done = run([PROGRAM, *words], folder=self.folder, ASSAY_CUDA_DRIVER=str(BUILD / "tests/fake/libfake_cuda.so"),
                   ASSAY_NVML_LIBRARY="none", ASSAY_CUPTI_LIBRARY="none", FAKE_CUDA_WAITS="1",
                   FAKE_CUDA_TRACE=str(trace))
        return done, trace.read_text().split("\n")

    def test_a_kernel_is_right_on_both_devices(self):
        for device in ("vgpu:h200", "cuda:0"):
            done, _ = self.assay("check", "copy", "--device", device)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("correct texture_copy", done.stdout)

    def test_a_mipmap_is_right_on_both_devices(self):
        for device in ("vgpu:h200", "cuda:0"):
            done, trace = self.assay("check", "level", "--device", device)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("correct texture_copy", done.stdout)
            if device == "cuda:0":
                self.assertGreaterEqual(trace.count("fill"), 2, "an array for each level")

    def test_copies_are_not_timed(self):
        for protocol in ("event", "graph"):
            done, trace = self.assay("bench", "copy", "--device", "cuda:0", "--most-samples", "100", "--protocol", protocol)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("fill", trace)
            timed = [i for i, word in enumerate(trace) if word == "record" and trace[i + 1:i + 3] == ["call", "record"]]
            self.assertGreater(len(timed), 50)
            for at in timed:
                self.assertEqual(trace[at + 3], "drain", "the result is fetched when the clock has stopped")

    def test_a_package_for_pytorch_makes_its_own_textures(self):
        done, _ = self.assay("export", "--torch", "copy")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "texture_copy_torch/texture.py").is_file())

    def test_what_lies_outside_of_a_surface_is_found(self):
        done, _ = self.assay("sanitize", ROOT / "kernels/broken/surface_out_of_bounds")
        self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
        self.assertIn("out-of-bounds write of 4 bytes in surface 'to'", done.stdout)
        done, _ = self.assay("sanitize", ROOT / "kernels/surface_transpose")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
