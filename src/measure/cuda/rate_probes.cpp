// SPDX-License-Identifier: MIT
#include "measure/cuda/rate_probes.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/progress.hpp"
#include "device/cuda/device_memory.hpp"
#include "device/cuda/stream_work.hpp"
#include "measure/rate_files.hpp"

namespace assay::measure::cuda {
namespace {

using device::cuda::argument_bytes;
using device::cuda::CudaDevice;
using device::cuda::CUgraphExec;
using device::cuda::DeviceMemory;
using device::cuda::Driver;
using device::cuda::PreparedLaunch;

constexpr const char* kWork = "a kernel that measures a rate";
constexpr int kRepeats = 5;
constexpr double kWarpsOfBlock = kProbeThreads / 32.0;

// What is divided by nothing is no rate.
double quotient(double amount, double by) {
  return by > 0 ? amount / by : 0;
}

class RateProber {
 public:
  RateProber(CudaDevice& gpu, std::unique_ptr<device::Module> module)
      : gpu_(gpu), module_(std::move(module)), sms_(static_cast<uint32_t>(gpu.model().sm_count)) {}

  Result<std::vector<gpu::MeasuredRate>> run(const Context& context) {
    using Step = Result<void> (RateProber::*)();
    for (const Step step : {&RateProber::pipes, &RateProber::tensor_cores, &RateProber::l2, &RateProber::atomics,
                            &RateProber::launches, &RateProber::dram}) {
      ASSAY_CHECK(check_cancelled(context));
      ASSAY_CHECK((this->*step)());
    }
    return std::move(rates_);
  }

 private:
  struct Timed {
    double seconds = 0;  // the shortest: what the hardware can do
    double last_seconds = 0;
    double cycles = 0;  // of the block in the middle, in the last launch
    uint32_t rounds = 0;
  };

  void add(std::string_view name, double value) { rates_.push_back({std::string(name), value}); }

  Result<Timed> timed(const char* entry, uint32_t blocks, const DeviceMemory& memory, uint32_t rounds, int repeats) {
    const DeviceMemory cycles(gpu_, uint64_t{blocks} * sizeof(uint64_t), "rates");
    ASSAY_TRY(const uint64_t data, memory.address());
    ASSAY_TRY(const uint64_t counters, cycles.address());
    device::LaunchRequest request;
    request.module = module_.get();
    request.entry = entry;
    request.grid.x = blocks;
    request.block.x = kProbeThreads;
    request.arguments = {argument_bytes(data), argument_bytes(memory.bytes()), argument_bytes(rounds),
                         argument_bytes(counters)};
    std::vector<uint64_t> counted(blocks);
    ASSAY_CHECK(gpu_.upload(counters, std::as_bytes(std::span(counted))));
    ASSAY_TRY(const PreparedLaunch launch, gpu_.prepare(request));
    Timed result{.rounds = rounds};
    for (int i = 0; i < repeats; ++i) {
      ASSAY_TRY(result.last_seconds, seconds_of(gpu_, [&] { return launch.launch(gpu_.stream()); }, kWork));
      result.seconds = i == 0 ? result.last_seconds : std::min(result.seconds, result.last_seconds);
    }
    ASSAY_CHECK(gpu_.download(counters, std::as_writable_bytes(std::span(counted))));
    std::ranges::nth_element(counted, counted.begin() + blocks / 2);
    result.cycles = static_cast<double>(counted[blocks / 2]);
    return result;
  }

  // A short look first, then as many rounds as take so long.
  Result<Timed> timed_for(double seconds, const char* entry, uint32_t blocks, const DeviceMemory& memory) {
    constexpr uint32_t kFirstRounds = 64;
    constexpr double kMostRounds = 4e6;
    ASSAY_TRY(const Timed first, timed(entry, blocks, memory, kFirstRounds, 2));
    const double of_round = std::max(first.seconds / kFirstRounds, 1e-9);
    const auto rounds = static_cast<uint32_t>(std::clamp(seconds / of_round, double{kFirstRounds}, kMostRounds));
    return timed(entry, blocks, memory, rounds, kRepeats);
  }

  Result<void> pipes() {
    constexpr double kSeconds = 0.005;
    const DeviceMemory memory(gpu_, 256, "rates");
    const auto rate = [](const Timed& timed, double of_round) {
      return quotient(of_round * kWarpsOfBlock * timed.rounds, timed.cycles);
    };
    ASSAY_TRY(const Timed fma, timed_for(kSeconds, "rate_fma", sms_, memory));
    add(gpu::kFmaRate, rate(fma, kFmaOfRound));
    add(gpu::kClock, quotient(fma.cycles / 1e6, fma.last_seconds));
    ASSAY_TRY(const Timed special, timed_for(kSeconds, "rate_special", sms_, memory));
    add(gpu::kSpecialRate, rate(special, kSpecialOfRound));
    ASSAY_TRY(const Timed shared, timed_for(kSeconds, "rate_shared", sms_, memory));
    add(gpu::kSharedRate, rate(shared, kWavefrontsOfRound));
    return {};
  }

