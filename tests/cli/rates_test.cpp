// SPDX-License-Identifier: MIT
// assay doctor --rates on a library that looks like the driver of an H200 (tests/device/fake), and assay estimate with
// what it kept.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"

namespace assay::cli {
namespace {

class RatesCommand : public testing::Test {
 protected:
  ProcessOutcome assay(std::vector<std::string> arguments, const std::string& faster = "") const {
    arguments.insert(arguments.end(), {"--ledger", (folder_.path() / "ledger.sqlite").string()});
    Command command = assay_command(std::move(arguments));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    if (!faster.empty()) command.environment["FAKE_CUDA_RATES"] = faster;
    return run_command(command);
  }
  nlohmann::json estimate(const std::string& device) const {
    return parsed(
        assay({"estimate", "kernels/planted/copy_vector", "--shape", "N=4194304", "--device", device, "--json"}));
  }

  TemporaryFolder folder_;
};

TEST_F(RatesCommand, PrintsMeasuredBesideTheModelAndKeepsIt) {
  const ProcessOutcome outcome = assay({"doctor", "--rates"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  for (const char* words : {"NVIDIA H200: measured", "DRAM copy", "L2 read", "FMA", "special functions",
                            "shared memory", "mma.sync f16", "atomics on one address", "empty launch", "4100", "4200",
                            "0.98", "assay estimate --device vgpu:h200 uses them"})
    EXPECT_NE(outcome.output.find(words), std::string::npos) << words << "\n" << outcome.output;
}

TEST_F(RatesCommand, WritesADocument) {
  const ProcessOutcome outcome = assay({"doctor", "--rates", "--device", "cuda:1", "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const auto document = parsed(outcome);
  EXPECT_EQ(document["known"], "measured");
  EXPECT_EQ(document["device"], "cuda:1");
  EXPECT_EQ(document["model"], "h200");
  EXPECT_TRUE(document["stored"]);
  ASSERT_EQ(document["rates"].size(), 10u);
  for (const auto& rate : document["rates"]) {
    EXPECT_TRUE(rate["kept"]) << rate.dump();
    EXPECT_NEAR(rate["ratio"].get<double>(), 1, 0.2) << rate.dump();
  }
}

TEST_F(RatesCommand, AreWhatEstimatesForThisGpuUse) {
  const auto before = estimate("vgpu:h200");
  EXPECT_EQ(before["rates"]["known"], "model");
  ASSERT_EQ(assay({"doctor", "--rates"}, "0.5").exit_status, 0);
  const auto after = estimate("vgpu:h200");
  EXPECT_EQ(after["rates"]["known"], "measured");
  EXPECT_EQ(after["rates"]["gpu"], "NVIDIA H200");
  EXPECT_GT(after["estimate"]["time_us"].get<double>(), 1.5 * before["estimate"]["time_us"].get<double>());
  EXPECT_EQ(after["estimate"]["lower_bound_us"], before["estimate"]["lower_bound_us"]) << "a slow day bounds nothing";
  EXPECT_EQ(estimate("vgpu:h100")["rates"]["known"], "model") << "another GPU";
  const ProcessOutcome text =
      assay({"estimate", "kernels/planted/copy_vector", "--shape", "N=4194304", "--device", "vgpu:h200"});
  EXPECT_NE(text.output.find("rates measured here on 20"), std::string::npos) << text.output;
}

// A copy is bound by DRAM: with half of its rate every estimate for this GPU is longer, and none for another.
TEST_F(RatesCommand, AreWhatDiagnoseInvertAndGateUse) {
  const std::vector<std::string> kernel = {"kernels/planted/copy_vector", "--shape", "N=4194304", "--device",
                                           "vgpu:h200"};
  const auto words = [&](const char* command, std::vector<std::string> more) {
    std::vector<std::string> all = {command};
    all.insert(all.end(), kernel.begin(), kernel.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto diagnosed = [&] { return parsed(assay(words("diagnose", {"--json"}))); };
  const auto inverted = [&] {
    return parsed(assay(words("invert", {"--json", "--blocks", "1", "--only", "no_stores"})));
  };
  const auto saved = [&](const char* name) {
    const std::string file = (folder_.path() / name).string();
    // Counted whole, so of less than the others.
    EXPECT_EQ(
        assay({"gate", "kernels/planted/copy_vector", "--shape", "N=1048576", "--device", "vgpu:h200", "--save", file})
            .exit_status,
        0);
    std::ifstream stream(file);
    return nlohmann::json::parse(stream)["cases"].front();
  };
  const auto diagnosis = diagnosed();
  const auto inversion = inverted();
  const auto gate = saved("before.json");
  EXPECT_EQ(diagnosis["rates"]["known"], "model");
  EXPECT_FALSE(gate.contains("rates_measured"));
  ASSERT_EQ(assay({"doctor", "--rates"}, "0.5").exit_status, 0);
  const auto slower = diagnosed();
  EXPECT_EQ(slower["rates"]["known"], "measured");
  EXPECT_GT(slower["time_us"].get<double>(), 1.5 * diagnosis["time_us"].get<double>());
  EXPECT_EQ(slower["floor"], diagnosis["floor"]) << "a slow day moves no floor";
  EXPECT_GT(inverted()["time_us"].get<double>(), 1.5 * inversion["time_us"].get<double>());
  const auto gate_now = saved("after.json");
  EXPECT_TRUE(gate_now.contains("rates_measured"));
  EXPECT_GT(gate_now["estimated"]["us"].get<double>(), 1.2 * gate["estimated"]["us"].get<double>());
  const ProcessOutcome text = assay(words("diagnose", {}));
  EXPECT_NE(text.output.find("rates measured here on 20"), std::string::npos) << text.output;
}

TEST_F(RatesCommand, AreRefusedWhereTheyCannotBeRight) {
  const ProcessOutcome fast = assay({"doctor", "--rates"}, "100");
  EXPECT_EQ(fast.exit_status, 4);
  EXPECT_NE(fast.output.find("refused DRAM copy: 97.62 times the model's; the model's figure stays"), std::string::npos)
      << fast.output;
  EXPECT_EQ(fast.output.find("refused FMA"), std::string::npos) << "its cycles are right";
  EXPECT_NE(fast.output.find("uses them"), std::string::npos) << "what is right is kept";
  const ProcessOutcome none = assay({"doctor", "--rates", "--json"}, "0");
  EXPECT_EQ(none.exit_status, 4);
  for (const auto& rate : parsed(none)["rates"]) {
    EXPECT_EQ(rate["refused"], "0 is no rate");
    EXPECT_FALSE(rate["kept"]);
  }
  EXPECT_FALSE(parsed(none)["stored"]);
  EXPECT_EQ(parsed(none)["not_stored"], "none of them can be right");
}

TEST_F(RatesCommand, NeedAGpu) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"doctor", "--rates"}, {"doctor", "--rates", "--device", "cuda:0"}}) {
    Command command = assay_command(words);
    command.environment["ASSAY_CUDA_DRIVER"] = "none";
    const ProcessOutcome outcome = run_command(command);
    EXPECT_EQ(outcome.exit_status, 6) << outcome.errors;
    EXPECT_FALSE(outcome.errors.empty());
  }
  EXPECT_EQ(assay({"doctor", "--rates", "--device", "cuda:7"}).exit_status, 6);
  EXPECT_EQ(assay({"doctor", "--rates", "--for", "bench"}).exit_status, 2);
  EXPECT_EQ(assay({"doctor", "--device", "cuda:0"}).exit_status, 2);
}

}  // namespace
}  // namespace assay::cli
