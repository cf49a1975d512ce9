// SPDX-License-Identifier: MIT
// From a kernel.toml to a checked KernelSpec.
#include "spec/kernel_spec.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

#include "base/file.hpp"
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

Result<KernelSpec> parse(std::string_view text, const std::string& file_name, const std::filesystem::path& folder,
                         const ParseOptions& options) {
  ASSAY_TRY(const Node root, parse_document(text, file_name));
  ASSAY_CHECK(TableReader(root, "the file")
                  .check_keys({"kernel", "problem", "argument", "launch", "tunable", "defaults", "shapes", "let",
                               "tolerance", "baseline", "expect"},
                              "section"));
  KernelSpec spec;
  spec.folder = folder;
  spec.file = file_name;
  ASSAY_CHECK(read_kernel(root, options.check_files, spec));
  ASSAY_CHECK(read_problem(root, options.check_files, spec));
  ASSAY_CHECK(read_arguments(root, spec));
  ASSAY_CHECK(read_launch(root, spec));
  ASSAY_CHECK(read_tunables(root, spec));
  ASSAY_CHECK(read_shapes(root, spec));
  ASSAY_CHECK(read_lets(root, spec));
  ASSAY_CHECK(read_tolerance(root, spec));
  ASSAY_CHECK(read_baselines(root, spec));
  ASSAY_CHECK(read_expectation(root, spec));
  ASSAY_CHECK(check_names(spec));
  ASSAY_CHECK(check_numbers(spec, options.max_checked));
  return spec;
}

Result<KernelSpec> load(const std::filesystem::path& folder_or_file) {
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(folder_or_file, failure);
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
