// SPDX-License-Identifier: MIT
// assay suite: many kernels and shapes beside their baselines, in one run that can be resumed.
#include "assay/suite.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/open_page.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"
#include "suite/suite_report.hpp"
#include "work/suite_details.hpp"

namespace assay::cli {
namespace {

class SuiteCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.needs("suite", request_.file, "a suite file (docs/suite_toml.md)");
    declare_device(line, request_.device);
    line.flag("--restart", request_.restart, "measure everything anew");
    line.flag("--list", list_, "say what would be measured");
    line.flag("--open", open_, "show the page in the browser");
    line.choice("--format", format_, "csv or markdown", {"csv", "markdown"});
    declare_seed(line, request_.seed);
    executor_.declare(line);
    line.option("--item", item_, "for workers: measure this item alone");
    line.option("--gpu", gpu_, "for workers: on this GPU alone");
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (list_) return list();
    if (!item_.empty()) return measure_item(context);
    if (!gpu_.empty()) return Error{"--gpu belongs to --item"};
    ASSAY_TRY(request_.executor, executor_.read());
    ASSAY_TRY(request_.record, record_.read());
    const auto on_start = [&](const work::SuiteStart& start) {
      if (!json() && format_.empty())
        print(fmt::format("{}  {} items on {} ({})  seed {}\n", start.suite, start.items, start.gpu, start.device,
                          request_.seed));
    };
    ASSAY_TRY(const work::SuiteReport report, work::suite(request_, context, on_start));
    show(report);
    if (open_ && !report.page.empty()) ASSAY_CHECK(open_page(report.page));
    return report.exit_code;
  }

 private:
  Result<ExitCode> list() const {
    ASSAY_TRY(const work::SuitePlan plan, work::plan_suite(request_.file));
    json() ? print_document(to_json(plan)) : print(suite::plan_text(plan.details->plan, report::Terminal()));
    return ExitCode::good;
  }

  Result<ExitCode> measure_item(const Context& context) const {
    ASSAY_TRY(const std::string document,
              work::suite_item({request_.file, item_, gpu_, request_.device, request_.seed}, context));
    print_document(document);
    return ExitCode::good;
  }

  void show(const work::SuiteReport& report) const {
    const work::SuiteDetails& details = *report.details;
    if (json()) {
      print_document(to_json(report));
    } else if (format_ == "csv") {
      print(suite::suite_csv(details.rows));
    } else if (format_ == "markdown") {
      print(suite::suite_markdown(details.plan, details.rows, details.summary));
    } else {
      print(suite::suite_text(details.rows, details.summary, report::Terminal()));
      print(devices_text(report.devices));
      if (!report.page.empty()) print(fmt::format("page: {}\n", report.page));
    }
  }

  work::SuiteRequest request_;
  RecordWords record_;
  ExecutorWords executor_;
  std::string item_;
  std::string gpu_;
  std::string format_;
  bool list_ = false;
  bool open_ = false;
};

}  // namespace

CommandEntry suite_command() {
  return {"suite", "many kernels and shapes beside their baselines, in one run that can be resumed",
          [] { return std::unique_ptr<Command>(new SuiteCommand); }};
}

}  // namespace assay::cli
