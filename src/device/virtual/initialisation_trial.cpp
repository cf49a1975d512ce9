// SPDX-License-Identifier: MIT
#include "device/virtual/initialisation_trial.hpp"

#include "vgpu/observe/memory_check.hpp"

namespace assay::device {
namespace {

using vgpu::InitialisationCheck;
using vgpu::InstructionId;

constexpr size_t kMostTrials = 16;  // instructions; findings of more are shown without a trial

class Trials {
 public:
  Trials(vgpu::Gpu& gpu, vgpu::Launch launch, const vgpu::MemoryImage& before)
      : gpu_(gpu), launch_(std::move(launch)), before_(before), after_(gpu.memory().image()) {}
  ~Trials() { gpu_.memory().restore(after_); }
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  // What comes out if all those instructions read zeros. False: the launch fails with them.
  Result<bool> run_with_zeros() {
    InitialisationCheck zeros({}, InitialisationCheck::Zeros{});
    ASSAY_TRY(const Outcome outcome, run(zeros));
    with_zeros_ = gpu_.memory().image();
    bad_accesses_with_zeros_ = outcome.bad_accesses;
    return !outcome.failed;
  }
  // Whether it makes a difference that one of them does not.
  Result<bool> has_effect(InstructionId id) {
    InitialisationCheck others({}, InitialisationCheck::Zeros{id});
    ASSAY_TRY(const Outcome outcome, run(others));
    return outcome.failed || outcome.bad_accesses != bad_accesses_with_zeros_ || !gpu_.memory().matches(with_zeros_);
  }

  struct Outcome {
    bool failed;
    uint64_t bad_accesses;  // skipped, as they were before
  };
  Result<Outcome> run(InitialisationCheck& check) {
    gpu_.memory().restore(before_);
    vgpu::MemoryCheck memory_check;
    launch_.observers = {&memory_check, &check};
    ASSAY_TRY(const vgpu::LaunchResult result, gpu_.launch(launch_));
    return Outcome{result.fault.has_value(), memory_check.found().occurrences()};
  }

 private:
  vgpu::Gpu& gpu_;
  vgpu::Launch launch_;
  const vgpu::MemoryImage& before_;
  const vgpu::MemoryImage after_;
  vgpu::MemoryImage with_zeros_;
  uint64_t bad_accesses_with_zeros_ = 0;
};

}  // namespace

Result<gpu::FindingList> findings_with_effect(vgpu::Gpu& gpu, vgpu::Launch launch, const InitialisationCheck& first,
                                              const vgpu::MemoryImage& before) {
  if (first.unwritten_reads().empty() || first.unwritten_reads().size() > kMostTrials) return first.found();
  Trials trials(gpu, std::move(launch), before);
  ASSAY_TRY(const bool comparable, trials.run_with_zeros());
  if (!comparable) return first.found();
  std::set<InstructionId> without_effect;
  for (const InstructionId id : first.unwritten_reads()) {
    ASSAY_TRY(const bool effect, trials.has_effect(id));
    if (!effect) without_effect.insert(id);
  }
  if (without_effect.empty()) return first.found();
  InitialisationCheck rest(std::move(without_effect));
  ASSAY_CHECK(trials.run(rest));
  return rest.found();
}

}  // namespace assay::device
