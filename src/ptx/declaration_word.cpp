// SPDX-License-Identifier: MIT
#include "ptx/declaration_word.hpp"

#include "ptx/type.hpp"

namespace assay::ptx {

bool is_register_type(std::string_view word) {
  return type_named(word).has_value();
}

bool is_variable_type(std::string_view word) {
  return (word != "pred" && is_register_type(word)) || word == "texref" || word == "samplerref" || word == "surfref";
}

bool is_variable_space(std::string_view word) {
  return word == "global" || word == "const" || word == "shared" || word == "local" || word == "param" || word == "tex";
}

int vector_width_of(std::string_view word) {
  if (word == "v2") return 2;
  if (word == "v4") return 4;
  return word == "v8" ? 8 : 0;
}

}  // namespace assay::ptx
