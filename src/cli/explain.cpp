// SPDX-License-Identifier: MIT
// assay explain: what a word of a report means, and the recipe that belongs to it.
#include "assay/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_line.hpp"
#include "cli/explain.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

std::string list_text(const work::ExplainReport& report) {
  report::Table table({"kind", "name", "means", "recipe"});
  table.leave_out({"recipe"});
  for (const work::Explanation& each : report.explanations)
    table.add(
        {each.kind, {each.name, report::Colour::bold}, each.summary, each.kind == "recipe" ? "" : each.recipe.c_str()});
  return table.render(report::Terminal()) + "\nassay explain NAME prints the recipe.\n";
}

std::string text(const work::ExplainReport& report) {
  const report::Terminal terminal;
  const work::Explanation& each = report.explanations.front();
  std::string text;
  if (each.kind != "recipe") {
    text = fmt::format("{} ({}): {}\n", terminal.paint(report::Colour::bold, each.name), each.kind, each.summary);
    if (!each.meaning.empty()) text += each.meaning + "\n";
    if (!each.fix.empty()) text += "fix: " + each.fix + "\n";
    text += "\n";
  }
  return text + fmt::format("recipe: docs/cookbook/{}.md\n\n{}", each.recipe, report.recipe_text);
}

class ExplainCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("name", words_, "of a finding, a guard, an exit code, ...; nothing: list", {0, 4});
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    ASSAY_TRY(const work::ExplainReport report, work::explain({fmt::format("{}", fmt::join(words_, " "))}));
    if (json()) {
      print_document(to_json(report));
    } else {
      print(words_.empty() ? list_text(report) : text(report));
    }
    return ExitCode::good;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

CommandEntry explain_command() {
  return {"explain", "what a word of a report means, and the recipe for it",
          [] { return std::unique_ptr<Command>(new ExplainCommand); }};
}

}  // namespace assay::cli
