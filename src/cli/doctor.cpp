// SPDX-License-Identifier: MIT
// assay doctor: what this machine has, what is missing and how to get it.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "build/environment.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/gpu_facts.hpp"
#include "report/documents.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  line.flag("--no-measure", options.no_measure, "do not measure what the GPU reaches");
  add_json(line, options);
}

report::Colour colour_of(build::FactStatus status) {
  switch (status) {
    case build::FactStatus::ok:
      return report::Colour::green;
    case build::FactStatus::warning:
      return report::Colour::yellow;
    case build::FactStatus::missing:
      break;
  }
  return report::Colour::dim;
}

Result<ExitCode> run(const Options& options) {
  std::vector<build::Fact> facts = build::environment_facts(build::ArtifactCache::default_folder());
  const std::vector<build::Fact> gpu = gpu_facts({.torch = true, .measure = !options.no_measure});
  facts.insert(facts.end(), gpu.begin(), gpu.end());
  if (options.json) {
    nlohmann::json document = report::doctor_document(facts);
    document["assay"] = kVersion;
    document["command"] = "doctor";
    print_document(document);
    return ExitCode::good;
  }
  const report::Terminal terminal;
  report::Table table({"what", "status", "found"});
  for (const build::Fact& fact : facts) {
    table.add({fact.name, {std::string(to_string(fact.status)), colour_of(fact.status)}, fact.value});
  }
  fmt::print("{}", table.render(terminal));
  for (const build::Fact& fact : facts) {
    if (!fact.hint.empty()) fmt::print("\n{}: {}", terminal.paint(report::Colour::bold, fact.name), fact.hint);
  }
  if (gpu.empty()) {
    fmt::print("\n\nThe virtual GPU needs none of these: build, sanitize and check work on this machine.\n");
  } else {
    fmt::print("\n\nCommands use cuda:0 unless --device names another; memory is checked on the virtual GPU.\n");
  }
  return ExitCode::good;
}

}  // namespace

Command doctor_command() {
  return {"doctor", "what this machine has and what is missing", add_options, run};
}

}  // namespace assay::cli
