// SPDX-License-Identifier: MIT
// The two files that we exchange with a reference that runs in a process of its own.
//
// Numbers are 64 bits, in this machine's byte order; text is its length and then its bytes.
// Request:  tensor count, then per tensor (ordered by name): name, 1 if output, rank, shape, element count, values;
//           scalar count, then name and value of each; variable count, then name and value of each.
// Response: 0, then per output (ordered by name): element count, values. Or 1, then a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/problem.hpp"

namespace assay::reference {

// Outputs are filled with a NaN that no arithmetic produces, so that an element that was not written is found.
Result<std::string> encode_request(const Problem& problem);

// The outputs, or an error: the reference's own message, an element that it did not write, or bytes that make no sense.
Result<Outputs> decode_response(std::string_view response, const Problem& problem, std::string_view noun = "reference");
// What a program that refused the problem said; nothing if it did not.
std::optional<std::string> decode_refusal(std::string_view response);

}  // namespace assay::reference
