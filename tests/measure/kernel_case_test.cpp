// SPDX-License-Identifier: MIT
// The kernel provider's case on a driver that looks like NVIDIA's and runs a few functions on the host.
#include "measure/cuda/kernel_case.hpp"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numeric>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "measure/fingerprint.hpp"

namespace assay::measure::cuda {
namespace {

const int kDriver = ::setenv("ASSAY_CUDA_DRIVER", ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so", 1);
const int kMonitor = ::setenv("ASSAY_NVML_LIBRARY", "none", 1);
const int kProfiler = ::setenv("ASSAY_CUPTI_LIBRARY", "none", 1);

constexpr size_t kElements = 24;
constexpr size_t kSets = 3;
constexpr double kKernelUs = 10;  // what the fake says

constexpr const char* kToml = R"toml([kernel]
name = "copy"
source = "copy.cu"
entry = "ENTRY"
targets = ["sm_90"]
[problem]
reference = "copy"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["N"], fill = "normal" }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["N"], ROLE = true }
[[argument]]
name = "n"
scalar = { type = "u32", value = "N" }
[launch]
grid = ["1"]
block = ["32"]
[shapes]
canonical = [{ N = 24 }]
)toml";

std::string floats(float first) {
  std::vector<float> values(kElements);
  std::iota(values.begin(), values.end(), first);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

uint64_t print_of(const std::string& bytes) {
  return fingerprint(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

class KernelCaseTest : public testing::TestWithParam<Launch> {
 protected:
  void SetUp() override {
    const auto driver = device::cuda::Driver::load();
    ASSERT_TRUE(driver.ok()) << to_string(driver.error());
    auto gpu = device::cuda::CudaDevice::open(**driver, 0);
    ASSERT_TRUE(gpu.ok()) << to_string(gpu.error());
    gpu_ = std::move(*gpu);
    // The fake driver knows these kernels by their names alone.
    std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (const char* entry : {"accumulate_f32", "copy_f32", "fault_f32", "idle_f32"})
      ptx += ".visible .entry " + std::string(entry) + "() { ret; }\n";
    folder_.write("kernel.ptx", ptx);
    auto instruments = Instruments::load(*gpu_, folder_.path() / "kernel.ptx");
    ASSERT_TRUE(instruments.ok()) << to_string(instruments.error());
    instruments_.emplace(std::move(*instruments));
    request_.specification = folder_.path();
    request_.shape = "N=24";
    request_.ptx = folder_.path() / "kernel.ptx";
    request_.protocol.launch = GetParam();
    request_.protocol.calls = 5;
    for (size_t i = 0; i < kSets; ++i) {
      const std::string name = "x" + std::to_string(i);
      folder_.write(name, floats(static_cast<float>(100 * i)));
      request_.sets.push_back({{"x", folder_.path() / name}});
    }
  }

  std::unique_ptr<KernelCase> make(const std::string& entry, const std::string& role) {
    std::string toml = kToml;
    toml.replace(toml.find("ENTRY"), 5, entry);
    toml.replace(toml.find("ROLE"), 4, role);
    folder_.write("kernel.toml", toml);
    folder_.write("copy.cu", "// never compiled\n");
    auto made = KernelCase::make(*gpu_, *instruments_, request_);
    EXPECT_TRUE(made.ok()) << (made ? "" : to_string(made.error()));
    return made ? std::move(*made) : nullptr;
  }
  std::string read(KernelCase& kernel, size_t set, const std::string& argument) {
    EXPECT_TRUE(kernel.read(set, {{argument, folder_.path() / "read"}}).ok());
    return read_file(folder_.path() / "read").value();
  }

  TemporaryFolder folder_;
  std::unique_ptr<device::cuda::CudaDevice> gpu_;
  std::optional<Instruments> instruments_;
  KernelCaseRequest request_;
};

INSTANTIATE_TEST_SUITE_P(Protocols, KernelCaseTest, testing::Values(Launch::graph, Launch::event),
                         [](const auto& launch) { return std::string(name(launch.param)); });

TEST_P(KernelCaseTest, times_the_call_alone_and_leaves_its_fingerprint) {
  for (const uint64_t flush : {0, 4096}) {
    for (const uint64_t delay : {0, 2000}) {
      request_.flush_bytes = flush;
      request_.protocol.delay_cycles = delay;
      const auto kernel = make("copy_f32", "output");
      ASSERT_TRUE(kernel);
      const std::vector<size_t> order{2, 0, 1, 1, 2};
      const auto batch = kernel->sample(order, {1, 2, 3, 4, 255});
      ASSERT_TRUE(batch.ok()) << to_string(batch.error());
      for (size_t i = 0; i < order.size(); ++i) {
        EXPECT_NEAR(batch->us[i], kKernelUs + 1e-3 * static_cast<double>(delay), 0.01) << i;
        EXPECT_EQ(batch->fingerprints[i], print_of(floats(static_cast<float>(100 * order[i])))) << i;
      }
      for (size_t set = 0; set < kSets; ++set)
        EXPECT_EQ(read(*kernel, set, "y"), floats(static_cast<float>(100 * set)));
    }
  }
}

TEST_P(KernelCaseTest, poisons_what_the_call_must_write) {
  const auto kernel = make("idle_f32", "output");
  ASSERT_TRUE(kernel);
  ASSERT_TRUE(kernel->run(1, 0xa5).ok());
  EXPECT_EQ(read(*kernel, 1, "y"), std::string(kElements * sizeof(float), '\xa5'));
  ASSERT_TRUE(kernel->sample({1}, {0x11}).ok());
  EXPECT_EQ(read(*kernel, 1, "y"), std::string(kElements * sizeof(float), '\x11'));
}

TEST_P(KernelCaseTest, restores_what_the_call_changes) {
  for (size_t i = 0; i < kSets; ++i) {
    folder_.write("y", floats(7));
    request_.sets[i]["y"] = folder_.path() / "y";
  }
  const auto kernel = make("accumulate_f32", "inout");
  ASSERT_TRUE(kernel);
  std::vector<float> sum(kElements);
  for (size_t i = 0; i < kElements; ++i) sum[i] = static_cast<float>(100 + i) + static_cast<float>(7 + i);
  const std::string expected(reinterpret_cast<const char*>(sum.data()), sum.size() * sizeof(float));
  const auto batch = kernel->sample({1, 1, 1}, {1, 2, 3});
  ASSERT_TRUE(batch.ok());
  for (const uint64_t print : batch->fingerprints) EXPECT_EQ(print, print_of(expected));
  ASSERT_TRUE(kernel->run(1, 0).ok());
  EXPECT_EQ(read(*kernel, 1, "y"), expected);
  // What is written anew is what it is restored to.
  folder_.write("zeros", std::string(kElements * sizeof(float), '\0'));
  ASSERT_TRUE(kernel->write(1, {{"y", folder_.path() / "zeros"}}).ok());
  ASSERT_TRUE(kernel->sample({1}, {1}).ok());
  EXPECT_EQ(read(*kernel, 1, "y"), floats(100));
}

TEST_P(KernelCaseTest, counts_its_own_kernels_only) {
  request_.flush_bytes = 4096;
  request_.protocol.delay_cycles = 100;
  const auto kernel = make("copy_f32", "output");
  ASSERT_TRUE(kernel);
  const auto list = kernel->kernels(0);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->graph_nodes, GetParam() == Launch::graph ? std::optional(1) : std::nullopt);
  EXPECT_FALSE(list->available) << "there is no profiler";
  EXPECT_FALSE(list->reason.empty());
  const auto names = kernel->kernels(0, KernelLook::names);
  ASSERT_TRUE(names.ok());
  EXPECT_TRUE(names->available);
  ASSERT_EQ(names->kernels.size(), 1u);
  EXPECT_EQ(names->kernels[0].name, "copy_f32");
}

TEST_P(KernelCaseTest, divides_replays_by_their_calls) {
  const auto kernel = make("copy_f32", "output");
  ASSERT_TRUE(kernel);
  const auto times = kernel->throughput(3);
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 3u);
  for (const double us : *times) EXPECT_NEAR(us, kKernelUs, 0.01);
}

TEST_P(KernelCaseTest, gives_its_memory_back) {
  const auto count = [] {
    void* library = ::dlopen(ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<size_t (*)()>(::dlsym(library, "fake_allocations"))();
  };
  const size_t before = count();
  request_.protocol.placement = 3;
  request_.flush_bytes = 4096;
  EXPECT_TRUE(make("copy_f32", "output"));
  EXPECT_EQ(count(), before);
}

TEST_P(KernelCaseTest, reports_a_kernel_that_faults) {
  request_.protocol.warm_up_calls = 0;  // where it would show first
  const auto kernel = make("fault_f32", "output");
  ASSERT_TRUE(kernel);
  const auto batch = kernel->sample({0}, {0});
  ASSERT_FALSE(batch.ok());
  EXPECT_NE(batch.error().message.find("MISALIGNED"), std::string::npos) << batch.error().message;
  void* library = ::dlopen(ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<void (*)()>(::dlsym(library, "fake_reset"))();
}

}  // namespace
}  // namespace assay::measure::cuda
