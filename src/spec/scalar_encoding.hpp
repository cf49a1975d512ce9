// SPDX-License-Identifier: MIT
// A scalar argument as the bytes that the kernel receives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/value.hpp"

namespace assay::spec {

// Little-endian. Reals are rounded to nearest, ties to even. Nothing if the type cannot hold the value: an integer out
// of range, a finite number that would become infinite.
std::optional<std::vector<uint8_t>> encode(const Value& value, DType type);

}  // namespace assay::spec
