// SPDX-License-Identifier: MIT
#include "work/ncu_profile.hpp"

#include "profiling/tool.hpp"
#include "work/kernel.hpp"

namespace assay::work {

void measure_under_ncu(const NcuProfiling& wanted, const Context& context, profiling::Profile& profile) {
  constexpr const char* kGpu = "cuda:0";
  profile.measured_on = kGpu;
  const auto runnable = make_runnable(wanted.spec, wanted.configuration, kGpu, wanted.limits, context);
  if (!runnable) {
    const auto tool = profiling::find_tool(profiling::kNcu);
    profile.not_measured = tool ? runnable.error() : tool.error();
    return;
  }
  profiling::NcuRun run{.setup = runnable->worker.setup,
                        .test = wanted.test,
                        .entry = profile.entry,
                        .time_limit = runnable->worker.time_limit,
                        .program = context.program,
                        .kept = wanted.kept};
  run.setup.compare = false;
  run.setup.checks = {};
  auto launch = profiling::run_ncu(run);
  if (!launch) {
    profile.not_measured = std::move(launch).error();
    return;
  }
  profile.measured = std::move(*launch);
  for (profiling::Figure& figure : profiling::measured_figures(*profile.measured))
    profile.figures.push_back(std::move(figure));
}

}  // namespace assay::work
