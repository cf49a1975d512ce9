// SPDX-License-Identifier: MIT
// The virtual GPU against a plain loop: the tensor-core attention kernel at B=4, H=8, S=512, D=64 on vgpu:l4, without
// checks and with memory checks, beside the same attention in plain C++, all in one run. Times are of this machine.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "base/random.hpp"
#include "device/device.hpp"
#include "device/open/open_device.hpp"
#include "plain_attention.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBatch = 4, kHeads = 8, kLength = 512, kHeadDim = 64;
constexpr int kBlockM = 128, kBlockN = 64, kWarps = 4, kStages = 2;  // the default configuration
constexpr size_t kElements = size_t{kBatch} * kHeads * kLength * kHeadDim;
constexpr int kRounds = 5;

struct Inputs {
  std::vector<uint16_t> half;  // as the kernel sees them
  std::vector<float> real;     // the same values
};

Inputs make_inputs(uint64_t seed) {
  Random random(seed);
  Inputs inputs;
  for (size_t i = 0; i < kElements; ++i) {
    const vgpu::semantics::f16 value =
        vgpu::semantics::to_f16<vgpu::semantics::Rounding::rn>(static_cast<float>(random.normal()));
    inputs.half.push_back(value.bits);
    inputs.real.push_back(vgpu::semantics::to_float(value));
  }
  return inputs;
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// The kernel on the virtual GPU, ready to be launched again and again.
class VirtualAttention {
 public:
  static Result<VirtualAttention> open(const Inputs& q, const Inputs& k, const Inputs& v) {
    VirtualAttention self;
    ASSAY_TRY(self.device_, device::open_device("vgpu:l4"));
    const std::string file = ASSAY_SOURCE_DIR "/kernels/attention/tensor_core/ptx/attention_tensor_core.sm_89.ptx";
    ASSAY_TRY(const std::string ptx, read_file(file));
    ASSAY_TRY(self.module_, self.device_->load(ptx, file));
    self.request_.module = self.module_.get();
    self.request_.entry = fmt::format("attention_f16_d{}", kHeadDim);
    self.request_.grid = {static_cast<uint32_t>((kLength + kBlockM - 1) / kBlockM * kBatch * kHeads), 1, 1};
    self.request_.block = {32 * kWarps, 1, 1};
    self.request_.shared_bytes = 2 * (kBlockM + 2 * kStages * kBlockN) * kHeadDim;
    for (const Inputs* input : {&q, &k, &v}) {
      ASSAY_TRY(const uint64_t address, self.device_->allocate(kElements * 2, "input"));
      ASSAY_CHECK(self.device_->upload(address, std::as_bytes(std::span(input->half))));
      self.request_.arguments.push_back(bytes_of(address));
    }
    ASSAY_TRY(self.output_, self.device_->allocate(kElements * 2, "output"));
    self.request_.arguments.push_back(bytes_of(self.output_));
    for (const int32_t scalar : {kBatch, kHeads, kLength}) self.request_.arguments.push_back(bytes_of(scalar));
    self.request_.arguments.push_back(bytes_of(1.0f / std::sqrt(static_cast<float>(kHeadDim))));
    self.request_.arguments.push_back(bytes_of(int32_t{0}));
    return self;
  }

  Result<device::LaunchOutcome> launch(bool check_memory) {
    request_.checks = check_memory ? gpu::CheckSet{gpu::kMemcheck} : gpu::CheckSet{};
    return device_->launch(request_);
  }

  Result<std::vector<float>> output() {
    std::vector<uint16_t> half(kElements);
    ASSAY_CHECK(device_->download(output_, std::as_writable_bytes(std::span(half))));
    std::vector<float> real;
    for (const uint16_t bits : half) real.push_back(vgpu::semantics::to_float(vgpu::semantics::f16{bits}));
    return real;
  }

 private:
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Module> module_;
  device::LaunchRequest request_;
  uint64_t output_ = 0;
};

template <class Work>
double seconds(Work work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Result<int> run() {
  constexpr uint64_t kSeed = 1;
  const Inputs q = make_inputs(kSeed), k = make_inputs(kSeed + 1), v = make_inputs(kSeed + 2);
  std::vector<float> plain(kElements);
  const auto run_plain = [&] {
    plain_attention(q.real.data(), k.real.data(), v.real.data(), plain.data(), kBatch * kHeads, kLength, kHeadDim,
                    1.0f / std::sqrt(static_cast<float>(kHeadDim)));
  };
  ASSAY_TRY(VirtualAttention kernel, VirtualAttention::open(q, k, v));
  // Correct before fast.
  run_plain();
  ASSAY_TRY(const device::LaunchOutcome checked, kernel.launch(true));
  if (!checked.clean())
    return Error{"the kernel is not clean: " +
                 (checked.fault ? checked.fault->message : checked.findings.front().message)};
  ASSAY_TRY(const std::vector<float> output, kernel.output());
  float largest = 0;
  for (size_t i = 0; i < kElements; ++i) largest = std::max(largest, std::fabs(output[i] - plain[i]));
  if (!(largest < 1e-2f)) return Error{fmt::format("the kernel and the plain loop differ by {}", largest)};

  std::vector<double> plain_s, free_s, checked_s;
  for (int round = 0; round < kRounds; ++round) {
    plain_s.push_back(seconds(run_plain));
    free_s.push_back(seconds([&] { static_cast<void>(kernel.launch(false)); }));
    checked_s.push_back(seconds([&] { static_cast<void>(kernel.launch(true)); }));
  }
  const double base = median(plain_s);
  const auto line = [&](const char* name, const std::vector<double>& times, bool counts) {
    const double time = median(times);
    fmt::print("{:<34} {:8.3f} s  {:5.2f}x", name, time, time / base);
    if (counts)
      fmt::print("  {:7.1f} M thread instructions/s", static_cast<double>(checked.thread_instructions) / time / 1e6);
    fmt::print("\n");
  };
  fmt::print("attention f16, B=4 H=8 S=512 D=64, not causal; median of {} interleaved rounds on {} cores; seed {}\n",
             kRounds, std::thread::hardware_concurrency(), kSeed);
  line("plain C++ loop, -O2, one thread", plain_s, false);
  line("vgpu:l4, no checks", free_s, true);
  line("vgpu:l4, memory checks", checked_s, true);
  fmt::print("{:.1f} M thread instructions, {:.1f} M warp instructions counted; largest difference {:.2g}\n",
             static_cast<double>(checked.thread_instructions) / 1e6, static_cast<double>(checked.instructions) / 1e6,
             largest);
  return 0;
}

}  // namespace
}  // namespace assay::bench

int main() {
  const auto result = assay::bench::run();
  if (result) return *result;
  fmt::print(stderr, "bench: {}\n", to_string(result.error()));
  return static_cast<int>(result.error().exit_code);
}
