// SPDX-License-Identifier: MIT
// Which tolerance applies to a type, also when the specification is silent.
#include "spec/kernel_spec.hpp"

namespace assay::spec {

static Tolerance usual(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {1e-2, 1e-2};
    case DType::bf16:
      return {2e-2, 2e-2};
    case DType::f32:
      return {1e-4, 1e-4};
    case DType::f64:
      return {1e-10, 1e-10};
    case DType::e4m3:
      return {1.25e-1, 1.25e-1};
    case DType::e5m2:
      return {2.5e-1, 2.5e-1};
    default:
      return {0, 0};
  }
}

Tolerance tolerance(const KernelSpec& spec, std::string_view argument, DType dtype) {
  const ArgumentSpec* const named = spec.find_argument(argument);
  if (named != nullptr && named->tensor() != nullptr && named->tensor()->tolerance) return *named->tensor()->tolerance;
  const auto own = spec.tolerance.by_dtype.find(dtype);
  if (own != spec.tolerance.by_dtype.end()) return own->second;
  return spec.tolerance.general ? *spec.tolerance.general : usual(dtype);
}

}  // namespace assay::spec
