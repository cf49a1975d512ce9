// SPDX-License-Identifier: MIT
// [kernel] and [problem].
#include <algorithm>
#include <fmt/format.h>
#include <system_error>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

namespace {

bool is_plain(std::string_view text, std::string_view extra) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || extra.find(c) != extra.npos;
  });
}

// Compilers hand file names on to other programs, through a shell at times: plain characters only.
Result<void> check_path(const Node& value, const std::string& what) {
  if (!is_plain(value.text, "_-+./") || value.text[0] == '-' || value.text.size() > 500) {
    return mistake(value.place,
                   fmt::format("{} is \"{}\"; expected a path of letters, digits and _-+./", what, value.text));
  }
  if (value.text[0] == '/') {
    return mistake(value.place, fmt::format("{} is the absolute path \"{}\"; expected one relative to the "
                                            "specification's folder",
                                            what, value.text));
  }
  return {};
}

Result<void> check_exists(const KernelSpec& spec, const Node& value, const std::string& what, bool folder) {
  const std::filesystem::path path = spec.folder / value.text;
  std::error_code failure;
  const bool there =
      folder ? std::filesystem::is_directory(path, failure) : std::filesystem::is_regular_file(path, failure);
  if (there) return {};
  return mistake(value.place, fmt::format("{} \"{}\" does not exist; expected a {} at {}", what, value.text,
                                          folder ? "folder" : "file", path.string()));
}

bool is_target(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) && text.find_first_not_of("0123456789") == text.npos && text[0] != '0';
}

Result<void> read_targets(const TableReader& kernel, KernelSpec& spec) {
  ASSAY_TRY(const Node* const targets, kernel.require("targets", Node::Kind::array, "[\"sm_80\", ...]"));
  if (targets->items.empty())
    return mistake(targets->place, "\"targets\" is empty; expected at least one, like \"sm_80\"");
  for (const Node& item : targets->items) {
    ASSAY_CHECK(expect_kind(item, Node::Kind::string, "an item of \"targets\""));
    if (!is_target(item.text)) {
      return mistake(item.place,
                     fmt::format("the target is \"{}\"; expected the form \"sm_80\" or \"sm_90a\"", item.text));
    }
    if (std::find(spec.kernel.targets.begin(), spec.kernel.targets.end(), item.text) != spec.kernel.targets.end()) {
      return mistake(item.place, fmt::format("the target \"{}\" is listed twice", item.text));
    }
    spec.kernel.targets.push_back(item.text);
  }
  return {};
}

Result<void> read_entry(const TableReader& kernel, KernelSpec& spec) {
  ASSAY_TRY(const Node* const entry, kernel.require("entry", Node::Kind::string, "\"FUNCTION\""));
  ASSAY_TRY(spec.kernel.entry, TemplateText::parse(entry->text, entry->text_place));
  if (!is_plain(entry->text, "_{}") || (entry->text[0] >= '0' && entry->text[0] <= '9')) {
    return mistake(entry->place,
                   fmt::format("\"entry\" is \"{}\"; expected the name of a function, with {{NAME}} where a "
                               "value is to be put in",
                               entry->text));
  }
  return {};
}

}  // namespace

Result<void> read_kernel(const Node& root, bool check_files, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, require_section(root, "kernel", Node::Kind::table));
  const TableReader kernel(*section, "[kernel]");
  ASSAY_CHECK(kernel.check_keys({"name", "description", "source", "entry", "targets", "flags", "include"}));

  ASSAY_TRY(const Node* const name, kernel.require("name", Node::Kind::string, "\"NAME\""));
  if (!is_plain(name->text, "_-") || name->text.size() > 64) {
    return mistake(name->place,
                   fmt::format("\"name\" is \"{}\"; expected at most 64 letters, digits, _ and -", name->text));
  }
  spec.kernel.name = name->text;
  ASSAY_TRY(spec.kernel.description, kernel.text("description"));

  ASSAY_TRY(const Node* const source, kernel.require("source", Node::Kind::string, "\"FILE.cu\""));
  ASSAY_CHECK(check_path(*source, "\"source\""));
  if (check_files) ASSAY_CHECK(check_exists(spec, *source, "the source", false));
  spec.kernel.source = source->text;
  spec.kernel.source_place = source->place;

  ASSAY_CHECK(read_entry(kernel, spec));
  ASSAY_CHECK(read_targets(kernel, spec));

  ASSAY_TRY(const Node* const flags, kernel.find("flags", Node::Kind::array));
  ASSAY_TRY(spec.kernel.flags, kernel.texts("flags"));
  for (size_t i = 0; i < spec.kernel.flags.size(); ++i) {
    ASSAY_CHECK(check_compiler_flag(spec.kernel.flags[i], flags->items[i].place));
  }

  ASSAY_TRY(const Node* const include, kernel.find("include", Node::Kind::array));
  ASSAY_TRY(const std::vector<std::string> folders, kernel.texts("include"));
  for (size_t i = 0; i < folders.size(); ++i) {
    ASSAY_CHECK(check_path(include->items[i], "an item of \"include\""));
    if (check_files) ASSAY_CHECK(check_exists(spec, include->items[i], "the include folder", true));
    spec.kernel.include_folders.emplace_back(folders[i]);
  }
  return {};
}

Result<void> read_problem(const Node& root, bool check_files, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, require_section(root, "problem", Node::Kind::table));
  const TableReader problem(*section, "[problem]");
  ASSAY_CHECK(problem.check_keys({"reference", "options", "flops", "bytes"}));

  ASSAY_TRY(const Node* const reference, problem.require("reference", Node::Kind::string, "\"NAME\" or \"FILE.cpp\""));
  spec.problem.reference = reference->text;
  spec.problem.reference_place = reference->place;
  spec.problem.reference_is_file = reference->text.ends_with(".cpp");
  if (spec.problem.reference_is_file) {
    ASSAY_CHECK(check_path(*reference, "\"reference\""));
    if (check_files) ASSAY_CHECK(check_exists(spec, *reference, "the reference", false));
  } else if (!is_identifier(reference->text)) {
    return mistake(reference->place,
                   fmt::format("\"reference\" is \"{}\"; expected the name of a built-in reference or a "
                               "file ending in .cpp",
                               reference->text));
  }

  ASSAY_TRY(const Node* const options, problem.find("options", Node::Kind::table));
  if (options != nullptr) {
    ASSAY_TRY(spec.problem.options, read_options(*options, {}, "[problem.options]"));
  }
  ASSAY_TRY(spec.problem.flops, problem.expression("flops"));
  ASSAY_TRY(spec.problem.bytes, problem.expression("bytes"));
  return {};
}

}  // namespace assay::spec
