// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "assay/calibrate.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "build/builder.hpp"
#include "judge/simulation.hpp"
#include "work/document.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using judge::SimulatedCell;
using nlohmann::json;

json cell_json(const SimulatedCell& cell) {
  return {{"noise", judge::to_string(cell.what.noise)},
          {"us", cell.what.microseconds},
          {"slowdown", cell.what.slowdown},
          {"runs", cell.runs},
          {"faster", cell.faster},
          {"slower", cell.slower},
          {"same", cell.same},
          {"pass", cell.passes},
          {"regression", cell.regressions},
          {"processes", cell.mean_processes()}};
}

// A finished cell of an earlier run, if the line is one.
bool fill(SimulatedCell& cell, const json& line) {
  const json wanted = cell_json(cell);
  for (const char* key : {"noise", "us", "slowdown", "runs"}) {
    if (!line.is_object() || !line.contains(key) || line[key] != wanted[key]) return false;
  }
  try {
    cell.faster = line.at("faster").get<size_t>();
    cell.slower = line.at("slower").get<size_t>();
    cell.same = line.at("same").get<size_t>();
    cell.passes = line.at("pass").get<size_t>();
    cell.regressions = line.at("regression").get<size_t>();
    cell.processes =
        static_cast<size_t>(std::llround(line.at("processes").get<double>() * static_cast<double>(cell.runs)));
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

double percent(size_t part, const SimulatedCell& cell) {
  return cell.runs == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(cell.runs);
}

// What must be found at this length: 3 % from 20 us on, 5 % at 5 us, 10 % at 2 us.
double wanted_slowdown(double us) {
  return us >= 20 ? 0.03 : us >= 5 ? 0.05 : 0.1;
}

bool holds(const SimulatedCell& cell) {
  if (cell.what.slowdown == 0)
    return percent(cell.false_comparisons(), cell) <= 1 && percent(cell.regressions, cell) <= 1;
  if (cell.what.slowdown != wanted_slowdown(cell.what.microseconds)) return true;
  if (cell.what.microseconds < judge::kind_of(cell.what.noise).decides_from_us)
    return percent(cell.faster + cell.same, cell) <= 1 && percent(cell.passes, cell) <= 1;
  return percent(cell.slower, cell) >= 95 && percent(cell.regressions, cell) >= 95;
}

std::string table(const std::vector<SimulatedCell>& cells) {
  std::map<std::tuple<judge::Noise, double, double>, const SimulatedCell*> found;
  for (const SimulatedCell& cell : cells) found[{cell.what.noise, cell.what.microseconds, cell.what.slowdown}] = &cell;
  std::string text =
      "| noise | us | false: compare, gate | found: compare, gate | 2 % is a REGRESSION | processes |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  for (const auto& [key, same] : found) {
    const auto& [noise, us, slowdown] = key;
    if (slowdown != 0) continue;
    const double wanted = wanted_slowdown(us);
    const SimulatedCell& slow = *found.at({noise, us, wanted});
    text += fmt::format("| {} | {:g} | {:.2f}, {:.2f} % | +{:g} %: {:.1f}, {:.1f} % | {:.1f} % | {:.1f} |\n",
                        judge::to_string(noise), us, percent(same->false_comparisons(), *same),
                        percent(same->regressions, *same), 100 * wanted, percent(slow.slower, slow),
                        percent(slow.regressions, slow), percent(found.at({noise, us, 0.02})->regressions, slow),
                        same->mean_processes());
  }
  return text;
}

}  // namespace

Result<SimulateReport> simulate(const SimulateRequest& request, const Context& context) {
  const judge::Replication plan;
  std::vector<SimulatedCell> cells;
  for (const judge::SimulatedCase& what : judge::simulated_cases())
    cells.push_back({.what = what, .runs = request.runs});
  Hasher hasher;
  hasher.add(kVersion).add(fmt::format("{} {} {} {} {} {} {} {} {}", request.runs, request.seed, plan.batch,
                                       plan.batches, plan.first, plan.step, plan.most, plan.width, plan.clear));
  const fs::path file = build::BuildOptions().cache_folder / "simulation" / (hasher.hex() + ".jsonl");
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::string kept;
  std::vector<bool> done(cells.size());
  if (const auto text = read_file(file); text && !request.restart) {
    kept = *text;
    for (const std::string_view line : split(*text, '\n')) {
      const json document = json::parse(line, nullptr, false);
      for (size_t i = 0; i < cells.size(); ++i) done[i] = done[i] || fill(cells[i], document);
    }
  }
  Progress progress(context, "simulating", cells.size());
  std::mutex guard;
  std::optional<Error> failed;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < cells.size(); i = next++) {
      const std::string name = fmt::format("{}, {:g} us, +{:g} %", judge::to_string(cells[i].what.noise),
                                           cells[i].what.microseconds, 100 * cells[i].what.slowdown);
      if (!done[i]) cells[i] = judge::simulate_cell(cells[i].what, plan, cells[i].runs, request.seed * 1'000'003);
      const std::lock_guard lock(guard);
      if (!done[i]) {
        kept += cell_json(cells[i]).dump() + "\n";
        if (const auto written = write_file_atomically(file, kept); !written) failed = written.error();
      }
      progress.advance(name);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  }
  if (failed) return *failed;
  const bool good = std::all_of(cells.begin(), cells.end(), holds);
  SimulateReport report;
  report.exit_code = good ? ExitCode::good : ExitCode::regression;
  report.table =
      table(cells) + (good ? "Every cell holds: false verdicts at most 1 %, slowdowns found in at least 95 %.\n"
                           : "Not every cell holds what docs/measurement.md promises.\n");
  json document{{"assay", kVersion}, {"command", "calibrate"}, {"simulated", true}, {"seed", request.seed}};
  document["holds"] = good;
  document["cells"] = json::array();
  for (const SimulatedCell& cell : cells) document["cells"].push_back(cell_json(cell));
  report.document = document_text(document);
  return report;
}

}  // namespace assay::work
