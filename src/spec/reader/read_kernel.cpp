// SPDX-License-Identifier: MIT
// [kernel] and [problem].
#include <algorithm>
#include <fmt/format.h>
#include <system_error>

#include "base/allowed_folder.hpp"
#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

bool is_plain(std::string_view text, std::string_view extra) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || extra.find(c) != extra.npos;
  });
}

// Names of other files beside `path` that end like it, for "did you mean".
std::vector<std::string> neighbours(const std::filesystem::path& path, const std::string& written) {
  constexpr size_t kMostSeen = 1000;
  std::vector<std::string> names;
  const std::filesystem::path folder = std::filesystem::path(written).parent_path();
  std::error_code failure;
  size_t seen = 0;
  for (std::filesystem::directory_iterator each(path.parent_path(), failure), end;
       !failure && each != end && seen < kMostSeen; each.increment(failure), ++seen) {
    if (each->path().extension() == path.extension() && each->path().filename() != path.filename())
      names.push_back((folder / each->path().filename()).string());
  }
  std::ranges::sort(names);
  return names;
}

bool is_target(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) && text.find_first_not_of("0123456789") == text.npos && text[0] != '0';
}

void read_targets(const TableReader& kernel, KernelSpec& spec) {
  const Node* const targets = kernel.require("targets", Node::Kind::array, "[\"sm_80\", ...]");
  if (targets == nullptr) return;
  spec.kernel.targets_place = targets->place;
  Mistakes& mistakes = kernel.mistakes();
  if (targets->items.empty())
    mistakes.add(targets->place, "\"targets\" is empty; expected at least one, like \"sm_80\"");
  for (const Node* const item : kernel.texts("targets")) {
    if (!is_target(item->text)) {
      mistakes.add(item->place,
                   fmt::format("the target is \"{}\"; expected the form \"sm_80\" or \"sm_90a\"", item->text));
    } else if (std::ranges::find(spec.kernel.targets, item->text) != spec.kernel.targets.end()) {
      mistakes.add(item->place, fmt::format("the target \"{}\" is listed twice", item->text));
    } else {
      spec.kernel.targets.push_back(item->text);
    }
  }
}

}  // namespace

// Compilers hand file names on to other programs, through a shell at times: plain characters only.
bool check_path(const Node& value, const std::string& what, Mistakes& mistakes) {
  if (!is_plain(value.text, "_-+./") || value.text[0] == '-' || value.text.size() > 500) {
    mistakes.add(value.place,
                 fmt::format("{} is \"{}\"; expected a path of letters, digits and _-+./", what, value.text));
    return false;
  }
  if (value.text[0] == '/') {
    mistakes.add(value.place, fmt::format("{} is the absolute path \"{}\"; expected one relative to the "
                                          "specification's folder",
                                          what, value.text));
    return false;
  }
  return true;
}

void check_exists(const KernelSpec& spec, const Node& value, const std::string& what, bool folder, Mistakes& mistakes) {
  const std::filesystem::path path = spec.folder / value.text;
  if (!folder && !is_allowed(path, spec.folder)) {  // headers may be anybody's, as those of the compiler are
    mistakes.add(value.place, fmt::format("{} \"{}\" lies outside of {}, which this command may not leave", what,
                                          value.text, allowed_folder().string()));
    return;
  }
  std::error_code failure;
  const bool there =
      folder ? std::filesystem::is_directory(path, failure) : std::filesystem::is_regular_file(path, failure);
  if (there) return;
  const bool other = std::filesystem::exists(path, failure);
  mistakes.add(value.place,
               fmt::format("{} \"{}\" {}; expected a {} at {}", what, value.text,
                           !other   ? "does not exist"
                           : folder ? "is no folder"
                                    : "is no file",
                           folder ? "folder" : "file", path.string()),
               suggestion(value.text, neighbours(path, value.text), "files there"));
}

