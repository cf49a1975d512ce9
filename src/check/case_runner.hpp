// SPDX-License-Identifier: MIT
// Runs cases of one kernel on one device, in this process. Worker (worker.hpp) does so in a process of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/case_result.hpp"
#include "check/check_cost.hpp"
#include "check/launch_plan.hpp"
#include "check/oracle.hpp"
#include "check/self_test.hpp"
#include "device/device.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {

struct RunnerSetup {
  std::filesystem::path spec_file;
  std::string configuration;           // its id; "" for a kernel without tunables
  std::filesystem::path ptx;           // empty if the source is machine code
  std::filesystem::path cubin;         // for a GPU; empty if there is none
  std::string device;                  // "vgpu:l4"
  std::filesystem::path cache_folder;  // for compiled references
  gpu::CheckSet checks{gpu::kMemcheck};
  bool compare = true;  // against the reference; false: only run it under the checks
  bool fuse = false;    // products and sums that ptxas may contract, on a virtual GPU
  uint64_t instruction_limit = 0;
  bool count = false;    // CaseResult::counters
  bool watched = false;  // another tool watches the accesses of a GPU: buffers get no guards around them
};

class CaseRunner {
 public:
  static Result<std::unique_ptr<CaseRunner>> open(const RunnerSetup& setup);

  // With repetitions, a case that passes is launched so often in all, and must give the same bits each time.
  CaseResult run(const Case& test, size_t repetitions = 1);
  // Of the reference and the comparison. Only for a comparison of the user's something is launched.
  Result<SelfTest> self_test(const Case& test);
  Result<CheckCosts> costs(const Case& test);
  std::vector<std::string> approximate_instructions() const { return device_->approximate_instructions(*module_); }
  std::vector<std::string> fusible_places() const { return device_->fusible_places(*module_); }
  bool lost() const { return device_->lost(); }  // only another process can run further cases

 private:
  struct Buffer;  // a tensor argument on the device
  struct Run;     // the buffers and the outcome of one launch

  CaseRunner() = default;
  Result<void> try_reference() const;
  Result<InputValues> inputs_of(const Case& test, const std::vector<spec::ResolvedArgument>& arguments) const;
  Result<void> check_memory(const std::vector<spec::ResolvedArgument>& arguments) const;
  Result<double> launch_seconds(const Case& test, const gpu::CheckSet& checks);
  Result<Run> launch(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, bool second_poison);
  Result<void> launch_into(Run& run, const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                           bool second_poison);
  Result<void> add_buffer(Run& run, const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                          const spec::ResolvedArgument& argument, bool second_poison);
  Result<void> release(Run& run);
  Result<void> test_function(const std::vector<spec::ResolvedArgument>& arguments, SelfTest& made);
  Result<reference::Outputs> expected(const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                      const Run& run);
  void repeat(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, const Run& first,
              size_t repetitions, CaseResult& result);
  void judge(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, Run& run, CaseResult& result);
  bool judge_reference(const reference::Outputs& wanted, const Run& run, CaseResult& result) const;
  bool judge_launch(const Run& run, CaseResult& result) const;
  bool judge_inputs(const Run& run, CaseResult& result) const;
  bool judge_gaps(const Run& run, CaseResult& result) const;
  bool judge_output(const Case& test, const Buffer& buffer, const reference::Tensor& expected,
                    const std::vector<int64_t>& unwritten, CaseResult& result) const;
  void judge_scratch(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, const Run& run,
                     CaseResult& result);
  void judge_by_function(const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                         const reference::Outputs& known, const Run& run, CaseResult& result) const;

  RunnerSetup setup_;
  spec::KernelSpec spec_;
  spec::Configuration configuration_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Module> module_;
  std::optional<LaunchPlanner> planner_;
  bool accesses_checked_ = false;  // else buffers get guards around them
  bool other_scratch_ = false;     // scratch alone holds the second poison
  std::optional<Oracle> oracle_;
};

}  // namespace assay::check
