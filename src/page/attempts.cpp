// SPDX-License-Identifier: MIT
// Every attempt that the report rests on, with its contract and the command that makes it again.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "ledger/time_text.hpp"
#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr size_t kListed = 500;
constexpr size_t kContracts = 120;

Table overview(const std::vector<ledger::Attempt>& attempts, size_t first) {
  Table table{"attempts-table",
              "Attempts, the oldest first",
              {{"attempt", true},
               {"when"},
               {"what"},
               {"kernel"},
               {"case"},
               {"device"},
               {"verdict"},
               {"took", true},
               {"p50", true}},
              {}};
  for (size_t i = first; i < attempts.size(); ++i) {
    const ledger::Attempt& attempt = attempts[i];
    // What a profile or a diagnosis names first is neither good nor bad.
    const bool judged = attempt.kind != ledger::Kind::profile || attempt.exit_code != 0;
    const Tone tone = !judged                  ? Tone::plain
                      : attempt.exit_code == 0 ? Tone::good
                      : attempt.exit_code == 4 ? Tone::warning
                                               : Tone::bad;
    const std::string what = attempt.configuration + (attempt.shape.empty() ? "" : " " + attempt.shape);
    table.rows.push_back(
        {{link(std::to_string(attempt.id), fmt::format("attempt-{}", attempt.id)), static_cast<double>(attempt.id)},
         {plain(ledger::iso_time(attempt.time_us))},
         {plain(std::string(to_string(attempt.kind)))},
         {plain(attempt.kernel)},
         {plain(what)},
         {plain(attempt.device)},
         {toned(attempt.verdict, tone)},
         {plain(short_number(attempt.duration_s) + " s"), attempt.duration_s},
         attempt.p50_us ? Cell{plain(time_text(*attempt.p50_us)), attempt.p50_us} : Cell{}});
  }
  return table;
}

Fold contract_of(const ledger::Attempt& attempt) {
  Table table{fmt::format("attempt-{}", attempt.id),
              fmt::format("What attempt {} depends on", attempt.id),
              {{"field"}, {"value"}},
              {}};
  const auto row = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({{plain(name)}, {code(value)}});
  };
  row("assay", attempt.assay);
  row("specification", attempt.specification);
  row("configuration", attempt.configuration);
  row("shape", attempt.shape);
  row("device", attempt.device);
  row("machine", attempt.machine);
  row("seed", std::to_string(attempt.seed));
  row("source hash", attempt.source_hash);
  row("cubin hash", attempt.cubin_hash);
  const auto contract = nlohmann::json::parse(attempt.contract.empty() ? "null" : attempt.contract, nullptr, false);
  if (contract.is_object()) {
    for (const auto& [field, value] : contract.items())
      row("contract: " + field, value.is_string() ? value.get<std::string>() : value.dump());
  }
  std::vector<Element> elements;
  if (const std::string command = command_of(attempt); !command.empty()) elements.push_back({Code{command}});
  elements.push_back({std::move(table)});
  return {
      plain(fmt::format("Attempt {}: {} {} {}", attempt.id, to_string(attempt.kind), attempt.kernel, attempt.shape)),
      std::move(elements)};
}

}  // namespace

std::optional<Section> attempts_section(const Content& content) {
  // The attempts of earlier times that history and leaderboard name are there as well.
  std::vector<ledger::Attempt> all = content.attempts;
  std::set<int64_t> ids;
  for (const ledger::Attempt& attempt : all) ids.insert(attempt.id);
  const auto add = [&](const ledger::Attempt& attempt) {
    if (ids.insert(attempt.id).second) all.push_back(attempt);
  };
  for (const MeasuredCase& each : content.history) add(each.attempt);
  for (const ProfiledCase& each : content.profile_history) add(each.attempt);
  std::ranges::sort(all, {}, &ledger::Attempt::id);
  const size_t listed = all.size() > kListed ? all.size() - kListed : 0;
  Section section{"attempts", "Attempts, contracts and commands", {}};
  if (listed > 0)
    section.elements.push_back({Paragraph{plain(fmt::format("The newest {} of {} attempts.", kListed, all.size()))}});
  std::vector<Element> contracts;
  const size_t first = all.size() > kContracts ? all.size() - kContracts : 0;
  // Those that the sections point to are always there.
  for (size_t i = 0; i < all.size(); ++i) {
    const bool pointed_to =
        std::ranges::any_of(content.measured, [&](const MeasuredCase& each) { return each.attempt.id == all[i].id; }) ||
        i >= first;
    if (pointed_to) contracts.push_back({contract_of(all[i])});
  }
  section.elements.push_back({overview(all, listed)});
  section.elements.insert(section.elements.end(), contracts.begin(), contracts.end());
  return section;
}

}  // namespace assay::page