bool check_file(const KernelSpec& spec, const Node& value, const std::string& what,
                const std::vector<std::string>& endings, bool check_files, Mistakes& mistakes) {
  const bool fits =
      std::ranges::any_of(endings, [&](const std::string& ending) { return value.text.ends_with(ending); });
  if (!fits) {
    mistakes.add(value.place,
                 fmt::format("{} is \"{}\"; expected a file ending in {}", what, value.text, join(endings, " or ")));
    return false;
  }
  if (!check_path(value, what, mistakes)) return false;
  if (check_files) check_exists(spec, value, what, false, mistakes);
  return true;
}

bool check_source(const KernelSpec& spec, const Node& value, const std::string& what, bool check_files,
                  Mistakes& mistakes) {
  const std::vector<std::string> endings{".cu", ".ptx", ".cubin"};
  if (!check_path(value, what, mistakes) || !check_file(spec, value, what, endings, false, mistakes)) return false;
  if (check_files) check_exists(spec, value, "the source", false, mistakes);
  return true;
}

std::optional<TemplateText> read_entry(const Node& entry, const std::string& title, Mistakes& mistakes) {
  auto text = mistakes.take(TemplateText::parse(entry.text, entry.text_place));
  if (!text) return std::nullopt;
  if (is_plain(entry.text, "_{}<>,:*?()&- ") && !(entry.text[0] >= '0' && entry.text[0] <= '9')) return text;
  mistakes.add(entry.place,
               fmt::format("\"entry\"{} is \"{}\"; expected the name of a kernel, as in the PTX or as in C++ "
                           "(\"scale<float, 4>\"), a pattern with * and ?, and {{NAME}} where a value is to be put in",
                           title, entry.text));
  return std::nullopt;
}

namespace {

// source = "kernel.cu", "kernel.ptx", "kernel.cubin", or several of CUDA C++.
void read_source(const TableReader& kernel, bool check_files, KernelSpec& spec) {
  Mistakes& mistakes = kernel.mistakes();
  const Node* const value = kernel.node().find("source");
  std::vector<const Node*> files;
  if (value != nullptr && value->kind == Node::Kind::array) {
    files = kernel.texts("source");
    if (value->items.empty()) mistakes.add(value->place, "\"source\" is empty; expected at least one file");
  } else if (const Node* const one = kernel.require("source", Node::Kind::string, "\"FILE.cu\"")) {
    files = {one};
  }
  const auto chosen = [](const Node* file) { return file->text.find('{') != std::string::npos; };
  const bool any_chosen = std::ranges::any_of(files, chosen);
  for (const Node* const file : files) {
    if (any_chosen) {  // check_choices() sees to all of them, once the tunables are known
      if (auto text = mistakes.take(TemplateText::parse(file->text, file->text_place)))
        spec.kernel.source_texts.push_back(*std::move(text));
    } else {
      check_source(spec, *file, "\"source\"", check_files, mistakes);
    }
    if (file == files.front()) {
      spec.kernel.source = file->text;
      spec.kernel.source_place = file->place;
      continue;
    }
    const auto compiled = [](const std::string& name) { return !name.ends_with(".ptx") && !name.ends_with(".cubin"); };
    if (!any_chosen && (!compiled(file->text) || !compiled(files.front()->text))) {
      mistakes.add(file->place, "several sources are compiled and linked; expected files of CUDA C++ only");
    }
    spec.kernel.further_sources.emplace_back(file->text);
  }
}

// cubin = { sm_90 = "kernel.sm_90.cubin" }
void read_cubins(const TableReader& kernel, bool check_files, KernelSpec& spec) {
  const Node* const table = kernel.find("cubin", Node::Kind::table);
  if (table == nullptr) return;
  Mistakes& mistakes = kernel.mistakes();
  if (spec.kernel.is_cubin()) {
    mistakes.add(table->key_place, "the source is a cubin already; expected \"cubin\" beside PTX or CUDA C++");
  }
  for (const Node& item : table->items) {
    if (std::ranges::find(spec.kernel.targets, item.key) == spec.kernel.targets.end()) {
      mistakes.add(item.key_place, fmt::format("there is a cubin for \"{}\", which is no target", item.key),
                   suggestion(item.key, spec.kernel.targets, "targets"));
    }
    if (!expect_kind(item, Node::Kind::string, "a cubin", mistakes)) continue;
    if (!check_file(spec, item, "the cubin", {".cubin"}, check_files, mistakes)) continue;
    spec.kernel.cubins[item.key] = item.text;
    spec.kernel.cubin_places[item.key] = item.place;
  }
}

}  // namespace

