// SPDX-License-Identifier: MIT
// Outputs are poisoned before each run, so that an element that the kernel did not write is found, even if it would
// have passed as zero or as the right answer of an earlier run.
//
// One pattern could by chance be the right answer, and a kernel could copy it from elsewhere. So an element counts as
// unwritten only if it still holds the pattern after two runs with two different ones; the second run is needed only if
// the first leaves something to suspect.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spec/resolved_argument.hpp"

namespace assay::check {

enum class Poison {
  nan,  // a NaN of the type with an unusual payload, 0x5A.. for integers
  a5,   // 0xA5 in every byte
  ff,   // 0xFF in every byte, which is a NaN of every floating type: for those who can fill with a byte alone
};

std::array<uint8_t, 8> poison_pattern(spec::DType type, Poison poison);  // size_bytes(type) of them count

// The whole buffer, gaps between elements included.
void fill_with_poison(spec::DType type, Poison poison, std::span<uint8_t> buffer);

// Positions (row-major) of elements that still hold the pattern, bit by bit.
std::vector<int64_t> still_poisoned(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer, Poison poison);

// Positions that hold the pattern after both runs.
std::vector<int64_t> unwritten(const spec::ResolvedTensor& tensor, std::span<const uint8_t> after_first,
                               std::span<const uint8_t> after_a5, Poison first = Poison::nan);

// The first byte between elements that no longer holds the pattern: written though no element is there.
std::optional<int64_t> first_written_gap(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer,
                                         Poison poison);

}  // namespace assay::check
