// SPDX-License-Identifier: MIT
// The kernels that measure rates, counted on the virtual GPU: each asks for what its rate is reckoned with.
#include "measure/cuda/rate_probes.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "device/open/open_device.hpp"
#include "device/tracer.hpp"
#include "measure/rate_files.hpp"

namespace assay::measure::cuda {
namespace {

using gpu::Work;

constexpr uint32_t kRounds = 3;
constexpr uint32_t kBlocks = 2;
constexpr double kWarps = kBlocks * kProbeThreads / 32.0;

template <class T>
std::vector<std::byte> argument(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class RateProbesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = device::open_device("vgpu:h200");
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    device_ = std::move(*opened);
    ASSERT_EQ(rate_files().size(), 1u);
    auto loaded = device_->load(rate_files().front().text, "rate_probes.ptx");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    module_ = std::move(*loaded);
  }

  // Memory checks are on.
  gpu::LaunchWork counted(const std::string& entry) {
    const std::vector<std::byte> zeros(kBytes);
    data_ = *device_->allocate(kBytes, "data");
    cycles_ = *device_->allocate(kBlocks * sizeof(uint64_t), "cycles");
    EXPECT_TRUE(device_->upload(data_, zeros).ok());
    auto* const tracer = dynamic_cast<device::Tracer*>(device_.get());
    tracer->trace_launches(0);
    device::LaunchRequest request;
    request.module = module_.get();
    request.entry = entry;
    request.grid.x = kBlocks;
    request.block.x = kProbeThreads;
    request.arguments = {argument(data_), argument(kBytes), argument(kRounds), argument(cycles_)};
    request.checks = {gpu::kMemcheck};
    const auto outcome = device_->launch(request);
    EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
    if (!outcome.ok() || !outcome->clean() || !tracer->traced()) {
      ADD_FAILURE() << entry << " did not run to its end";
      return {};
    }
    return *tracer->traced();
  }

  static constexpr uint64_t kBytes = 262144;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Module> module_;
  uint64_t data_ = 0;
  uint64_t cycles_ = 0;
};

TEST_F(RateProbesTest, ThePipesGetWhatIsReckoned) {
  EXPECT_NEAR(counted("rate_fma").total[Work::fma], kFmaOfRound * kRounds * kWarps,
              0.05 * kFmaOfRound * kRounds * kWarps)
      << "beside it only what goes before and behind";
  EXPECT_EQ(counted("rate_special").total[Work::xu], kSpecialOfRound * kRounds * kWarps);
}

TEST_F(RateProbesTest, SharedMemoryGetsItsWavefrontsWithoutConflicts) {
  const gpu::LaunchWork work = counted("rate_shared");
  const double filled = 32768.0 / 128 * kBlocks;
  EXPECT_EQ(work.total[Work::shared_wavefronts], kWavefrontsOfRound * kRounds * kWarps + filled);
  EXPECT_EQ(work.total[Work::shared_conflicts], 0);
}

TEST_F(RateProbesTest, TheTensorCoresGetTheirProducts) {
  const gpu::LaunchWork work = counted("rate_mma_f16");
  ASSERT_TRUE(work.tensor_multiply_adds.contains("mma.f16"));
  EXPECT_EQ(2 * work.tensor_multiply_adds.at("mma.f16"), kMmaFlopOfRound * kRounds * kWarps);
}

TEST_F(RateProbesTest, MemoryIsReadAndWrittenAsReckoned) {
  const gpu::LaunchWork copy = counted("rate_dram_copy");
  EXPECT_EQ(copy.total[Work::l2_read_sectors] * 32, kBytes / 2.0);
  EXPECT_EQ(copy.total[Work::l2_write_sectors] * 32, kBytes / 2.0);
  EXPECT_EQ(counted("rate_l2_read").total[Work::sectors_asked] * 32, double{kRounds} * kBytes);
}

TEST_F(RateProbesTest, AtomicsAreThoseOfOneLaneOfEachWarp) {
  const gpu::LaunchWork work = counted("rate_atomics");
  EXPECT_EQ(work.total[Work::atomics], kRounds * kWarps);
  EXPECT_EQ(work.hottest_atomics, kRounds * kWarps);
  uint32_t sum = 0;
  ASSERT_TRUE(device_->download(data_, std::as_writable_bytes(std::span(&sum, 1))).ok());
  EXPECT_EQ(sum, kRounds * kWarps);
}

TEST_F(RateProbesTest, EachBlockTellsItsCycles) {
  for (const char* entry : {"rate_fma", "rate_special", "rate_shared", "rate_mma_f16"}) {
    counted(entry);
    std::array<uint64_t, kBlocks> cycles{};
    ASSERT_TRUE(device_->download(cycles_, std::as_writable_bytes(std::span(cycles))).ok());
    for (const uint64_t each : cycles) EXPECT_GT(each, 0u) << entry;
  }
}

TEST_F(RateProbesTest, AnEmptyLaunchAsksForNothing) {
  EXPECT_EQ(counted("rate_launch").total[Work::lsu], 0);
}

}  // namespace
}  // namespace assay::measure::cuda