void read_kernel(const TableReader& file, bool check_files, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  const Node* const section = file.require_section("kernel", Node::Kind::table);
  if (section == nullptr) return;
  TableReader kernel(*section, "[kernel]", mistakes);
  kernel.check_keys({"name", "description", "source", "cubin", "entry", "targets", "flags", "include"});

  if (const Node* const name = kernel.require("name", Node::Kind::string, "\"NAME\"")) {
    if (!is_plain(name->text, "_-") || name->text.size() > 64) {
      mistakes.add(name->place,
                   fmt::format("\"name\" is \"{}\"; expected at most 64 letters, digits, _ and -", name->text));
    }
    spec.kernel.name = name->text;
  }
  spec.kernel.description = kernel.text("description");

  read_source(kernel, check_files, spec);
  read_targets(kernel, spec);
  read_cubins(kernel, check_files, spec);

  const std::vector<const Node*> flags = kernel.texts("flags");
  const bool chosen =
      std::ranges::any_of(flags, [](const Node* flag) { return flag->text.find('{') != std::string::npos; });
  for (const Node* const flag : flags) {
    if (!chosen) {
      mistakes.take(check_compiler_flag(flag->text, flag->place));
      spec.kernel.flags.push_back(flag->text);
    } else if (auto text = mistakes.take(TemplateText::parse(flag->text, flag->text_place))) {
      spec.kernel.flag_texts.push_back(*std::move(text));
    }
  }
  for (const Node* const folder : kernel.texts("include")) {
    if (check_path(*folder, "an item of \"include\"", mistakes) && check_files)
      check_exists(spec, *folder, "the include folder", true, mistakes);
    spec.kernel.include_folders.emplace_back(folder->text);
  }
}

void read_problem(const TableReader& file, bool check_files, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  const Node* const section = file.require_section("problem", Node::Kind::table);
  if (section == nullptr) return;
  TableReader problem(*section, "[problem]", mistakes);
  problem.check_keys({"reference", "compare", "options", "flops", "bytes"});

  const std::vector<std::string> programs{".cpp", ".py"};
  if (const Node* const compare = problem.find("compare", Node::Kind::string)) {
    check_file(spec, *compare, "\"compare\"", programs, check_files, mistakes);
    spec.problem.compare = compare->text;
    spec.problem.compare_place = compare->place;
  }
  // A function that judges the outputs may know all that there is to know about them.
  const bool needed = section->find("compare") == nullptr;
  const Node* const reference = needed ? problem.require("reference", Node::Kind::string, "\"NAME\" or \"FILE.cpp\"")
                                       : problem.find("reference", Node::Kind::string);
  if (reference != nullptr) {
    spec.problem.reference = reference->text;
    spec.problem.reference_place = reference->place;
    spec.problem.reference_is_file = reference->text.ends_with(".cpp") || reference->text.ends_with(".py");
    if (spec.problem.reference_is_file) {
      if (check_path(*reference, "\"reference\"", mistakes) && check_files)
        check_exists(spec, *reference, "the reference", false, mistakes);
    } else if (!is_identifier(reference->text)) {
      mistakes.add(reference->place,
                   fmt::format("\"reference\" is \"{}\"; expected the name of a built-in reference or a "
                               "file ending in .cpp or .py",
                               reference->text));
    }
  }
  if (const Node* const options = problem.find("options", Node::Kind::table))
    spec.problem.options = read_options(*options, {}, "[problem.options]", mistakes);
  spec.problem.flops = problem.expression("flops");
  spec.problem.bytes = problem.expression("bytes");
}

}  // namespace assay::spec
