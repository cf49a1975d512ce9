// SPDX-License-Identifier: MIT
#include "vgpu/observe/checked_launch.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "vgpu/observe/check.hpp"
#include "vgpu/observe/check_registry.hpp"
#include "vgpu/observe/race_check.hpp"

namespace assay::vgpu {
namespace {

using Checks = std::vector<std::unique_ptr<Check>>;

Result<Checks> make(const gpu::CheckSet& wanted, UnwrittenMemory& global) {
  Checks made;
  for (const CheckRow& row : check_registry()) {
    if (wanted.contains(row.name)) made.push_back(row.make(global));
  }
  if (made.size() == wanted.names().size()) return made;
  return Error{fmt::format("there are {} checks where {} were asked for", made.size(), wanted.names().size()),
               {},
               "",
               ExitCode::internal};
}

// Two checks that find something at one instruction have found one mistake: only the first of them reports it. An
// uninitialised read that is also a race reports the race, too, because that names the thread that writes.
gpu::FindingList not_yet_reported(const gpu::FindingList& found, const gpu::FindingList& reported,
                                  const gpu::FindingList& races) {
  gpu::FindingList news;
  for (gpu::Finding finding : found.findings()) {
    const auto race = std::ranges::find(races.findings(), finding.ptx_line, &gpu::Finding::ptx_line);
    if (finding.kind == gpu::FindingKind::uninitialised && race != races.findings().end())
      finding.message += "; it is a race, too: " + race->message;
    const bool known = std::ranges::any_of(reported.findings(), [&](const gpu::Finding& other) {
      return other.ptx_line == finding.ptx_line;  // of one module
    });
    if (!known) news.add(finding);
  }
  return news;
}

}  // namespace

Result<CheckedLaunch> launch_checked(Gpu& gpu, const Launch& launch, const gpu::CheckSet& checks,
                                     UnwrittenMemory& global) {
  ASSAY_TRY(const Checks made, make(checks, global));
  Launch watched = launch;
  watched.observers.clear();
  for (const auto& check : made) watched.observers.push_back(check.get());
  watched.observers.insert(watched.observers.end(), launch.observers.begin(), launch.observers.end());
  CheckedLaunch checked;
  ASSAY_TRY(checked.result, gpu.launch(watched));
  gpu::FindingList races;
  for (const auto& check : made) {
    if (const auto* race_check = dynamic_cast<const RaceCheck*>(check.get())) races = race_check->found();
  }
  for (const auto& check : made) checked.found.merge(not_yet_reported(check->found(), checked.found, races));
  return checked;
}

}  // namespace assay::vgpu
