// SPDX-License-Identifier: MIT
#include "work/gpu_facts.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace assay::work {
namespace {

using build::Fact;
using build::FactStatus;
using device::cuda::GpuState;

Fact named(const std::vector<Fact>& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  EXPECT_NE(found, facts.end()) << name;
  return found != facts.end() ? *found : Fact{};
}

bool has(const std::vector<Fact>& facts, const std::string& name) {
  return std::ranges::find(facts, name, &Fact::name) != facts.end();
}

GpuState healthy() {
  GpuState state;
  state.driver_version = "580.95.05";
  state.reading = {1980, 3201, 120.4, 35, 0};
  state.max_sm_clock_mhz = 1980;
  state.power_limit_w = 700;
  state.ecc = true;
  state.memory_total_bytes = uint64_t{140} << 30;
  state.memory_free_bytes = uint64_t{139} << 30;
  state.processes = {{77, "assay", std::nullopt}};
  return state;
}

TEST(StateFacts, OfAHealthyGpuAreAllGood) {
  const std::vector<Fact> facts = state_facts(healthy(), 77);
  for (const Fact& fact : facts) EXPECT_EQ(fact.status, FactStatus::ok) << fact.name << ": " << fact.value;
  EXPECT_EQ(named(facts, "GPU power").value, "120 of 700 W, 35 C");
  EXPECT_EQ(named(facts, "GPU clocks").value, "multiprocessors 1980 of 1980 MHz, memory 3201 of unknown MHz");
  EXPECT_EQ(named(facts, "GPU throttling").value, "none");
  EXPECT_EQ(named(facts, "GPU processes").value, "none") << "we ourselves do not count";
}

TEST(StateFacts, WarnOfWhatDisturbsMeasurements) {
  GpuState state = healthy();
  state.reading.clock_reasons = device::cuda::clock_reason::kSoftwarePowerCap;
  state.memory_free_bytes = uint64_t{10} << 30;
  state.processes.push_back({4242, "python3", uint64_t{3} << 30});
  state.mig = true;
  const std::vector<Fact> facts = state_facts(state, 77);
  for (const char* name : {"GPU throttling", "GPU memory", "GPU processes", "GPU MIG"}) {
    EXPECT_EQ(named(facts, name).status, FactStatus::warning) << name;
    EXPECT_FALSE(named(facts, name).hint.empty()) << name;
  }
  EXPECT_EQ(named(facts, "GPU processes").value, "4242 python3 (3.0 GiB)");
}

TEST(VersionFacts, ThatFitAreGood) {
  const std::vector<Fact> facts =
      version_facts(13000, "13.0.88", TorchAnswer{"2.11.0", "13.0", "91002", "flash, efficient", true});
  for (const Fact& fact : facts) EXPECT_EQ(fact.status, FactStatus::ok) << fact.name << ": " << fact.hint;
  EXPECT_EQ(named(facts, "PyTorch").value, "2.11.0, CUDA 13.0, cuDNN 91002");
  EXPECT_EQ(named(facts, "SDPA order").value, "flash, efficient");
  EXPECT_FALSE(has(version_facts(13000, "", std::nullopt), "PyTorch"));
}

TEST(VersionFacts, ThatDoNotFitComeWithTheRemedy) {
  const Fact minor = named(version_facts(12040, "12.8.61", std::nullopt), "driver's CUDA");
  EXPECT_EQ(minor.status, FactStatus::warning);
  EXPECT_NE(minor.hint.find("its PTX does not"), std::string::npos) << minor.hint;
  const Fact major = named(version_facts(12040, "13.0.88", std::nullopt), "driver's CUDA");
  EXPECT_NE(major.hint.find("a toolkit of CUDA 12"), std::string::npos) << major.hint;
  const Fact torch = named(version_facts(12040, "12.4.1", TorchAnswer{"2.11", "13.0", "", "", false}), "PyTorch");
  EXPECT_EQ(torch.status, FactStatus::warning);
  EXPECT_NE(torch.hint.find("PyTorch for CUDA 12"), std::string::npos) << torch.hint;
  EXPECT_EQ(named(version_facts(13000, "", TorchAnswer{"2.11", "", "", "", false}), "PyTorch").status,
            FactStatus::warning)
      << "built for processors";
  EXPECT_EQ(named(version_facts(13000, "", TorchAnswer{"2.11", "12.8", "", "", false}), "PyTorch").status,
            FactStatus::warning)
      << "does not see the GPU";
}

TEST(TorchAnswerTest, RubbishIsNoAnswer) {
  EXPECT_FALSE(torch_answer("Traceback (most recent call last):"));
  EXPECT_FALSE(torch_answer("[1, 2]"));
  EXPECT_FALSE(torch_answer(R"({"version": 3})"));
  const auto answer = torch_answer(R"({"version": "2.11", "cuda": "13.0", "sees_gpu": true, "sdpa": 5})");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->sees_gpu);
  EXPECT_EQ(answer->sdpa, "");
}

TEST(CeilingFacts, StandBesideTheProductsFigures) {
  const gpu::GpuModel& h200 = *gpu::find_model("h200");
  device::cuda::Ceilings ceilings{4000, 700, "wgmma", 2.1, 6.5, 1700};
  const std::vector<Fact> good = ceiling_facts(ceilings, h200, true);
  EXPECT_EQ(named(good, "copy bandwidth").value, "measured 4000 GB/s, 83 % of the product's 4800");
  EXPECT_NE(named(good, "f16 tensor rate").value.find("measured 700 TFLOP/s, 71 %"), std::string::npos);
  EXPECT_EQ(named(good, "copy bandwidth").status, FactStatus::ok);
  ceilings.copy_gb_per_s = 2000;
  EXPECT_EQ(named(ceiling_facts(ceilings, h200, true), "copy bandwidth").status, FactStatus::warning);
}

}  // namespace
}  // namespace assay::work
