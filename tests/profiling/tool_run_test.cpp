// SPDX-License-Identifier: MIT
// The way through ncu and compute-sanitizer, with programs in their place that leave recorded files and answers.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/scratch_folder.hpp"
#include "check/result_json.hpp"
#include "profiling/compute_sanitizer.hpp"
#include "profiling/ncu.hpp"

namespace assay::profiling {
namespace {

namespace fs = std::filesystem;

std::string recorded_run(const std::string& name) {
  return ASSAY_SOURCE_DIR "/tests/profiling/recorded/" + name;
}

// Copies `file` to where the tool was told to write, and answers as the worker would; its arguments stay in
// "arguments".
class ToolRun : public testing::Test {
 protected:
  void pretend(const char* variable, const std::string& file, const std::string& answer, int exit_status = 0) {
    const fs::path program = folder_->path() / "tool";
    std::ofstream script(program);
    script << "#!/bin/sh\necho \"$@\" > '" << (folder_->path() / "arguments").string() << "'\n"
           << "out=\nwhile [ $# -gt 0 ]; do case \"$1\" in --log-file|--save) out=$2;; esac; shift; done\n"
           << "cat > '" << (folder_->path() / "input").string() << "'\n";
    if (!file.empty()) script << "cp '" << file << "' \"$out\"\n";
    script << "cat <<'END'\n" << answer << "\nEND\nexit " << exit_status << "\n";
    script.close();
    fs::permissions(program, fs::perms::owner_all);
    ::setenv(variable, program.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("ASSAY_NCU");
    ::unsetenv("ASSAY_COMPUTE_SANITIZER");
  }
  std::string left(const std::string& name) const {
    std::ifstream file(folder_->path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string answer(check::Outcome outcome) {
    check::CaseResult result;
    result.outcome = outcome;
    return "a line of the program's own\n{\"ready\": true}\n" + check::to_json(result).dump();
  }

  Result<ScratchFolder> folder_ = ScratchFolder::make();
};

NcuRun ncu_run() {
  NcuRun run;
  run.setup.device = "cuda:0";
  run.entry = "mma_f16_m16n8k16";
  return run;
}

SanitizerRun sanitizer_run() {
  SanitizerRun run;
  run.setup.device = "cuda:0";
  run.kernel = "entry";
  run.source_folder = "/project/kernels";
  return run;
}

TEST_F(ToolRun, NcuIsAskedForOneLaunchOfTheKernel) {
  pretend("ASSAY_NCU", recorded_run("ncu_tensor.csv"), answer(check::Outcome::passed));
  const auto launch = run_ncu(ncu_run());
  ASSERT_TRUE(launch.ok()) << to_string(launch.error());
  EXPECT_EQ(launch->value("gpu__time_duration.sum"), 1888);
  const std::string arguments = left("arguments");
  for (const char* part : {"--clock-control none", "--csv --page raw", "--kernel-name mma_f16_m16n8k16",
                           "--launch-count 1", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", " --worker"})
    EXPECT_NE(arguments.find(part), std::string::npos) << part << " in " << arguments;
  EXPECT_NE(left("input").find("\"cuda:0\""), std::string::npos);
}

TEST_F(ToolRun, NcuWithoutATableSaysWhy) {
  pretend("ASSAY_NCU", "", "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", 1);
  const auto denied = run_ncu(ncu_run());
  ASSERT_FALSE(denied.ok());
  EXPECT_NE(denied.error().message.find("ERR_NVGPUCTRPERM"), std::string::npos);
  pretend("ASSAY_NCU", "", R"({"error": {"message": "there is no device 'cuda:0'", "hint": "choose another"}})");
  const auto no_gpu = run_ncu(ncu_run());
  ASSERT_FALSE(no_gpu.ok());
  EXPECT_EQ(no_gpu.error().message, "there is no device 'cuda:0'");
  pretend("ASSAY_NCU", "", "", 9);
  EXPECT_FALSE(run_ncu(ncu_run()).ok());
}

TEST_F(ToolRun, FindingsOfComputeSanitizerArePlacedInTheProject) {
  pretend("ASSAY_COMPUTE_SANITIZER", recorded_run("write_behind_the_end.xml"), answer(check::Outcome::fault));
  const auto result = run_compute_sanitizer(sanitizer_run());
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_EQ(result->outcome, check::Outcome::finding);
  ASSERT_EQ(result->findings.size(), 1u) << "one place of the program";
  EXPECT_EQ(result->findings[0].thread_count, 12u);
  EXPECT_EQ(result->findings[0].source.at(0).file, "/project/kernels/sanitizer_truth.cu");
  EXPECT_NE(left("arguments").find("--tool memcheck"), std::string::npos);
}

TEST_F(ToolRun, ACleanCaseIsClean) {
  const fs::path empty = folder_->path() / "empty.xml";
  std::ofstream(empty) << "<?xml version=\"1.0\"?>\n<ComputeSanitizerOutput/>\n";
  pretend("ASSAY_COMPUTE_SANITIZER", empty.string(), answer(check::Outcome::passed));
  const auto result = run_compute_sanitizer(sanitizer_run());
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_TRUE(result->passed());
  EXPECT_TRUE(result->findings.empty());
}

TEST_F(ToolRun, AToolThatDoesNotWorkHereIsAnError) {
  pretend("ASSAY_COMPUTE_SANITIZER", "",
          "========= COMPUTE-SANITIZER\n========= Error: Device not supported. Please refer", 1);
  const auto refused = run_compute_sanitizer(sanitizer_run());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Device not supported"), std::string::npos);
  EXPECT_EQ(refused.error().exit_code, ExitCode::environment);
  pretend("ASSAY_COMPUTE_SANITIZER", "", "rubbish", 3);
  EXPECT_FALSE(run_compute_sanitizer(sanitizer_run()).ok());
}

}  // namespace
}  // namespace assay::profiling
