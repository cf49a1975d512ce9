// SPDX-License-Identifier: MIT
// What each check costs: shipped kernels on the virtual GPU without checks, with each check alone and with all of them,
// taking turns, in one run. Ratios are of processor time, so that they do not depend on the number of cores; the race
// check runs blocks on one core. Memory is the largest resident size of a process that runs the kernel once.
//
//   check_bench [ROUNDS]    both tables
//   check_bench --memory    memory alone
//   check_bench --times [ROUNDS [WORDS [CHECK]]]    of kernels with these words in their names; this check alone
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"
#include "base/random.hpp"
#include "check/launch_plan.hpp"
#include "device/open/open_device.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"
#include "vgpu/observe/check_registry.hpp"

namespace assay::bench {
namespace {

struct Subject {
  const char* name;  // as the table has it
  const char* folder;
  const char* ptx;
  const char* device;
  const char* shape;
  const char* memory_shape = nullptr;  // of which memory is measured; nullptr: the same
};

constexpr Subject kSubjects[] = {
    {"reduction", "reduction", "reduction.sm_89", "vgpu:l4", "ROWS=256,COLUMNS=8192"},
    {"softmax", "softmax", "softmax.sm_89", "vgpu:l4", "ROWS=256,COLUMNS=4096,dtype=f16"},
    {"layer norm", "layernorm", "layernorm.sm_89", "vgpu:l4", "ROWS=256,COLUMNS=4096,dtype=f16"},
    {"gemm, mma.sync", "gemm", "gemm.sm_89", "vgpu:l4", "M=256,N=256,K=512,dtype=f16"},
    {"attention, naive", "attention/naive", "attention_naive.sm_89", "vgpu:l4",
     "B=1,H=4,S=129,D=64,causal=false,dtype=f16"},
    {"attention, shared memory", "attention/shared_memory", "attention_shared_memory.sm_89", "vgpu:l4",
     "B=1,H=4,S=129,D=64,causal=false,dtype=f16"},
    {"attention, mma.sync", "attention/tensor_core", "attention_tensor_core.sm_89", "vgpu:l4",
     "B=1,H=2,S=256,D=64,causal=false,dtype=f16"},
    {"attention, wgmma resident", "attention/resident", "attention_resident.sm_90a", "vgpu:h100",
     "B=1,H=2,S=256,D=64,causal=false,dtype=f16"},
    {"attention, wgmma streaming", "attention/streaming", "attention_streaming.sm_90a", "vgpu:h100",
     "B=1,H=2,S=256,D=64,causal=true,dtype=f16"},
    {"attention, split keys", "attention/split_keys", "attention_split_keys.sm_90a", "vgpu:h100",
     "B=1,H=2,G=4,M=1,S=2048,D=128,causal=false,dtype=f16"},
    {"cluster reduction", "cluster_reduction", "cluster_reduction.sm_90", "vgpu:h100", "ROWS=64,COLUMNS=16384"},
    {"TMA copy", "tensor_map_copy", "tensor_map_copy.sm_90a", "vgpu:h100", "ROWS=512,COLUMNS=1024"},
    {"reduction, much data", "reduction", "reduction.sm_89", "vgpu:l4", "ROWS=1024,COLUMNS=16384"},
    {"copy with a barrier", "broken/clean/barrier_in_divergent_code", "barrier_in_divergent_code_clean.sm_89",
     "vgpu:l4", "N=262144"},
    {"bytes in no order", "../bench/scattered", "scattered.sm_89", "vgpu:l4", "BYTES=2097152,WIDTH=1,READERS=0",
     "BYTES=33554432,WIDTH=1,READERS=0"},
    {"halves in no order", "../bench/scattered", "scattered.sm_89", "vgpu:l4", "BYTES=4194304,WIDTH=2,READERS=0",
     "BYTES=33554432,WIDTH=2,READERS=0"},
    {"words in no order", "../bench/scattered", "scattered.sm_89", "vgpu:l4", "BYTES=8388608,WIDTH=4,READERS=0",
     "BYTES=33554432,WIDTH=4,READERS=0"},
    {"bytes, read by two more", "../bench/scattered", "scattered.sm_89", "vgpu:l4", "BYTES=1048576,WIDTH=1,READERS=2",
     "BYTES=33554432,WIDTH=1,READERS=2"},
    {"halves, read by two more", "../bench/scattered", "scattered.sm_89", "vgpu:l4", "BYTES=2097152,WIDTH=2,READERS=2",
     "BYTES=33554432,WIDTH=2,READERS=2"},
};

std::string folder_of(const Subject& subject) {
  return std::string(ASSAY_SOURCE_DIR "/kernels/") + subject.folder;
}

const char* memory_shape_of(const Subject& subject) {
  return subject.memory_shape != nullptr ? subject.memory_shape : subject.shape;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A kernel with its buffers, ready to be launched again and again.
class LoadedKernel {
 public:
  static Result<LoadedKernel> open(const Subject& subject, const char* shape_text) {
    LoadedKernel self;
    const std::string folder = folder_of(subject);
    ASSAY_TRY(const spec::KernelSpec spec, spec::load(folder));
    ASSAY_TRY(const spec::Configuration configuration, spec::default_configuration(spec));
    ASSAY_TRY(const spec::Shape shape, spec::parse_shape(spec, shape_text));
    ASSAY_TRY(self.device_, device::open_device(subject.device));
    const std::string file = fmt::format("{}/ptx/{}.ptx", folder, subject.ptx);
    ASSAY_TRY(const std::string ptx, read_file(file));
    ASSAY_TRY(self.module_, self.device_->load(ptx, file));
    ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec, configuration, shape));
    std::map<std::string, uint64_t> addresses;
    Random random(1);
    for (const spec::ResolvedArgument& argument : arguments) {
      const spec::ResolvedTensor* const tensor = argument.tensor();
      if (tensor == nullptr) continue;
      const auto bytes = static_cast<size_t>(tensor->bytes);
      ASSAY_TRY(addresses[argument.name], self.device_->allocate(bytes, argument.name));
      std::vector<std::byte> values(bytes);
      // Bytes below 0x3c: small finite numbers in every floating type.
      for (std::byte& value : values) value = static_cast<std::byte>(random.next() % 0x3c);
      ASSAY_CHECK(self.device_->upload(addresses[argument.name], values));
      if (!spec::is_filled(tensor->role)) self.outputs_.emplace_back(addresses[argument.name], bytes);
    }
    device::Image image;
    image.ptx = ptx;
    ASSAY_TRY(const auto planner, check::LaunchPlanner::open(spec, configuration, image, {}));
    ASSAY_TRY(const auto requests, planner.plan(*self.device_, shape, arguments, addresses));
    if (requests.size() != 1) return Error{fmt::format("{} is not one kernel", subject.folder)};
    self.request_ = requests.front();
    self.request_.module = self.module_.get();
    return self;
  }

