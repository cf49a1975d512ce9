# SPDX-License-Identifier: MIT
"""`assay new` on kernels that take strides beside sizes: strides follow the sizes, whichever are tried, and a gap between
rows is tried as well."""

import json
import os
import re
import shutil
import unittest

from project import FolderTest, PROGRAM, run

NVCC = os.environ.get("ASSAY_TEST_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

# Leading dimensions; one stride for a batch and another for its matrices; a pitch in bytes; vectors of four, whose rows
# stay aligned; the strides of a structure; a stencil that leaves a border; and what is called a stride and is none.
STRIDES = """
__global__ void product(int m, int n, int k, const float* A, int lda, const float* B, int ldb, float* C, int ldc) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * lda + i] * B[i * ldb + column];
  C[row * ldc + column] = sum;
}
__global__ void batches(const float* x, float* y, int rows, int columns, int ld, long stride_x) {
  const int column = blockIdx.x * 256 + threadIdx.x;
  if (column >= columns) return;
  const long at = blockIdx.z * stride_x + blockIdx.y * ld + column;
  y[(blockIdx.z * rows + blockIdx.y) * columns + column] = x[at];
}
__global__ void lines(float* image, size_t pitch, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) reinterpret_cast<float*>(reinterpret_cast<char*>(image) + y * pitch)[x] *= 2;
}
__global__ void fours(const float* x, float* y, int rows, int columns, int row_stride) {
  const int row = blockIdx.x;
  if (row >= rows) return;
  for (int i = threadIdx.x; i < columns / 4; i += 64)
    reinterpret_cast<float4*>(y + row * row_stride)[i] = reinterpret_cast<const float4*>(x + row * row_stride)[i];
}
struct View { const float* data; int rows, cols, stride; };
__global__ void sums(View view, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= view.rows) return;
  float sum = 0;
  for (int i = 0; i < view.cols; ++i) sum += view.data[row * view.stride + i];
  y[row] = sum;
}
__global__ void heat(const float* u, float* v, int n) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    v[i * n + j] = (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]) / 4;
}
__global__ void hops(const float* x, float* y, int n, int stride) {
  for (int i = threadIdx.x; i < n; i += stride) y[i] = x[i] + blockIdx.x;
}
void host() {
  product<<<dim3(1, 1), dim3(16, 16)>>>(0, 0, 0, 0, 0, 0, 0, 0, 0);
  batches<<<1, 256>>>(0, 0, 0, 0, 0, 0);
  lines<<<1, 32>>>(0, 0, 0, 0);
  fours<<<1, 64>>>(0, 0, 0, 0, 0);
  heat<<<dim3(1, 1), dim3(16, 16)>>>(0, 0, 0);
}
"""


@unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
class NewStridesTest(FolderTest):
    def assay(self, *words):
        return run([PROGRAM, *words], folder=self.folder, ASSAY_NVCC=NVCC, ASSAY_CACHE=str(self.folder / "cache"))

    def described(self):
        (self.folder / "strides.cu").write_text(STRIDES)
        done = self.assay("new", "strides.cu", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kernels = {kernel["folder"].split("/")[-1]: kernel for kernel in json.loads(done.stdout)["kernels"]}
        for kernel in kernels.values():
            self.assertEqual(kernel["verdict"], "clean", kernel)
        return {name: (self.folder / "strides" / name / "kernel.toml").read_text() for name in kernels}

    def test_strides_follow_the_sizes(self):
        texts = self.described()

        def line(name, argument):
            return re.search(rf'name *= "{argument}"\n(.*)', texts[name]).group(1)

        self.assertIn('shape = ["M", "K"], strides = ["LDA", "1"]', line("product", "A"))
        self.assertIn('shape = ["K", "N"], strides = ["LDB", "1"]', line("product", "B"))
        self.assertIn('value = "LDA" }   # guessed', line("product", "lda"))
        self.assertIn('\nLDA = "K + GAP"\nLDB = "N + GAP"\nLDC = "N + GAP"\n', texts["product"])
        self.assertIn("[let]   # guessed", texts["product"])
        self.assertRegex(texts["product"], r"padded    = \[\{.*GAP = 3 \}\]\ndefaults  = \{ GAP = 0 \}")

        self.assertIn('strides = ["STRIDE_X", "LD", "1"]', line("batches", "x"))
        self.assertTrue(line("batches", "y").endswith("output = true }   # as far as the kernel reaches"))
        self.assertIn('\nLD = "COLUMNS + GAP"\nSTRIDE_X = "ROWS*LD + GAP"\n', texts["batches"])

        self.assertIn('shape = ["HEIGHT", "WIDTH"], strides = ["PITCH/4", "1"]', line("lines", "image"))
        self.assertIn('\nPITCH = "4*WIDTH + 4*GAP"\n', texts["lines"])

        self.assertIn("GAP = 8 }]", texts["fours"], "a gap of 3 floats is no place for a vector of four")

        self.assertIn('shape = ["ROWS", "COLS"], strides = ["STRIDE", "1"]', line("sums", "data"))

        self.assertIn('shape = ["N", "N"] }', line("heat", "u"))
        self.assertIn('shape = ["N", "N"], inout = true }   # guessed: the kernel leaves the border', line("heat", "v"))
        canonical = int(re.search(r"canonical = \[\{ N = (\d+)", texts["heat"]).group(1))
        self.assertLess(canonical, 10_000, "two dimensions of it")

        self.assertNotIn("GAP", texts["hops"])
        self.assertNotIn("[let]", texts["hops"])

        for name in ("product", "batches", "lines", "sums", "heat"):
            sizes = re.findall(r"(\w+) = \d+", re.search(r"canonical = .*", texts[name]).group(0))
            shape = ",".join(f"{size}={value}" for size, value in zip(sizes, (5, 40, 3)))
            for gap in [""] if name == "heat" else ["", ",GAP=1", ",GAP=12"]:
                with self.subTest(kernel=name, shape=shape + gap):
                    done = self.assay("sanitize", f"strides/{name}", "--device", "vgpu:l4", "--shape", shape + gap)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_check_takes_what_was_described(self):
        (self.folder / "sums.cu").write_text(STRIDES[STRIDES.index("struct View"):STRIDES.index("__global__ void heat")])
        done = self.assay("new", "sums.cu", "--reference", "python")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.folder / "sums/reference.py").write_text("def reference(data):\n    return data.sum(axis=1)\n")
        done = self.assay("check", "sums", "--device", "vgpu:l4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
