// SPDX-License-Identifier: MIT
// cvt: the parts joined.
#include <vector>

#include "vgpu/execute/families.hpp"

namespace assay::vgpu {

std::span<const Binding> convert_bindings() {
  static const std::vector<Binding> kBindings = [] {
    std::vector<Binding> all;
    for (const auto part :
         {convert_integer_bindings(), convert_mixed_bindings(), convert_float_bindings(), convert_narrow_bindings()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kBindings;
}

}  // namespace assay::vgpu
