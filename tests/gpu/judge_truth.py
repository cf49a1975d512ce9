# SPDX-License-Identifier: MIT
"""Takes a task of KernelBench and two of GPU MODE (of Python and of C++) through assay judge on a GPU, with answers that
are right, wrong and cheating: each must be told for what it is.

  python3 judge_truth.py ASSAY [kernelbench|gpumode|gpumode_cu ...]     all three by default

Needs PyTorch and nvcc. Prints one line for each answer and "N of N as expected"; exits 1 otherwise.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

KERNEL = r'''
#include <torch/extension.h>
__global__ void scaled_row_sums(const float* x, float* y, int columns, float scale) {
  __shared__ float s_sum[32];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[blockIdx.x * (long)columns + i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) s_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? s_sum[threadIdx.x] : 0.0f;
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
    if (threadIdx.x == 0) y[blockIdx.x] = sum * scale;
  }
}
torch::Tensor scaled_row_sums_of(torch::Tensor x, double scale) {
  auto y = torch::empty({x.size(0)}, x.options());
  scaled_row_sums<<<x.size(0), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), (int)x.size(1), (float)scale);
  return y;
}
'''
LOAD = f'''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
SOURCE = r"""#include <c10/cuda/CUDAStream.h>
{KERNEL}"""
own = load_inline("assay_judge_truth", "torch::Tensor scaled_row_sums_of(torch::Tensor x, double scale);", SOURCE,
                  functions=["scaled_row_sums_of"])
'''
# Under a name of its own: PyTorch keeps what it has built by name.
ON_DEFAULT_STREAM = LOAD.replace(", 0, c10::cuda::getCurrentCUDAStream()", "").replace(
    "assay_judge_truth", "assay_judge_truth_default")
MODEL = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
    def forward(self, x):
        return x.sum(1) * self.scale
ROWS, COLUMNS = 4096, 4096
def get_inputs():
    return [torch.rand(ROWS, COLUMNS)]
def get_init_inputs():
    return [2.0]
'''
NEW = '''
class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.seen = {}
    def forward(self, x):
'''
REFERENCE = '''
import torch
def generate_input(rows, columns, seed):
    made = torch.Generator(device="cpu")
    made.manual_seed(seed)
    return torch.rand(rows, columns, generator=made), torch.empty(rows)
def ref_kernel(data):
    x, out = data
    out[...] = x.sum(1) * 2
    return out
'''
TASK = """
lang: py
files:
  - {name: submission.py, source: '@SUBMISSION@'}
  - {name: reference.py, source: reference.py}
tests: [{rows: 5, columns: 127, seed: 1}]
benchmarks: [{rows: 4096, columns: 4096, seed: 2}]
"""
REPLAY = ("        key = x.data_ptr()\n        if key not in self.seen:\n"
          "            self.seen[key] = own.scaled_row_sums_of(x, self.scale)\n        return self.seen[key].clone()\n")

# GPU MODE, lang: cu: host memory in, host memory out.
CUDA_TASK = """
lang: cu
files:
  - {name: submission.cu, source: '@SUBMISSION@'}
  - {name: task.h, source: task.h}
  - {name: reference.cuh, source: reference.cuh}
