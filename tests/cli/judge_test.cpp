// SPDX-License-Identifier: MIT
// assay judge from end to end: the real harness and guards, with a PyTorch and a device that are made up
// (tests/providers/fake_torch).
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/process.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr const char* kTask = R"py(import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
    def forward(self, x):
        return x.sum(1) * self.scale
ROWS, COLUMNS = 4, 16
def get_inputs():
    return [torch.rand(ROWS, COLUMNS)]
def get_init_inputs():
    return [2.0]
)py";
constexpr const char* kHead =
    "import torch\nimport torch.nn as nn\nclass ModelNew(nn.Module):\n    def __init__(self, scale):\n"
    "        super().__init__()\n        self.scale = scale\n";

class JudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* candidate : {"/usr/bin/python3", "python3"}) {
      Command command;
      command.arguments = {candidate, "-c", "import numpy"};
      const auto outcome = run(command);
      if (!outcome || !outcome->succeeded()) continue;
      folder_.write_script("python", std::string("PYTHONPATH='" ASSAY_SOURCE_DIR
                                                 "/tests/providers/fake_torch' PYTHONDONTWRITEBYTECODE=1 exec ") +
                                         candidate + " \"$@\"\n");
      return;
    }
    GTEST_SKIP() << "there is no Python with NumPy";
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProcessOutcome judge(std::vector<std::string> arguments, const std::string& nvcc = "none") const {
    arguments.insert(arguments.begin(), "judge");
    arguments.insert(arguments.end(), {"--ledger", path("ledger.sqlite"), "--most-samples", "100", "--budget", "1"});
    Command command = assay_command(std::move(arguments));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    command.environment["ASSAY_PYTHON"] = path("python");
    command.environment["ASSAY_NVCC"] = nvcc;
    return run_command(command);
  }
  void answer(const std::string& name, const std::string& body) const { folder_.write(name, kHead + body); }

  TemporaryFolder folder_;
};

TEST_F(JudgeTest, RightWrongCheatingAndBrokenAnswersAreToldApart) {
  folder_.write("1_Sum.py", kTask);
  answer("answers/a_right.py", "    def forward(self, x):\n        return torch.scaled_row_sum(x, self.scale)\n");
  answer("answers/b_wrong.py", "    def forward(self, x):\n        return x.sum(1)\n");
  answer("answers/c_cheat.py",
         "        self.seen = {}\n    def forward(self, x):\n        key = x.data_ptr()\n"
         "        if key not in self.seen:\n            self.seen[key] = torch.scaled_row_sum(x, self.scale)\n"
         "        return torch.Tensor(self.seen[key].array.copy())\n");
  folder_.write("answers/d_broken.py", "class ModelNew(:\n");
  const ProcessOutcome outcome = judge({path("1_Sum.py"), path("answers"), "--no-compile", "--json"});
  ASSERT_EQ(outcome.exit_status, 5) << outcome.errors << outcome.output.substr(0, 2000);
  const json document = parsed(outcome);
  const json& all = document["submissions"];
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[0]["correct"] && all[0]["honest"]) << all[0].dump(2);
  EXPECT_GT(all[0]["speedups"]["eager"].get<double>(), 1.3) << all[0].dump(2);  // one operation instead of two
  const json& baseline = all[0]["cases"][0]["baselines"][0];
  EXPECT_FALSE(baseline["verdict"].get<std::string>().empty());
  EXPECT_LT(baseline["interval"][0].get<double>(), baseline["speedup"].get<double>());
  EXPECT_FALSE(all[1]["correct"]) << all[1].dump(2);
  EXPECT_EQ(all[1]["guard"], "poison");
  EXPECT_TRUE(all[2]["correct"]) << all[2].dump(2);
  EXPECT_FALSE(all[2]["honest"]) << all[2].dump(2);
  EXPECT_EQ(all[2]["guard"], "sensitivity") << all[2].dump(2);
  EXPECT_FALSE(all[3]["runs"]) << all[3].dump(2);
  EXPECT_NE(all[3]["detail"].get<std::string>().find("cannot be loaded"), std::string::npos);
  const json& fast = document["fast_p"].at(0);
  EXPECT_EQ(fast["baseline"], "eager");
  EXPECT_EQ(fast["shares"][0]["share"], 0.25);
  EXPECT_EQ(fast["shares"][5]["p"], 2.0);
}

