// SPDX-License-Identifier: MIT
// From a kernel.toml to a checked KernelSpec.
#include "spec/kernel_spec.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

#include "base/file.hpp"
#include "reference/reference.hpp"
#include "spec/choice.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/document.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

const ArgumentSpec* KernelSpec::find_argument(std::string_view name) const {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const ArgumentSpec& argument) { return argument.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

bool KernelSection::is_linked() const {
  return !further_sources.empty() || std::find(flags.begin(), flags.end(), "-rdc=true") != flags.end();
}

std::vector<std::filesystem::path> KernelSpec::sources() const {
  std::vector<std::filesystem::path> all{kernel.source};
  all.insert(all.end(), kernel.further_sources.begin(), kernel.further_sources.end());
  for (const TemplateText& text : kernel.source_texts) {
    for (const ChosenText& each : all_texts(text, tunable)) {
      if (std::find(all.begin(), all.end(), each.text) == all.end()) all.emplace_back(each.text);
    }
  }
  return all;
}

std::vector<std::filesystem::path> KernelSpec::named_files() const {
  std::vector<std::filesystem::path> all = sources();
  for (const auto& [target, cubin] : kernel.cubins) all.push_back(cubin);
  if (problem.reference_is_file) all.emplace_back(problem.reference);
  if (!problem.compare.empty()) all.emplace_back(problem.compare);
  if (!launch_file.empty()) all.push_back(launch_file);
  for (const ArgumentSpec& argument : arguments) {
    if (argument.tensor() != nullptr && !argument.tensor()->fill.file.empty())
      all.emplace_back(argument.tensor()->fill.file);
  }
  return all;
}

bool KernelSpec::has_globals() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const ArgumentSpec& argument) { return !argument.global.empty(); });
}

namespace {

// A name that is no reference is a mistake for those who want expected values: other commands never look. Where there
// are other mistakes it is said with them.
void check_reference(const ProblemSection& problem, Mistakes& mistakes) {
  if (problem.reference_is_file || !is_identifier(problem.reference)) return;
  if (const auto found = reference::find_reference(problem.reference); !found)
    mistakes.add(problem.reference_place, found.error().message, found.error().hint);
}

}  // namespace

Result<KernelSpec> parse(std::string_view text, const std::string& file_name, const std::filesystem::path& folder,
                         const ParseOptions& options) {
  ASSAY_TRY(const Node root, parse_document(text, file_name));
  Mistakes mistakes;
  TableReader file(root, "the file", mistakes);
  file.check_keys({"kernel", "problem", "argument", "launch", "stage", "tunable", "defaults", "shapes", "let",
                   "tolerance", "baseline", "goal", "expect", "limits"},
                  "section");
  KernelSpec spec;
  spec.folder = folder;
  spec.file = file_name;
  read_kernel(file, options.check_files, spec);
  read_problem(file, options.check_files, spec);
  read_arguments(file, options.check_files, spec);
  read_launch(file, options.check_files, spec);
  read_tunables(file, spec);
  read_shapes(file, spec);
  read_lets(file, spec);
  read_tolerance(file, spec);
  read_baselines(file, spec);
  check_goal(file, spec);
  read_expectation(file, spec);
  read_limits(file, spec);
  check_names(spec, !spec.shapes.dimensions.empty() && !file.any_unknown_key(), mistakes);
  if (mistakes.none()) check_choices(spec, options.check_files, mistakes);
  if (mistakes.none()) check_numbers(spec, options.max_checked, options.check_files, mistakes);
  if (mistakes.none()) return spec;
  if (options.check_files) check_reference(spec.problem, mistakes);
  return mistakes.together();
}

Result<KernelSpec> load(const std::filesystem::path& folder_or_file) {
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(folder_or_file, failure);
  if (folder_or_file.empty()) return mistake({}, "the kernel's name is empty; expected a folder with a kernel.toml");
  const std::filesystem::path file = is_folder ? folder_or_file / "kernel.toml" : folder_or_file;
  if (!std::filesystem::is_regular_file(file, failure)) {
    return mistake({}, is_folder
                           ? fmt::format("the folder {} has no kernel.toml", folder_or_file.string())
                           : fmt::format("{} does not exist; expected a folder with a kernel.toml, or such a file",
                                         file.string()));
  }
  ASSAY_TRY(const std::string text, read_file(file));
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return parse(text, file.string(), folder);
}

}  // namespace assay::spec
