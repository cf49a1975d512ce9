// SPDX-License-Identifier: MIT
// assay compare: is A faster than B?
#include "assay/compare.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"
#include "work/compare_details.hpp"

namespace assay::cli {
namespace {

std::string comparison_text(const std::string& what, const judge::Comparison& comparison) {
  std::string text = fmt::format(
      "{}: {}  {}\n  {}\n", what, to_string(comparison.verdict),
      judge::describe_difference(comparison.ratio, comparison.interval, comparison.options.alpha), comparison.reason);
  text += fmt::format(
      "  measured: {:.2f} us against {:.2f} us (medians), p {:.2g}, Cliff's delta {:.2f}, smallest "
      "difference that this run would find {:.1f} %\n",
      comparison.candidate.time_us.p50, comparison.baseline.time_us.p50, comparison.p, comparison.cliff_delta,
      100 * comparison.minimum_detectable_effect);
  for (const std::string& warning : comparison.warnings) text += fmt::format("  note: {}\n", warning);
  return text;
}

std::string case_text(const work::ComparedCase& compared) {
  if (compared.details->comparison) return comparison_text(compared.what, *compared.details->comparison);
  return report::bench_case_text(*compared.details->measured, report::Terminal());
}

class CompareCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("operands", operands_, "A and B: two kernel folders, or two attempts of the ledger", {2, 2});
    declare_device(line, request_.device);
    declare_configuration(line, request_.configuration);
    declare_measuring(line, request_.measuring);
    line.flag("--force", request_.force, "compare attempts of different contracts");
    declare_seed(line, request_.seed);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    request_.candidate = operands_.at(0);
    request_.baseline = operands_.at(1);
    const auto show = [&](const work::ComparedCase& compared) {
      if (!json()) print(case_text(compared));
    };
    ASSAY_TRY(const work::CompareReport report, work::compare(request_, context, show));
    if (json()) print_document(to_json(report));
    return report.exit_code;
  }

 private:
  work::CompareRequest request_;
  std::vector<std::string> operands_;
  RecordWords record_;
};

}  // namespace

CommandEntry compare_command() {
  return {"compare", "faster, slower, same or inconclusive, with interval and effect size",
          [] { return std::unique_ptr<Command>(new CompareCommand); }};
}

}  // namespace assay::cli