TEST_F(JudgeTest, AGpuModeTaskMayGiveTheMemoryForItsResult) {
  folder_.write("task/task.yml",
                "lang: py\nfiles:\n  - {name: submission.py, source: '@SUBMISSION@'}\n  - {name: reference.py, source: "
                "reference.py}\n"
                "tests: [{rows: 2, columns: 8, seed: 1}]\nbenchmarks: [{rows: 4, columns: 16, seed: 2}]\n");
  folder_.write("task/reference.py",
                "import torch\ndef generate_input(rows, columns, seed):\n    torch.manual_seed(seed)\n"
                "    return torch.rand(rows, columns), torch.zeros((rows,))\n"
                "def ref_kernel(data):\n    x, out = data\n    return out.copy_(x.sum(1))\n");
  folder_.write("good.py",
                "import torch\ndef custom_kernel(data):\n    x, out = data\n    return torch.scaled_row_sum(x, 1)\n");
  const ProcessOutcome outcome = judge({path("task"), path("good.py")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors << outcome.output;
  EXPECT_NE(outcome.output.find("GOOD"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("eager"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("compile"), std::string::npos) << outcome.output;
}

TEST_F(JudgeTest, WhatCannotBeJudgedIsSaid) {
  folder_.write("1_Sum.py", kTask);
  folder_.write("answer.py", "x = 1\n");
  folder_.write("no_task.py", "x = 1\n");
  EXPECT_EQ(judge({path("no_task.py"), path("answer.py")}).exit_status, 2);
  EXPECT_EQ(judge({path("1_Sum.py"), path("missing.py")}).exit_status, 2);
  folder_.write("bad/1_Bad.py", "class Model:\n    pass\ndef get_inputs():\n    raise ValueError('no')\n");
  const ProcessOutcome bad = judge({path("bad/1_Bad.py"), path("answer.py")});
  EXPECT_EQ(bad.exit_status, 2) << bad.output;
  EXPECT_NE(bad.errors.find("ValueError: no"), std::string::npos) << bad.errors;
  folder_.write("cu/task.yml", "lang: cu\nfiles: []\nbenchmarks: [{rows: 4}]\n");
  const ProcessOutcome cu = judge({path("cu"), path("answer.py")});
  EXPECT_EQ(cu.exit_status, 2);
  EXPECT_NE(cu.errors.find("reference.cuh"), std::string::npos) << cu.errors;
}

// g++ takes the place of nvcc: the answers have no kernels.
constexpr const char* kCompiler = R"py(#!/usr/bin/env python3
import os, sys
words, rest = [], iter(sys.argv[1:])
for word in rest:
    if word == "-Xcompiler":
        words += next(rest).split(",")
    elif not word.startswith(("-arch", "-O")):
        words.append(word)
sources = any(word.endswith(".cu") for word in words)
os.execvp("g++", ["g++", *(["-x", "c++"] if sources else []), *words])
)py";
constexpr const char* kCudaTask =
    "lang: cu\nfiles:\n  - {name: submission.cu, source: '@SUBMISSION@'}\n  - {name: task.h, source: task.h}\n"
    "  - {name: reference.cuh, source: ../common/reference.cuh}\n  - {name: eval.cu, source: ../eval.cu}\n"
    "tests: [{rows: 2, columns: 8, seed: 1}]\nbenchmarks: [{rows: 4, columns: 512, seed: 2}]\n";
constexpr const char* kCudaTypes =
    "#pragma once\n#include <array>\n#include <vector>\nstruct Problem { std::vector<float> x; int rows, columns; };\n"
    "using input_t = Problem;\nusing output_t = std::vector<float>;\n"
    "constexpr std::array<const char*, 3> ArgumentNames = {\"rows\", \"columns\", \"seed\"};\n";
constexpr const char* kCudaReference = R"cu(#pragma once
#include <random>
#include "task.h"
static input_t generate_input(int rows, int columns, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(0, 1);
  input_t made{std::vector<float>(rows * columns), rows, columns};
  for (float& each : made.x) each = draw(random);
  return made;
}
static output_t ref_kernel(input_t data) {
  output_t sums(data.rows);
  for (int r = 0; r < data.rows; ++r) {
    double sum = 0;
    for (int c = 0; c < data.columns; ++c) sum += data.x[r * data.columns + c];
    sums[r] = static_cast<float>(sum);
  }
  return sums;
}
)cu";
std::string cuda_answer(const std::string& body) {
  return "#include \"task.h\"\n#include <map>\n" + body;
}

TEST_F(JudgeTest, AnswersToATaskOfCudaAreToldApart) {
  folder_.write("tasks/sum/task.yml", kCudaTask);
  folder_.write("tasks/sum/task.h", kCudaTypes);
  folder_.write("tasks/common/reference.cuh", kCudaReference);
  const std::string sums =
      "static output_t sums(const input_t& data, float scale) {\n  output_t made(data.rows);\n"
      "  for (int r = 0; r < data.rows; ++r) {\n    double sum = 0;\n"
      "    for (int c = 0; c < data.columns; ++c) sum += data.x[r * data.columns + c];\n"
      "    made[r] = scale * static_cast<float>(sum);\n  }\n  return made;\n}\n";
  folder_.write("answers/a_right.cu",
                cuda_answer(sums + "output_t custom_kernel(input_t data) { return sums(data, 1); }\n"));
  // Remembers the first result of a size, whatever the numbers are.
  folder_.write("answers/b_cheat.cu",
                cuda_answer(sums + "output_t custom_kernel(input_t data) {\n  static std::map<int, output_t> seen;\n"
                                   "  auto [at, fresh] = seen.try_emplace(data.rows);\n"
                                   "  if (fresh) at->second = sums(data, 1);\n  return at->second;\n}\n"));
  folder_.write("nvcc", kCompiler);
  std::filesystem::permissions(path("nvcc"), std::filesystem::perms::owner_all);
  const ProcessOutcome outcome =
      judge({path("tasks/sum"), path("answers"), "--no-tests", "--sets", "2", "--json"}, path("nvcc"));
  ASSERT_EQ(outcome.exit_status, 5) << outcome.errors << outcome.output.substr(0, 2000);
  const json all = parsed(outcome)["submissions"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0]["correct"] && all[0]["honest"]) << all[0].dump(2);
  EXPECT_TRUE(all[0]["speedups"].contains("reference")) << all[0].dump(2);
  EXPECT_FALSE(all[1]["correct"] && all[1]["honest"]) << all[1].dump(2);
  EXPECT_FALSE(all[1]["guard"].get<std::string>().empty()) << all[1].dump(2);
}

TEST_F(JudgeTest, TypesOfCudaThatCannotBeTakenApartAreNamed) {
  folder_.write("sum/task.yml",
                "lang: cu\nfiles:\n  - {name: reference.cuh, source: reference.cuh}\nbenchmarks: [{size: 4}]\n");
  folder_.write(
      "sum/reference.cuh",
      "#include <array>\n#include <map>\nusing input_t = std::map<int, float>;\nusing output_t = input_t;\n"
      "constexpr std::array<const char*, 1> ArgumentNames = {\"size\"};\n"
      "static input_t generate_input(int) { return {}; }\nstatic output_t ref_kernel(input_t x) { return x; }\n");
  folder_.write("answer.cu", "// nothing\n");
  folder_.write("nvcc", kCompiler);
  std::filesystem::permissions(path("nvcc"), std::filesystem::perms::owner_all);
  const ProcessOutcome none = judge({path("sum"), path("answer.cu")});
  EXPECT_EQ(none.exit_status, 6) << none.output;
  EXPECT_NE(none.errors.find("needs nvcc"), std::string::npos) << none.errors;
  const ProcessOutcome outcome = judge({path("sum"), path("answer.cu")}, path("nvcc"));
  EXPECT_EQ(outcome.exit_status, 2) << outcome.output;
  EXPECT_NE(outcome.errors.find("must be made of numbers, std::vector"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace assay::cli
