# SPDX-License-Identifier: MIT
"""`assay new`: from a source that nobody has described to a first verdict. PTX needs no compiler; CUDA C++ needs nvcc."""

import json
import os
import re
import shutil
import unittest

from project import FolderTest, PROGRAM, ROOT, run

NVCC = os.environ.get("ASSAY_TEST_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

SAXPY = """
// y = a x + y
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
void host(int n, float *x, float *y) { saxpy<<<(n + 127) / 128, 128>>>(n, 2.0f, x, y); }
"""

STRUCTURE = """
#include <cuda_fp16.h>
struct Params { const __half* in; float* out; int count; float scale; };
template <class T, int kBlock>
__global__ void __launch_bounds__(kBlock) convert(T params) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < params.count) params.out[i] = __half2float(params.in[i + 1]) * params.scale;
}
template __global__ void convert<Params, 64>(Params);
"""

# Constants that the host sets, a kernel behind a macro, blocks of 128 threads that only the host's code tells, and a
# header of its own.
CONSTANT = """
#include "radius.cuh"
#define KERNEL __global__ void
namespace filters { __constant__ float weights[2 * RADIUS + 1]; }
KERNEL blur(const float* in, float* out, unsigned len) {
  __shared__ float tile[128 + 2 * RADIUS];
  for (int k = threadIdx.x; k < 128 + 2 * RADIUS; k += 128) {
    const int j = blockIdx.x * 128 + k - RADIUS;
    tile[k] = j >= 0 && j < (int)len ? in[j] : 0.f;
  }
  __syncthreads();
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += filters::weights[k + RADIUS] * tile[threadIdx.x + RADIUS + k];
  if (i < len) out[i] = sum;
}
"""

SPARSE = """
struct Times { __device__ float operator()(float a, float b) const { return a * b; } };
template <class Op>
__global__ void rows(int num_rows, const int* row_ptr, const int* col_idx, const float* vals, const float* x, float* y, Op op) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= num_rows) return;
  float sum = 0;
  for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) sum += op(vals[j], x[col_idx[j]]);
  y[r] = sum;
}
template __global__ void rows<Times>(int, const int*, const int*, const float*, const float*, float*, Times);
"""

LAMBDA = """
template <class F>
__global__ void each(int count, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) f(i);
}
void run(int n, const float* x, float* y, float s) {
  each<<<n / 64, 64>>>(n, [=] __device__(int i) { y[i] = s * x[i]; });
}
"""

OBJECTS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry shade(.param .u64 shade_0, .param .u64 shade_1)
{
  .reg .b32 %x, %y, %b, %r<5>;
  .reg .f32 %u, %v;
  .reg .b64 %t, %s;
  ld.param.u64 %t, [shade_0];
  ld.param.u64 %s, [shade_1];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %ctaid.x;
  and.b32 %y, %y, 31;
  and.b32 %x, %x, 31;
  cvt.rn.f32.u32 %u, %x;
  cvt.rn.f32.u32 %v, %y;
  tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}];
  shl.b32 %b, %x, 2;
  sust.b.2d.b32.trap [%s, {%b, %y}], {%r1};
  ret;
}
"""


# What no name tells: sizes that nothing is called after, a grid in another order, rows that only the grid counts, a
# part of each row, tiles without bounds, and a sum for each block.
SIZES = """
__global__ void product(const float* left, const float* right, float* result, int p, int q, int r) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  if (row >= p || column >= q) return;
  float sum = 0;
  for (int i = 0; i < r; ++i) sum += left[row * r + i] * right[i * q + column];
  result[row * q + column] = sum;
}
__global__ void filter(const float* x, const float* weights, float* y, int batch, int channels, int length, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.z * channels + blockIdx.y;
  const int valid = length - taps + 1;
  if (i >= valid) return;
  float sum = 0;
  for (int t = 0; t < taps; ++t) sum += x[row * length + i + t] * weights[blockIdx.y * taps + t];
  y[row * valid + i] = sum;
}
__global__ void rotate(float* q, const long* positions, int heads, int dim, int part) {
  float* row = q + (blockIdx.x * heads + blockIdx.y) * dim;
  for (int i = threadIdx.x; i < part; i += blockDim.x) row[i] *= positions[blockIdx.x];
}
__global__ void sums(const float* x, float* partial, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&partial[blockIdx.x], i < n ? x[i] : 0.f);
}
__global__ void tiles(const float* from, float* to, int rows, int columns) {
  const int i = (blockIdx.y * 16 + threadIdx.y) * columns + blockIdx.x * 16 + threadIdx.x;
  to[i] = 2 * from[i];
}
void host() { product<<<dim3(1, 1), dim3(32, 8)>>>(0, 0, 0, 0, 0, 0); }
"""


# What is easily said wrongly: a block that only the host's arithmetic tells, with a grid that nobody can know; a source
# without any integer; elements that another tensor points to; an image; three sizes that one axis covers; a name that
# is another one in each compilation; bytes without a type; a sum over any number of blocks.
HARD = """
__device__ static float twice(float x) { return 2 * x; }
template <float (*f)(float)> static __global__ void map(const float* x, float* y, int optN) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < optN) y[i] = f(x[i]);
}
template __global__ void map<twice>(const float*, float*, int);
__global__ void vectors(const float4* x, float4* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void embed(float* y, const int* tokens, const float* table, int B, int T, int C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * C) y[i] = table[tokens[i / C] * C + i % C];
}
__global__ void brighten(const unsigned char* in, int in_pitch, unsigned char* out, int out_pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    for (int c = 0; c < 3; ++c) out[y * out_pitch + 3 * x + c] = in[y * in_pitch + x] / 2;
}
struct Header { short a; char b[6]; };
__global__ void headers(const Header* h, void* raw, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) static_cast<double*>(raw)[i] = h[i].a + h[i].b[5];
}
__global__ void sample(const int* x, unsigned* bins, int num_bins, int total) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i] % num_bins], 1u);
}
const int kRows = 4;
void host() { sample<<<40, kRows * 32>>>(0, 0, 0, 0); }
"""


class NewTest(FolderTest):
    def assay(self, *words, **settings):
        return run([PROGRAM, *words], folder=self.folder, **settings)

    def new(self, *words, **settings):
        done = self.assay("new", *words, "--json", **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_ptx_of_another_compiler_runs_at_once(self):
        shutil.copy(ROOT / "kernels/triton_add/add_kernel.ptx", self.folder)
        report = self.new("add_kernel.ptx", "--reference", "python")
        kernel = report["kernels"][0]
        self.assertEqual(kernel["entry"], "add_kernel")
        self.assertEqual(kernel["verdict"], "clean", kernel)
        text = (self.folder / "add_kernel/kernel.toml").read_text()
        self.assertIn('block = ["128", "1", "1"]', text)
        self.assertIn("output = true", text)

    def test_textures_and_surfaces_are_known_by_their_use(self):
        (self.folder / "shade.ptx").write_text(OBJECTS)
        kernel = self.new("shade.ptx", "--reference", "python")["kernels"][0]
        text = (self.folder / "shade/kernel.toml").read_text()
        self.assertIn('texture = { of = "p0_texels" }', text)
        self.assertIn('surface = { of = "p1_texels" }', text)
        self.assertIn("passed = false", text)
        self.assertIn("output = true", text)
        marks = [point["text"] for point in kernel["open"]]
        self.assertTrue(any(mark.startswith("what is the texture") for mark in marks), marks)
        self.assertTrue(any(mark.startswith("filter, address, normalised and read") for mark in marks), marks)
        self.assertEqual(kernel["verdict"], "clean", kernel)

    def test_nothing_is_overwritten(self):
        shutil.copy(ROOT / "kernels/triton_add/add_kernel.ptx", self.folder)
        (self.folder / "add_kernel").mkdir()
        done = self.assay("new", "add_kernel.ptx")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there already", done.stderr)

    def test_a_shipped_kernel_is_copied_under_another_name(self):
        self.new("--like", ROOT / "kernels/softmax", "mine")
        self.assertIn('name    = "mine"', (self.folder / "mine/kernel.toml").read_text())
        self.assertEqual(self.assay("build", "mine").returncode, 0, "no compiler in this test: the PTX came along")
        with open(self.folder / "mine/softmax.cu", "a") as source:
            source.write("// another one\n")
        self.assertEqual(self.assay("build", "mine").returncode, 6, "it is not the PTX of this source")

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_a_source_is_described_checked_and_judged(self):
        (self.folder / "saxpy.cu").write_text(SAXPY)
        kernel = self.new("saxpy.cu", "--reference", "python", ASSAY_NVCC=NVCC)["kernels"][0]
        self.assertEqual(kernel["verdict"], "clean", kernel)
        self.assertEqual(len(kernel["open"]), 1, kernel["open"])
        text = (self.folder / "saxpy/kernel.toml").read_text()
        for part in ('block = ["128"]', 'name   = "a"', "inout = true", 'value = "N"'):
            self.assertIn(part, text)
        done = self.assay("check", "saxpy", ASSAY_NVCC=NVCC)
        self.assertEqual(done.returncode, 2)
        self.assertIn("saxpy/reference.py:", done.stderr)
        self.assertEqual(self.assay("sanitize", "saxpy", "--device", "vgpu:l4", ASSAY_NVCC=NVCC).returncode, 0)
        (self.folder / "saxpy/reference.py").write_text("def reference(a, x, y):\n    return a * x + y\n")
        done = self.assay("check", "saxpy", "--device", "vgpu:l4", ASSAY_NVCC=NVCC)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.folder / "saxpy/reference.py").write_text("def reference(a, x, y):\n    return a * x - y\n")
        self.assertEqual(self.assay("check", "saxpy", "--device", "vgpu:l4", ASSAY_NVCC=NVCC).returncode, 5)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_templates_structures_and_room_behind_a_tensor(self):
        (self.folder / "convert.cu").write_text(STRUCTURE)
        kernel = self.new("convert.cu", ASSAY_NVCC=NVCC)["kernels"][0]
        self.assertEqual(kernel["entry"], "convert<Params, 64>")
        self.assertEqual(kernel["verdict"], "clean", kernel)
        text = (self.folder / "convert/kernel.toml").read_text()
        self.assertIn('struct = { name = "params", at = 16 }', text)
        self.assertIn('dtype = "f16", shape = ["COUNT + 1"]', text, "it reads one element more than it writes")
        self.assertIn('grid  = ["ceil_div(COUNT, 64)"]', text)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_sizes_and_grids_are_found_by_running_the_kernel(self):
        (self.folder / "sizes.cu").write_text(SIZES)
        report = self.new("sizes.cu", ASSAY_NVCC=NVCC)
        for kernel in report["kernels"]:
            self.assertEqual(kernel["verdict"], "clean", kernel)
            self.assertEqual(len(kernel["open"]), 1, f"the reference alone: {kernel['open']}")
        wanted = {
            "product": [["P", "R"], ["R", "Q"], ["P", "Q"], ["ceil_div(Q, 32)", "ceil_div(P, 8)"]],
            "filter": [["BATCH", "CHANNELS", "LENGTH"], ["CHANNELS", "TAPS"], ["BATCH", "CHANNELS", "LENGTH - TAPS + 1"],
                       ["ceil_div(LENGTH, 256)", "CHANNELS", "BATCH"]],
            "rotate": [["BLOCKS", "HEADS", "DIM"], ["BLOCKS"], ["BLOCKS", "HEADS"]],
            "sums": [["N"], ["ceil_div(N, 256)"], ["ceil_div(N, 256)"]],
            "tiles": [["ROWS", "COLUMNS"], ["ROWS", "COLUMNS"], ["ceil_div(COLUMNS, 16)", "ceil_div(ROWS, 16)"]],
        }
        for name, lists in wanted.items():
            with self.subTest(kernel=name):
                text = (self.folder / "sizes" / name / "kernel.toml").read_text()
                found = [json.loads(each) for each in re.findall(r"(?:shape|grid) +?= (\[.*?\])", text)]
                self.assertEqual(found, lists, text)
                self.assertFalse((self.folder / "sizes" / name / "trial.toml").exists())

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_constants_headers_macros_and_the_size_of_blocks(self):
        (self.folder / "radius.cuh").write_text("#define RADIUS 3\n")
        (self.folder / "blur.cu").write_text(CONSTANT)
        kernel = self.new("blur.cu", ASSAY_NVCC=NVCC)["kernels"][0]
        self.assertEqual(kernel["verdict"], "clean", kernel)
        text = (self.folder / "blur/kernel.toml").read_text()
        for part in ('include = [".."]', 'name   = "weights"', 'shape = [7]', 'value = "LEN"', 'block = ["128"]'):
            self.assertIn(part, text)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_offsets_and_places_lie_in_the_tensors(self):
        (self.folder / "sparse.cu").write_text(SPARSE)
        kernel = self.new("sparse.cu", ASSAY_NVCC=NVCC)["kernels"][0]
        self.assertEqual(kernel["verdict"], "clean", kernel)
        self.assertEqual(len(kernel["open"]), 1, "the reference alone")
        text = (self.folder / "sparse/kernel.toml").read_text()
        self.assertIn('shape = ["NUM_ROWS + 1"], fill = { kind = "offsets", total = "NUM_ROWS" }', text)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_members_lie_where_the_compiler_put_them(self):
        """The sources say themselves what must be found, and the compiler that it is true."""
        folder = ROOT / "tests/build/debug"
        for name in ("inheritance", "bit_fields", "included_header"):
            kernel = self.new(folder / f"{name}.cu", "--name", name, "--no-trial", ASSAY_NVCC=NVCC)["kernels"][0]
            self.assertEqual((kernel["signature"], kernel["missing"]), ("debug information", []))
            text = (self.folder / name / "kernel.toml").read_text()
            found = re.findall(r'name   = "(\w+)"\n(?:tensor|scalar) = \{ (?:dtype|type) = "(\w+)".*\n'
                               r'struct = \{ name = "\w+", at = (\d+)', text)
            wanted = re.findall(r"^(?:VALUE|POINTER|CONST_POINTER)\((\w+), (\w+), (\d+),", (folder / f"{name}.cu").read_text(),
                                re.MULTILINE)
            self.assertEqual(found, wanted, name)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_flags_that_the_compiler_asks_for_are_found(self):
        (self.folder / "lambda.cu").write_text(LAMBDA)
        kernel = self.new("lambda.cu", ASSAY_NVCC=NVCC)["kernels"][0]
        self.assertEqual(kernel["verdict"], "clean", kernel)
        text = (self.folder / "lambda/kernel.toml").read_text()
        self.assertIn('flags   = ["--expt-extended-lambda"', text)
        for member in ('name   = "x"', 'name   = "s"', 'block = ["64"]'):
            self.assertIn(member, text)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_a_source_without_kernels_says_so(self):
        (self.folder / "none.cu").write_text("template <class T> __global__ void k(T* x) { *x = 1; }\n")
        done = self.assay("new", "none.cu", ASSAY_NVCC=NVCC)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no kernel in it", done.stderr)
        self.assertIn("instantiation", done.stderr)

    @unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
    def test_a_guess_is_not_stated_as_a_fact(self):
        (self.folder / "hard.cu").write_text(HARD)
        report = self.new("hard.cu", ASSAY_NVCC=NVCC)
        self.assertEqual([kernel["message"] for kernel in report["kernels"] if kernel["verdict"] == "not run"], [])
        text = {kernel["folder"].split("/")[-1]: (self.folder / kernel["folder"] / "kernel.toml").read_text()
                for kernel in report["kernels"]}

        def line(name, argument):
            return re.search(rf'name *= "{argument}"\n(.*)', text[name]).group(1)

        self.assertIn('entry   = "map<*twice>"', text["map"])
        self.assertIn('shape = ["OPTN"], output = true }   # as far as the kernel reaches', text["map"])
        self.assertIn('shape = ["1024*BLOCKS"], output = true }   # as far', text["vectors"])
        self.assertIn('grid  = ["ceil_div(B*T*C, 256)"]', text["embed"])
        self.assertIn('shape = ["B", "T", "C"], output = true }   # as far', line("embed", "y"))
        self.assertIn("# guessed", line("embed", "table"))
        self.assertNotIn("as far", line("embed", "table"), "how far it reaches depends on the tokens")
        self.assertIn('shape = ["HEIGHT", "WIDTH", "3"], strides = ["OUT_PITCH", "3", "1"]', line("brighten", "out"))
        self.assertIn('value = "IN_PITCH" }   # guessed', line("brighten", "in_pitch"))
        self.assertIn('shape = ["COUNT", "8"] }   # open: Header const* elements, as bytes', line("headers", "h"))
        self.assertIn("# guessed: bytes", line("headers", "raw"))
        self.assertIn('[launch]   # the grid is guessed\n', text["sample"])
        self.assertIn('block = ["128"]', text["sample"])


if __name__ == "__main__":
    unittest.main()