  Result<double> run(const gpu::CheckSet& checks) {
    request_.checks = checks;
    for (const auto& [address, bytes] : outputs_) device_->mark_unwritten(address, bytes);
    const double start = processor_seconds();
    ASSAY_TRY(const device::LaunchOutcome outcome, device_->launch(request_));
    const double seconds = processor_seconds() - start;
    if (outcome.fault) return Error{outcome.fault->message};
    if (!outcome.findings.empty()) return Error{outcome.findings.front().message};
    return seconds;
  }

 private:
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Module> module_;
  device::LaunchRequest request_;
  std::vector<std::pair<uint64_t, uint64_t>> outputs_;  // addresses and sizes
};

// "check_bench --once NUMBER none|all": what resident_megabytes() measures.
int run_once(size_t number, bool checked) {
  const Subject& subject = kSubjects[number];
  auto kernel = LoadedKernel::open(subject, memory_shape_of(subject));
  return kernel && kernel->run(checked ? vgpu::all_checks() : gpu::CheckSet{}) ? 0 : 1;
}

// Of a process that opens the kernel and launches it once.
Result<double> resident_megabytes(size_t number, bool checked) {
  const std::string words[] = {"/proc/self/exe", "--once", std::to_string(number), checked ? "all" : "none"};
  const pid_t child = fork();
  if (child < 0) return Error{"cannot start a process"};
  if (child == 0) {
    execl(words[0].c_str(), words[0].c_str(), words[1].c_str(), words[2].c_str(), words[3].c_str(),
          static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0)
    return Error{"the process that was to be measured failed"};
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Result<double> data_megabytes(const Subject& subject) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(folder_of(subject)));
  ASSAY_TRY(const spec::Configuration configuration, spec::default_configuration(spec));
  ASSAY_TRY(const spec::Shape shape, spec::parse_shape(spec, memory_shape_of(subject)));
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec, configuration, shape));
  double bytes = 0;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (const spec::ResolvedTensor* const tensor = argument.tensor()) bytes += static_cast<double>(tensor->bytes);
  }
  return bytes / 1e6;
}

