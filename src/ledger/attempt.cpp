// SPDX-License-Identifier: MIT
#include "ledger/attempt.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/hash.hpp"
#include "ledger/json_text.hpp"

namespace assay::ledger {
namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 14> kNames = {{
    {Kind::build, "build"},
    {Kind::sanitize, "sanitize"},
    {Kind::check, "check"},
    {Kind::measure, "measure"},
    {Kind::compare, "compare"},
    {Kind::gate, "gate"},
    {Kind::calibrate, "calibrate"},
    {Kind::profile, "profile"},
    {Kind::tune, "tune"},
    {Kind::evolve, "evolve"},
    {Kind::suite, "suite"},
    {Kind::run, "run"},
    {Kind::bisect, "bisect"},
    {Kind::imported, "import"},
}};

constexpr size_t kTextLimit = size_t{1} << 20;

Result<void> check_number(const char* name, double value) {
  if (std::isfinite(value) && value >= 0) return {};
  return Error{fmt::format("an attempt's {} must be a number >= 0, not {}", name, value)};
}

Result<void> check_number(const char* name, const std::optional<double>& value) {
  return value ? check_number(name, *value) : Result<void>();
}

Result<void> check_text(const char* name, const std::string& text) {
  if (text.size() <= kTextLimit && text.find('\0') == std::string::npos) return {};
  return Error{fmt::format("an attempt's {} must be text of at most {} bytes without zero bytes", name, kTextLimit)};
}

}  // namespace

std::string_view to_string(Kind kind) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.first == kind; });
  return found == kNames.end() ? "unknown" : found->second;
}

std::optional<Kind> kind_from_name(std::string_view name) {
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.second == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> list;
    list.reserve(kNames.size());
    for (const auto& [kind, name] : kNames) list.push_back(kind);
    return list;
  }();
  return kinds;
}

Result<Attempt> completed(Attempt attempt) {
  ASSAY_CHECK(check_number("duration", attempt.duration_s));
  ASSAY_CHECK(check_number("cost per hour", attempt.cost_per_hour));
  ASSAY_CHECK(check_number("p50", attempt.p50_us));
  for (const auto& [name, text] :
       {std::pair{"machine", &attempt.machine}, std::pair{"version", &attempt.assay},
        std::pair{"kernel", &attempt.kernel}, std::pair{"specification", &attempt.specification},
        std::pair{"configuration", &attempt.configuration}, std::pair{"shape", &attempt.shape},
        std::pair{"dtype", &attempt.dtype}, std::pair{"device", &attempt.device},
        std::pair{"verdict", &attempt.verdict}, std::pair{"comparable", &attempt.comparable},
        std::pair{"source hash", &attempt.source_hash}, std::pair{"cubin hash", &attempt.cubin_hash}}) {
    ASSAY_CHECK(check_text(name, *text));
  }
  if (attempt.time_us <= 0) attempt.time_us = now_us();
  if (!attempt.contract.empty()) {
    ASSAY_TRY(attempt.contract, sorted_object("contract", attempt.contract));
    attempt.contract_hash = content_hash(attempt.contract);
  } else {
    attempt.contract_hash.clear();
  }
  if (!attempt.details.empty()) {
    ASSAY_TRY(attempt.details, sorted_object("details", attempt.details));
  }
  attempt.cost.reset();
  if (attempt.cost_per_hour) attempt.cost = *attempt.cost_per_hour * attempt.duration_s / 3600;
  return attempt;
}

int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace assay::ledger
