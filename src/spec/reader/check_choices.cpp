// SPDX-License-Identifier: MIT
// Sources and flags that a configuration chooses: every choice is checked while the file is loaded.
#include <fmt/format.h>

#include "spec/choice.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {
namespace {

bool names_only_tunables(const TemplateText& text, const KernelSpec& spec, const std::string& what,
                         Mistakes& mistakes) {
  bool good = true;
  for (const TemplateText::Placeholder& placeholder : text.placeholders()) {
    const auto is_it = [&](const Tunable& tunable) { return tunable.name == placeholder.name; };
    if (std::ranges::any_of(spec.tunable.tunables, is_it)) continue;
    mistakes.add(placeholder.place,
                 fmt::format("\"{}\" in {} is no tunable; expected one, because a kernel is built before its shape is "
                             "known",
                             placeholder.name, what));
    good = false;
  }
  return good;
}

std::vector<ChosenText> texts_of(const TemplateText& text, const KernelSpec& spec, const std::string& what,
                                 Mistakes& mistakes) {
  if (!names_only_tunables(text, spec, what, mistakes)) return {};
  std::vector<ChosenText> all = all_texts(text, spec.tunable);
  if (all.empty()) mistakes.add(text.place(), fmt::format("{} has too many choices", what), "name fewer tunables");
  return all;
}

}  // namespace

void check_choices(KernelSpec& spec, bool check_files, Mistakes& mistakes) {
  const size_t before = mistakes.count();
  for (const TemplateText& text : spec.kernel.source_texts) {
    std::optional<std::filesystem::path> folder;
    for (const ChosenText& each : texts_of(text, spec, "\"source\"", mistakes)) {
      Node file;
      file.kind = Node::Kind::string;
      file.text = each.text;
      file.place = each.place;
      if (!check_source(spec, file, "the source", check_files, mistakes)) continue;
      const std::filesystem::path path = each.text;
      if (path.extension() == ".cubin" || (path.extension() == ".ptx" && spec.kernel.source_texts.size() > 1))
        mistakes.add(each.place, fmt::format("the source \"{}\" cannot be chosen here; expected CUDA C++{}", each.text,
                                             spec.kernel.source_texts.size() > 1 ? "" : " or PTX"));
      if (!folder) folder = path.parent_path();
      if (path.parent_path() != *folder)
        mistakes.add(each.place, fmt::format("the source \"{}\" lies in another folder than the first; expected all "
                                             "choices in one",
                                             each.text));
    }
  }
  for (const TemplateText& text : spec.kernel.flag_texts) {
    for (const ChosenText& each : texts_of(text, spec, "\"flags\"", mistakes)) {
      for (const std::string& flag : flags_of(each.text)) mistakes.take(check_compiler_flag(flag, each.place));
    }
  }
  if (mistakes.count() > before) return;
  const auto usual = mistakes.take(default_configuration(spec));
  if (!usual) return;
  spec.kernel = kernel_of(spec, *usual);
}

}  // namespace assay::spec