// Before anything else runs: a process inherits the mark of the one that starts it, which is small as yet.
Result<int> print_memory() {
  fmt::print(
      "memory with all checks on, MB: largest resident size of a process that runs the kernel once\n\n"
      "| kernel | data | without checks | with all | 8 times the data and 200 |\n|---|---|---|---|---|\n");
  for (size_t number = 0; number < std::size(kSubjects); ++number) {
    ASSAY_TRY(const double data, data_megabytes(kSubjects[number]));
    ASSAY_TRY(const double bare, resident_megabytes(number, false));
    ASSAY_TRY(const double checked, resident_megabytes(number, true));
    const double most = 8 * data + 200;
    fmt::print("| {} | {:.1f} | {:.0f} | {:.0f} | {:.0f}{} |\n", kSubjects[number].name, data, bare, checked, most,
               checked > most ? ", missed" : "");
    std::fflush(stdout);
  }
  return 0;
}

Result<int> print_times(int rounds, std::string_view words = {}, std::string_view check = {}) {
  std::vector<std::pair<std::string, gpu::CheckSet>> sets = {{"none", {}}};
  for (const vgpu::CheckRow& row : vgpu::check_registry())
    sets.emplace_back(std::string(row.name), gpu::CheckSet{row.name});
  sets.emplace_back("all", vgpu::all_checks());
  if (!check.empty()) std::erase_if(sets, [&](const auto& set) { return set.first != "none" && set.first != check; });
  fmt::print(
      "what checks cost: processor time as a multiple of the kernel without checks; median of {} interleaved "
      "rounds on {} cores\n\n| kernel | no checks, ms",
      rounds, std::thread::hardware_concurrency());
  for (size_t i = 1; i < sets.size(); ++i) fmt::print(" | {}", sets[i].first);
  fmt::print(" |\n|---|---|");
  for (size_t i = 1; i < sets.size(); ++i) fmt::print("---|");
  fmt::print("\n");
  std::vector<double> largest(sets.size());
  for (const Subject& subject : kSubjects) {
    if (std::string_view(subject.name).find(words) == std::string_view::npos) continue;
    ASSAY_TRY(LoadedKernel kernel, LoadedKernel::open(subject, subject.shape));
    std::vector<std::vector<double>> times(sets.size());
    for (int round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < sets.size(); ++i) {
        const auto seconds = kernel.run(sets[i].second);
        if (!seconds) return Error{fmt::format("{}: {}", subject.name, seconds.error().message)};
        times[i].push_back(*seconds);
      }
    }
    const double base = median(times[0]);
    fmt::print("| {} | {:.1f}", subject.name, base * 1e3);
    for (size_t i = 1; i < sets.size(); ++i) {
      const double ratio = median(times[i]) / base;
      largest[i] = std::max(largest[i], ratio);
      fmt::print(" | {:.2f}", ratio);
    }
    fmt::print(" |\n");
    std::fflush(stdout);
  }
  fmt::print("| largest |");
  for (size_t i = 1; i < sets.size(); ++i) fmt::print(" | {:.2f}", largest[i]);
  fmt::print(" |\n");
  return 0;
}

Result<int> run(int rounds) {
  ASSAY_TRY(const int done, print_memory());
  if (done != 0) return done;
  fmt::print("\n");
  return print_times(rounds);
}

}  // namespace
}  // namespace assay::bench

int main(int count, char** words) {
  if (count == 4 && std::strcmp(words[1], "--once") == 0)
    return assay::bench::run_once(std::strtoul(words[2], nullptr, 10), std::strcmp(words[3], "all") == 0);
  const bool memory = count > 1 && std::strcmp(words[1], "--memory") == 0;
  const bool times = count > 1 && std::strcmp(words[1], "--times") == 0;
  const int number = times ? 2 : 1;
  const int rounds = count > number ? std::max(1, std::atoi(words[number])) : 5;
  const auto result = memory  ? assay::bench::print_memory()
                      : times ? assay::bench::print_times(rounds, count > 3 ? words[3] : "", count > 4 ? words[4] : "")
                              : assay::bench::run(rounds);
  if (result) return *result;
  fmt::print(stderr, "check_bench: {}\n", to_string(result.error()));
  return static_cast<int>(result.error().exit_code);
}
