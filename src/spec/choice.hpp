// SPDX-License-Identifier: MIT
// What a configuration chooses of [kernel]: source = "{SOURCE}" and flags = ["{FLAGS}"] name tunables.
#pragma once

#include "spec/configuration.hpp"

namespace assay::spec {

// [kernel] with this configuration's sources and flags.
KernelSection kernel_of(const KernelSpec& spec, const Configuration& configuration);

// The flags of one text: blanks part them.
std::vector<std::string> flags_of(std::string_view text);

// Every text that the placeholders can give, with the place to complain about: of the value where one tunable decides,
// else of the text. Empty if there are more than any specification needs.
struct ChosenText {
  std::string text;
  Place place;
};
std::vector<ChosenText> all_texts(const TemplateText& text, const TunableSection& tunables);

}  // namespace assay::spec
