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
  ProcessOutcome judge(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "judge");
    arguments.insert(arguments.end(), {"--ledger", path("ledger.sqlite"), "--most-samples", "100", "--budget", "1"});
    Command command = assay_command(std::move(arguments));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    command.environment["ASSAY_PYTHON"] = path("python");
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
  EXPECT_NE(cu.errors.find("of C++"), std::string::npos) << cu.errors;
}

}  // namespace
}  // namespace assay::cli
