// SPDX-License-Identifier: MIT
#include "report/bench_report.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "judge/comparison_json.hpp"
#include "stats/quantile.hpp"

namespace assay::report {
namespace {

using measure::CaseMeasurement;
using measure::ContenderResult;
using nlohmann::json;

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

double floor_fraction(const CaseMeasurement& measured, double us) {
  return us > 0 ? measured.floor.us / us : 0;
}

double throughput_us(const ContenderResult& contender) {
  return contender.throughput.empty() ? 0 : stats::median_of(contender.throughput);
}

json guards_document(const measure::Guards& guards) {
  json list = json::array();
  for (const measure::Guard& guard : guards.all())
    list.push_back({{"guard", name(guard.kind)}, {"state", name(guard.state)}, {"detail", guard.detail}});
  return list;
}

json samples_document(const judge::Batches& batches) {
  json list = json::array();
  for (const judge::Batch& batch : batches) {
    list.push_back({{"process", batch.process},
                    {"us", batch.microseconds},
                    {"throttled", batch.throttled},
                    {"clock_mhz", batch.clock_mhz ? json(*batch.clock_mhz) : json()}});
  }
  return list;
}

json steps_document(const CaseMeasurement& measured) {
  json list = json::array();
  for (const auto& [step, seconds] : measured.steps) list.push_back({{"step", step}, {"seconds", seconds}});
  return list;
}

json contender_document(const BenchCase& bench, size_t index, bool with_samples) {
  const CaseMeasurement& measured = bench.measured;
  const ContenderResult& contender = measured.contenders[index];
  json document = {{"name", contender.name},
                   {"provider", contender.provider},
                   {"variant", contender.variant},
                   {"versions", contender.versions},
                   {"good", contender.good()},
                   {"objection", contender.objection()},
                   {"guards", guards_document(contender.guards)},
                   {"deterministic", contender.deterministic},
                   {"accuracy",
                    {{"error", contender.accuracy.error},
                     {"rounding", contender.accuracy.rounding},
                     {"limit", contender.accuracy.limit},
                     {"sets_verified_against_float64", contender.verified_sets},
                     {"share_of_elements", contender.accuracy.share}}}};
  json kernels = json::array();
  for (const measure::LaunchedKernel& kernel : contender.kernels) kernels.push_back(kernel.name);
  document["kernels"] = std::move(kernels);
  json requests = json::object();
  for (const auto& [request, cost] : contender.requests)
    requests[request] = {{"count", cost.count}, {"seconds", cost.seconds}};
  document["requests"] = std::move(requests);
  if (contender.device_bytes) document["device_bytes"] = *contender.device_bytes;
  if (contender.time_us) {
    const stats::Summary& time = *contender.time_us;
    document["measured"] = {{"samples", time.count},
                            {"p50_us", time.p50},
                            {"p90_us", time.p90},
                            {"p99_us", time.p99},
                            {"mean_us", time.mean},
                            {"min_us", time.minimum},
                            {"max_us", time.maximum},
                            {"median_interval_us", {contender.median_interval.low, contender.median_interval.high}},
                            {"throughput_us", throughput_us(contender)},
                            {"tflops", measured.tflops(time.p50)},
                            {"gb_per_s", measured.gb_per_s(time.p50)},
                            {"fraction_of_roofline", floor_fraction(measured, time.p50)},
                            {"throttled", judge::throttled_fraction(contender.batches)}};
  }
  if (bench.comparisons[index]) document["comparison"] = judge::to_json(*bench.comparisons[index]);
  if (with_samples) document["batches"] = samples_document(contender.batches);
  return document;
}

// Names of kernels hold <, > and *; messages hold anything.
std::string markdown_cell(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view(" .,:;=+-%/()_").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return std::all_of(text.begin(), text.end(), plain) ? text : escape_markdown(text);
}

}  // namespace

Colour colour_of(judge::Verdict verdict) {
  switch (verdict) {
    case judge::Verdict::faster:
      return Colour::green;
    case judge::Verdict::slower:
      return Colour::red;
    case judge::Verdict::same:
      return Colour::none;
    case judge::Verdict::inconclusive:
    case judge::Verdict::throttled:
      break;
  }
  return Colour::yellow;
}

json bench_case_document(const BenchCase& bench, bool with_samples) {
  const CaseMeasurement& measured = bench.measured;
  json contenders = json::array();
  for (size_t i = 0; i < measured.contenders.size(); ++i)
    contenders.push_back(contender_document(bench, i, with_samples));
  return {{"shape", measured.shape},
          {"seed", measured.seed},
          {"order_seed", measured.order_seed},
          {"flops", measured.work.flops.value_or(0)},
          {"bytes", measured.work.bytes.value_or(0)},
          {"floor_us", measured.floor.us},
          {"sampling", {{"seconds", measured.seconds}, {"stopped_because", measured.stopped_because}}},
          {"steps", steps_document(measured)},
          {"contract", measured.contract.fields()},
          {"contract_hash", measured.contract.hash()},
          {"contenders", contenders}};
}

std::string bench_case_text(const BenchCase& bench, const Terminal& terminal) {
  const CaseMeasurement& measured = bench.measured;
  std::string text = terminal.paint(Colour::bold, measured.shape) + "\n";
  Table table(
      {"", "p50 us", "p90 us", "p99 us", "back to back", "TFLOP/s", "GB/s", "roofline", "error", "candidate is"});
  std::vector<std::string> notes;
  for (size_t i = 0; i < measured.contenders.size(); ++i) {
    const ContenderResult& contender = measured.contenders[i];
    if (!contender.good()) {
      const bool hint = contender.failure && !contender.failure->hint.empty();
      notes.push_back(fmt::format("  {} {}: {}{}\n", terminal.paint(Colour::red, i == 0 ? "REJECTED" : "not compared"),
                                  contender.name, contender.objection(),
                                  hint ? fmt::format("\n    {}", contender.failure->hint) : ""));
    }
    if (!contender.time_us) continue;
    const stats::Summary& time = *contender.time_us;
    Table::Cell verdict("");
    if (bench.comparisons[i]) {
      const judge::Comparison& comparison = *bench.comparisons[i];
      verdict =
          Table::Cell(fmt::format("{} {:.3f}x ({:.3f} to {:.3f})", to_string(comparison.verdict), 1 / comparison.ratio,
                                  1 / comparison.interval.high, 1 / comparison.interval.low),
                      colour_of(comparison.verdict));
    }
    table.add({contender.name, fmt::format("{:.2f}", time.p50), fmt::format("{:.2f}", time.p90),
               fmt::format("{:.2f}", time.p99), fmt::format("{:.2f}", throughput_us(contender)),
               fmt::format("{:.1f}", measured.tflops(time.p50)), fmt::format("{:.0f}", measured.gb_per_s(time.p50)),
               percent(floor_fraction(measured, time.p50)), fmt::format("{:.1e}", contender.accuracy.error), verdict});
  }
  text += table.render(terminal);
  for (const std::string& note : notes) text += note;
  for (const ContenderResult& contender : measured.contenders) {
    const double throttled = judge::throttled_fraction(contender.batches);
    if (contender.timed() && throttled >= 1) {
      text += fmt::format("  {}: every sample of {} was taken while the GPU held its clocks back (power or heat)\n",
                          terminal.paint(Colour::yellow, "THROTTLED"), contender.name);
    } else if (throttled > 0) {
      text += fmt::format("  {} of the samples of {} were throttled\n", percent(throttled), contender.name);
    }
  }
  return text + fmt::format("  measured, {} samples each; stopped: {}\n",
                            measured.candidate().time_us ? measured.candidate().time_us->count : 0,
                            measured.stopped_because);
}

BenchTable bench_table(const std::vector<BenchCase>& cases) {
  BenchTable table;
  table.header = {"shape",     "contender",  "variant",           "p50_us", "p90_us",   "p99_us",   "mean_us",
                  "ci_low_us", "ci_high_us", "throughput_us",     "tflops", "gb_per_s", "roofline", "samples",
                  "error",     "good",       "candidate_speedup", "verdict"};
  for (const BenchCase& bench : cases) {
    for (size_t i = 0; i < bench.measured.contenders.size(); ++i) {
      const ContenderResult& contender = bench.measured.contenders[i];
      const stats::Summary time = contender.time_us.value_or(stats::Summary());
      const auto& comparison = bench.comparisons[i];
      const auto number = [&](double value) { return contender.time_us ? fmt::format("{:.4g}", value) : ""; };
      table.rows.push_back({bench.measured.shape, contender.name, contender.variant, number(time.p50), number(time.p90),
                            number(time.p99), number(time.mean), number(contender.median_interval.low),
                            number(contender.median_interval.high), number(throughput_us(contender)),
                            number(bench.measured.tflops(time.p50)), number(bench.measured.gb_per_s(time.p50)),
                            number(floor_fraction(bench.measured, time.p50)), std::to_string(time.count),
                            number(contender.accuracy.error), contender.good() ? "yes" : contender.objection(),
                            comparison ? fmt::format("{:.4f}", 1 / comparison->ratio) : "",
                            comparison ? std::string(to_string(comparison->verdict)) : ""});
    }
  }
  return table;
}

std::string to_csv(const BenchTable& table) {
  std::string text = join(table.header, ",") + "\n";
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + escape_csv(row[i]);
    text += "\n";
  }
  return text;
}

std::string to_markdown(const BenchTable& table) {
  std::string text = "| " + join(table.header, " | ") + " |\n|";
  for (size_t i = 0; i < table.header.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + markdown_cell(cell) + " |";
    text += "\n";
  }
  return text;
}

}  // namespace assay::report
