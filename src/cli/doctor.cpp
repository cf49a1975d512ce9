// SPDX-License-Identifier: MIT
// assay doctor: what this machine has, what is missing and how to get it.
#include "assay/doctor.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assay/rates.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

report::Colour status_colour(const std::string& status) {
  return status == "ok" ? report::Colour::green : status == "warning" ? report::Colour::yellow : report::Colour::dim;
}

// With --for: what is missing, what is no longer as it was, and the verdict.
std::string gate_text(const work::DoctorReport& report, const report::Terminal& terminal) {
  std::string text = "\n\n";
  for (const work::Drift& drift : report.drifts)
    text += fmt::format("{} {}: {} -> {}\n", terminal.paint(report::Colour::yellow, "changed"), drift.name,
                        drift.before, drift.now);
  if (report.missing.empty())
    return text + fmt::format("{} for {}\n", terminal.paint(report::Colour::green, "ready"), report.purpose);
  for (const std::string& name : report.missing) {
    const auto fact = std::ranges::find(report.facts, name, &work::Fact::name);
    text += fmt::format("{} {}: {}\n", terminal.paint(report::Colour::red, "missing"), name,
                        fact != report.facts.end() ? fact->hint : "");
  }
  return text + fmt::format("{} for {}\n", terminal.paint(report::Colour::red, "NOT READY"), report.purpose);
}

std::string doctor_text(const work::DoctorReport& report) {
  const report::Terminal terminal;
  report::Table table({"what", "status", "found"});
  for (const work::Fact& fact : report.facts)
    table.add({fact.name, {fact.status, status_colour(fact.status)}, fact.value});
  std::string text = table.render(terminal);
  for (const work::Fact& fact : report.facts) {
    if (!fact.hint.empty()) text += fmt::format("\n{}: {}", terminal.paint(report::Colour::bold, fact.name), fact.hint);
  }
  if (!report.purpose.empty()) return text + gate_text(report, terminal);
  return text + (report.has_gpu
                     ? "\n\nCommands use cuda:0 unless --device names another; memory is checked on the virtual GPU.\n"
                     : "\n\nThe virtual GPU needs none of these: build, sanitize and check work on this machine.\n");
}

std::string rates_text(const work::RatesReport& report) {
  const report::Terminal terminal;
  std::string text = fmt::format("{}, {}: measured in {:.1f} s\n\n", report.device, report.gpu, report.seconds);
  report::Table table({"rate", "measured", "model", "ratio", "unit"});
  for (const work::ComparedRate& rate : report.rates) {
    table.add(
        {rate.name,
         {fmt::format("{:.4g}", rate.measured), rate.refused.empty() ? report::Colour::none : report::Colour::red},
         rate.model ? fmt::format("{:.4g}", *rate.model) : "-",
         rate.model ? fmt::format("{:.2f}", rate.measured / *rate.model) : "-",
         rate.unit});
  }
  text += table.render(terminal) + "\n";
  for (const work::ComparedRate& rate : report.rates) {
    if (!rate.refused.empty())
      text += fmt::format("{} {}: {}; the model's figure stays\n", terminal.paint(report::Colour::red, "refused"),
                          rate.name, rate.refused);
  }
  if (!report.stored) return text + fmt::format("not kept: {}\n", report.not_stored);
  return text + fmt::format("kept for this machine: assay estimate --device vgpu:{} uses them\n", report.model);
}

class DoctorCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.choice("--for", request_.purpose, "build, bench or profile", {"build", "bench", "profile"});
    line.option("--ledger", request_.record.ledger, "where the last good state is kept; none: nowhere");
    line.flag("--rates", rates_, "measure the rates of a GPU, and keep them for estimates");
    line.option("--device", device_, "cuda:0, ...: whose rates");
    line.flag("--no-measure", no_measure_, "do not measure what the GPU reaches");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (rates_) return measure_rates(context);
    if (!device_.empty()) return Error{"--device is for --rates", {}, "add --rates, or leave it out"};
    request_.measure = !no_measure_;
    ASSAY_TRY(const work::DoctorReport report, work::doctor(request_, context));
    json() ? print_document(to_json(report)) : print(doctor_text(report));
    return report.exit_code;
  }

 private:
  Result<ExitCode> measure_rates(const Context& context) {
    if (!request_.purpose.empty() || no_measure_)
      return Error{"--rates measures and does nothing else", {}, "leave out --for and --no-measure"};
    ASSAY_TRY(const work::RatesReport report, work::measure_rates({device_, request_.record}, context));
    json() ? print_document(to_json(report)) : print(rates_text(report));
    return report.exit_code;
  }

  work::DoctorRequest request_;
  std::string device_;
  bool rates_ = false;
  bool no_measure_ = false;
};

}  // namespace

CommandEntry doctor_command() {
  return {"doctor", "what this machine has and what is missing",
          [] { return std::unique_ptr<Command>(new DoctorCommand); }};
}

}  // namespace assay::cli