  // Long enough for the power control to show.
  Result<void> tensor_cores() {
    constexpr double kSeconds = 0.1;
    const DeviceMemory memory(gpu_, 256, "rates");
    ASSAY_TRY(const Timed mma, timed_for(kSeconds, "rate_mma_f16", sms_, memory));
    add(gpu::kMmaRate, quotient(kMmaFlopOfRound * kWarpsOfBlock * mma.rounds, mma.cycles));
    add(gpu::kTensorClock, quotient(mma.cycles / 1e6, mma.last_seconds));
    return {};
  }

  Result<void> l2() {
    constexpr double kSeconds = 0.005;
    constexpr double kPart = 0.4;  // of the cache: half of it may hold copies of the other half
    constexpr uint64_t kPiece = 16384;
    const auto bytes = static_cast<uint64_t>(kPart * static_cast<double>(gpu_.model().l2_bytes));
    const DeviceMemory memory(gpu_, std::max(kPiece, bytes / kPiece * kPiece), "rates");
    ASSAY_TRY(const Timed read, timed_for(kSeconds, "rate_l2_read", 2 * sms_, memory));
    add(gpu::kL2Read, quotient(static_cast<double>(memory.bytes()) * read.rounds, read.seconds) / 1e9);
    return {};
  }

  Result<void> atomics() {
    constexpr double kSeconds = 0.005;
    const DeviceMemory memory(gpu_, 256, "rates");
    ASSAY_TRY(const Timed added, timed_for(kSeconds, "rate_atomics", sms_, memory));
    add(gpu::kOneAddress, quotient(sms_ * kWarpsOfBlock * added.rounds, added.seconds) / 1e9);
    return {};
  }

  // In a row of a graph, as the model has it.
  Result<void> launches() {
    constexpr int kRow = 1000;
    const Driver& driver = gpu_.driver();
    device::LaunchRequest request;
    request.module = module_.get();
    request.entry = "rate_launch";
    request.arguments = {argument_bytes(uint64_t{0}), argument_bytes(uint64_t{0}), argument_bytes(uint32_t{0}),
                         argument_bytes(uint64_t{0})};
    ASSAY_TRY(const PreparedLaunch launch, gpu_.prepare(request));
    const auto row = [&]() -> Result<void> {
      for (int i = 0; i < kRow; ++i) ASSAY_CHECK(gpu_.check(launch.launch(gpu_.stream()), "an empty kernel"));
      return {};
    };
    ASSAY_TRY(const CUgraphExec graph, captured_graph(gpu_, gpu_.stream(), row));
    const auto best =
        best_seconds_of(gpu_, kRepeats, [&] { return driver.cuGraphLaunch(graph, gpu_.stream()); }, kWork);
    driver.cuGraphExecDestroy(graph);
    if (!best) return best.error();
    add(gpu::kEmptyLaunch, *best / kRow * 1e6);
    return {};
  }

  // Far more than the caches hold, and no more than a part of what is free.
  Result<void> dram() {
    constexpr uint64_t kMostBytes = uint64_t{2} << 30;
    constexpr uint64_t kPiece = uint64_t{1} << 20;
    size_t free = 0, total = 0;
    ASSAY_CHECK(gpu_.check(gpu_.driver().cuMemGetInfo(&free, &total), "cuMemGetInfo"));
    const DeviceMemory memory(gpu_, std::max(kPiece, std::min<uint64_t>(kMostBytes, free / 2) / kPiece * kPiece),
                              "rates");
    ASSAY_TRY(const Timed copied, timed("rate_dram_copy", 2 * sms_, memory, 1, kRepeats));
    add(gpu::kDramCopy, quotient(static_cast<double>(memory.bytes()), copied.seconds) / 1e9);
    return {};
  }

  CudaDevice& gpu_;
  std::unique_ptr<device::Module> module_;
  uint32_t sms_;
  std::vector<gpu::MeasuredRate> rates_;
};

}  // namespace

Result<std::vector<gpu::MeasuredRate>> probe_rates(CudaDevice& gpu, const Context& context) {
  if (gpu.model().compute_major < 8)
    return Error{
        fmt::format("{} is older than compute capability 8.0, for which the kernels are written", gpu.model().name),
        {},
        "measure on an Ampere GPU or a newer one",
        ExitCode::environment};
  ASSAY_CHECK(gpu.make_current());
  ASSAY_TRY(std::unique_ptr<device::Module> module, gpu.load(rate_files().front().text, "rate_probes.ptx"));
  RateProber prober(gpu, std::move(module));
  return prober.run(context);
}

}  // namespace assay::measure::cuda
