// SPDX-License-Identifier: MIT
#include "spec/choice.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace assay::spec {

std::vector<std::string> flags_of(std::string_view text) {
  std::vector<std::string> flags;
  for (const std::string_view part : split(text, ' ')) {
    if (!part.empty()) flags.emplace_back(part);
  }
  return flags;
}

KernelSection kernel_of(const KernelSpec& spec, const Configuration& configuration) {
  KernelSection kernel = spec.kernel;
  // The reader has expanded all of these.
  const auto expanded = [&](const TemplateText& text) { return text.expand(configuration.values).value(); };
  if (!kernel.source_texts.empty()) {
    kernel.further_sources.clear();
    for (size_t i = 0; i < kernel.source_texts.size(); ++i) {
      const std::filesystem::path file = expanded(kernel.source_texts[i]);
      if (i == 0) {
        kernel.source = file;
      } else {
        kernel.further_sources.push_back(file);
      }
    }
  }
  if (!kernel.flag_texts.empty()) {
    kernel.flags.clear();
    for (const TemplateText& text : kernel.flag_texts) {
      for (std::string& flag : flags_of(expanded(text))) kernel.flags.push_back(std::move(flag));
    }
  }
  return kernel;
}

std::vector<ChosenText> all_texts(const TemplateText& text, const TunableSection& tunables) {
  constexpr size_t kMost = 10'000;
  std::vector<const Tunable*> used;
  for (const TemplateText::Placeholder& placeholder : text.placeholders()) {
    const auto found = std::ranges::find(tunables.tunables, placeholder.name, &Tunable::name);
    if (found != tunables.tunables.end() && std::ranges::find(used, &*found) == used.end()) used.push_back(&*found);
  }
  std::vector<Bindings> scopes{{}};
  for (const Tunable* tunable : used) {
    std::vector<Bindings> longer;
    if (scopes.size() * tunable->values.size() > kMost) return {};
    for (const Bindings& scope : scopes) {
      for (const Value& value : tunable->values) {
        longer.push_back(scope);
        longer.back()[tunable->name] = value;
      }
    }
    scopes = std::move(longer);
  }
  std::vector<ChosenText> all;
  for (size_t i = 0; i < scopes.size(); ++i) {
    const bool decides = used.size() == 1 && i < used.front()->places.size();
    const auto expanded = text.expand(scopes[i]);
    if (expanded) all.push_back({*expanded, decides ? used.front()->places[i] : text.place()});
  }
  return all;
}

}  // namespace assay::spec
