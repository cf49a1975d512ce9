// SPDX-License-Identifier: MIT
// C++ declarations read from a source's text: enough of the language for what kernels take.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/kernel_signature.hpp"

namespace assay::build {

bool is_word(char c);
// Comments become blanks, so that positions stay.
std::string without_comments(std::string_view source);
// The position behind the bracket that closes the one at `open`.
size_t behind_bracket(std::string_view text, size_t open);
// At commas that no bracket encloses.
std::vector<std::string> split_list(std::string_view text);
std::vector<std::string> words_of(std::string_view text);

struct ElementType {
  std::string dtype;
  size_t vector = 1;
  size_t bytes = 0;
};

// What a C++ type of one element is to us.
std::optional<ElementType> element_type(std::vector<std::string> words);

// A declaration such as "const float* __restrict__ x" or, without a name, "float const*".
SignatureValue declared(std::string text, bool named);

// "(...)" of the kernel's declaration in the source, the one with a body if there are several.
std::vector<std::string> declaration_of(const std::string& source, const std::string& name, bool marked = true);

}  // namespace assay::build
