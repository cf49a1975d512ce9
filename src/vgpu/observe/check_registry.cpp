// SPDX-License-Identifier: MIT
#include "vgpu/observe/check_registry.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "vgpu/observe/async_check.hpp"
#include "vgpu/observe/initialisation_check.hpp"
#include "vgpu/observe/memory_check.hpp"
#include "vgpu/observe/race_check.hpp"
#include "vgpu/observe/synchronisation_check.hpp"

namespace assay::vgpu {
namespace {

template <class T>
std::unique_ptr<Check> make(UnwrittenMemory&) {
  return std::make_unique<T>();
}
std::unique_ptr<Check> make_initialisation_check(UnwrittenMemory& global) {
  return std::make_unique<InitialisationCheck>(&global);
}

// The memory check comes first: accesses that it refuses are not shown to the others.
constexpr std::array kChecks = {
    CheckRow{gpu::kMemcheck, "bad memory accesses", make<MemoryCheck>},
    CheckRow{"initcheck", "uses of what nothing has written", make_initialisation_check},
    CheckRow{"synccheck", "barriers and warp-synchronous instructions", make<SynchronisationCheck>},
    CheckRow{"racecheck", "races", make<RaceCheck>},
    CheckRow{"asynccheck", "asynchronous copies and proxies", make<AsyncCheck>},
};

// A new check takes its words from here into its row.
constexpr std::array<std::string_view, 1> kWithoutCheck = {
    "bounds of arrays inside one global allocation",
};

}  // namespace

std::span<const CheckRow> check_registry() {
  return kChecks;
}

std::span<const std::string_view> defects_without_check() {
  return kWithoutCheck;
}

gpu::CheckSet all_checks() {
  gpu::CheckSet all;
  for (const CheckRow& row : kChecks) all.add(row.name);
  return all;
}

Result<gpu::CheckSet> parse_checks(std::string_view list) {
  if (list == "all") return all_checks();
  const gpu::CheckSet known = all_checks();
  gpu::CheckSet wanted;
  for (const std::string_view part : split(list, ',')) {
    const std::string_view name = trim(part);
    if (!known.contains(name)) {
      std::string names = "all";
      for (const CheckRow& row : kChecks) names += fmt::format(", {} ({})", row.name, row.finds);
      return Error{fmt::format("there is no check '{}'", name), {}, "choose from " + names};
    }
    wanted.add(name);
  }
  return wanted;
}

gpu::Coverage coverage_of(const gpu::CheckSet& checks) {
  gpu::Coverage coverage;
  for (const CheckRow& row : kChecks) {
    const bool ran = checks.contains(row.name);
    if (ran) coverage.checks.emplace_back(row.name);
    (ran ? coverage.checked : coverage.not_checked).emplace_back(row.finds);
  }
  for (const std::string_view defects : kWithoutCheck) coverage.not_checked.emplace_back(defects);
  return coverage;
}

}  // namespace assay::vgpu