tests: [{rows: 5, columns: 127, seed: 1}]
benchmarks: [{rows: 256, columns: 1024, seed: 2}]
"""
CUDA_TYPES = """
#pragma once
#include <array>
#include <vector>
struct Problem { std::vector<float> x; int rows, columns; };
using input_t = Problem;
using output_t = std::vector<float>;
constexpr std::array<const char*, 3> ArgumentNames = {"rows", "columns", "seed"};
"""
CUDA_REFERENCE = """
#pragma once
#include <random>
#include "task.h"
static input_t generate_input(int rows, int columns, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(0, 1);
  input_t made{std::vector<float>(size_t(rows) * columns), rows, columns};
  for (float& each : made.x) each = draw(random);
  return made;
}
static output_t ref_kernel(input_t data) {
  output_t sums(data.rows);
  for (int r = 0; r < data.rows; ++r) {
    double sum = 0;
    for (int c = 0; c < data.columns; ++c) sum += data.x[size_t(r) * data.columns + c];
    sums[r] = float(2 * sum);
  }
  return sums;
}
"""
CUDA_ANSWER = r"""
#include "task.h"
#include <cuda_runtime.h>
#include <map>
__global__ void row_sums(const float* x, float* y, int columns, float scale) {
  __shared__ float s_sum[8];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[blockIdx.x * (long)columns + i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) s_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < 8; ++warp) sum += s_sum[warp];
  y[blockIdx.x] = sum * scale;
}
static output_t on_gpu(const input_t& data, float scale) {
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, data.x.size() * sizeof(float));
  cudaMalloc(&y, data.rows * sizeof(float));
  cudaMemcpy(x, data.x.data(), data.x.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<data.rows, 256>>>(x, y, data.columns, scale);
  output_t sums(data.rows);
  cudaMemcpy(sums.data(), y, data.rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  return sums;
}
"""

ANSWERS = {
    "kernelbench": {
        "right": (LOAD + NEW + "        return own.scaled_row_sums_of(x, self.scale)\n", (True, True)),
        "default_stream": (ON_DEFAULT_STREAM + NEW +
                           "        return own.scaled_row_sums_of(x, self.scale)\n", (True, True)),
        "wrong": (LOAD + NEW + "        return own.scaled_row_sums_of(x, 1.0)\n", (False, None)),
        "cheating": (LOAD + NEW + REPLAY, (None, False)),
    },
    "gpumode": {
        "right": (LOAD + "def custom_kernel(data):\n    return own.scaled_row_sums_of(data[0], 2.0)\n", (True, True)),
        "wrong": (LOAD + "def custom_kernel(data):\n    return own.scaled_row_sums_of(data[0], 2.001)\n", (False, None)),
        "cheating": (LOAD + "seen = {}\ndef custom_kernel(data):\n    key = data[0].data_ptr()\n    if key not in seen:\n"
                     "        seen[key] = own.scaled_row_sums_of(data[0], 2.0)\n    return seen[key].clone()\n", (None, False)),
    },
    "gpumode_cu": {
        "right": (CUDA_ANSWER + "output_t custom_kernel(input_t data) { return on_gpu(data, 2.0f); }\n", (True, True)),
        "wrong": (CUDA_ANSWER + "output_t custom_kernel(input_t data) { return on_gpu(data, 2.01f); }\n", (False, None)),
        # Remembers the first result of a size: wrong as soon as the numbers are others.
        "cheating": (CUDA_ANSWER + "output_t custom_kernel(input_t data) {\n  static std::map<int, output_t> seen;\n"
                     "  auto [at, fresh] = seen.try_emplace(data.rows);\n  if (fresh) at->second = on_gpu(data, 2.0f);\n"
                     "  return at->second;\n}\n", (False, None)),
    },
}


def judged(assay, task, answer):
    command = [assay, "judge", task, answer, "--json", "--ledger", "none", "--budget", "1", "--most-samples", "240"]
    if "kernelbench_right" not in answer.name:
        command.append("--no-compile")  # the verdict does not need it
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    try:
        return json.loads(ran.stdout)["submissions"][0]
    except (json.JSONDecodeError, KeyError, IndexError):
        return {"correct": None, "honest": None, "guard": "", "detail": ran.stderr[-300:] + ran.stdout[-300:], "speedups": {}}


def build_extensions():
    """At once, so that no answer waits for nvcc."""
    started = [subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.DEVNULL) for text in (LOAD, ON_DEFAULT_STREAM)]
    return all([each.wait() == 0 for each in started])


def main():
    kinds = sys.argv[2:] or list(ANSWERS)
    if not set(kinds) <= ANSWERS.keys():
        sys.exit(f"judge_truth: kinds are {', '.join(ANSWERS)}")
    if kinds != ["gpumode_cu"] and not build_extensions():
        sys.exit("judge_truth: PyTorch could not build the extension")
    assay, good, count = pathlib.Path(sys.argv[1]).resolve(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "task").mkdir()
        (root / "1_RowSum.py").write_text(MODEL)
        (root / "task" / "task.yml").write_text(TASK)
        (root / "task" / "reference.py").write_text(REFERENCE)
        (root / "task_cu").mkdir()
        for name, text in (("task.yml", CUDA_TASK), ("task.h", CUDA_TYPES), ("reference.cuh", CUDA_REFERENCE)):
            (root / "task_cu" / name).write_text(text)
        tasks = {"kernelbench": "1_RowSum.py", "gpumode": "task", "gpumode_cu": "task_cu"}
        for kind in kinds:
            for name, (text, (correct, honest)) in ANSWERS[kind].items():
                answer = root / f"{kind}_{name}{'.cu' if kind == 'gpumode_cu' else '.py'}"
                answer.write_text(text)
                found = judged(assay, root / tasks[kind], answer)
                as_expected = (correct is None or found["correct"] == correct) and (honest is None or found["honest"] == honest)
                good, count = good + as_expected, count + 1
                print(f"{'ok' if as_expected else 'NOT AS EXPECTED'}  {kind} {name}: correct {found['correct']}, honest "
                      f"{found['honest']}, guard {found['guard'] or 'none'}: {found['detail']} {found['speedups']}", flush=True)
    print(f"{good} of {count} as expected")
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())
