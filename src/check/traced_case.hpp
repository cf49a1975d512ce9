// SPDX-License-Identifier: MIT
// One case on a virtual GPU in this process: its buffers are made once, and any PTX that takes the same arguments is
// launched on them and counted. Nothing is compared.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/case_runner.hpp"
#include "device/tracer.hpp"
#include "gpu/launch_change.hpp"

namespace assay::check {

struct TracedRequest {
  std::filesystem::path ptx;
  gpu::CheckSet checks;
  uint64_t instruction_limit = 0;
  uint64_t blocks = 0;                         // run at most so many, if they can stand for the others; 0: all
  std::optional<bool> sampled = std::nullopt;  // whether they can; else the program decides
  // A call may have several kernels, one after the other. All but the last are run whole: the next one needs their
  // results.
  bool several = false;
  gpu::LaunchChange change{};
};

// One entry for each launch: an experiment may have two.
struct TracedRun {
  std::vector<std::string> entries;
  std::vector<uint32_t> shared_bytes;  // dynamic ones
  std::vector<gpu::LaunchWork> works;
  std::vector<gpu::InstructionCount> instructions;  // of the first
};

class TracedCase {
 public:
  // `configuration`: its id; "" or "default" for the default one.
  static Result<std::unique_ptr<TracedCase>> open(const std::filesystem::path& spec, const std::string& configuration,
                                                  const std::string& shape, const std::string& device, uint64_t seed,
                                                  const std::filesystem::path& cache);

  Result<TracedRun> run(const TracedRequest& request);

 private:
  TracedCase() = default;
  Result<void> make_buffers(const device::Module& module);
  Result<void> release_buffers(uint64_t room);
  Result<std::vector<uint8_t>> content(const spec::ResolvedArgument& argument) const;

  spec::KernelSpec spec_;
  spec::Configuration configuration_;
  spec::Shape shape_;
  uint64_t seed_ = 1;
  std::filesystem::path cache_;
  std::unique_ptr<device::Device> device_;
  std::vector<spec::ResolvedArgument> arguments_;
  bool made_ = false;
  uint64_t room_ = 0;  // behind each tensor, for launches that begin later in it
  std::map<std::string, uint64_t> addresses_;
  std::map<std::string, std::vector<uint8_t>> contents_;  // of what a kernel may have written over
};

}  // namespace assay::check
