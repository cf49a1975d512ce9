// SPDX-License-Identifier: MIT
// The two files that we exchange with a reference that runs in a process of its own.
//
// Numbers are 64 bits, in this machine's byte order; text is its length and then its bytes.
// Request:  tensor count, then per tensor (ordered by name): name, 1 if output, 1 if it has values before the call,
//           what its elements are, rank, shape, element count, elements;
//           scalar count, then name, form and value of each; variable count, then the same of each.
// Response: 0, then per output (ordered by name): form, element count, elements. Or 1, then a message. Or 2, then why
//           nothing can be decided: a number was read as a double that no double holds.
// Elements are doubles, or words of 64-bit integers (numbers.hpp); so are values, and a form says which: 0 or 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/problem.hpp"

namespace assay::reference {

// Outputs are filled with a NaN that no arithmetic produces, so that an element that was not written is found; as an
// integer it is one of 2^64.
Result<std::string> encode_request(const Problem& problem);

// The outputs, or an error: the reference's own message, an element that it did not write, or bytes that make no sense.
Result<Outputs> decode_response(std::string_view response, const Problem& problem, std::string_view noun = "reference");
// What a program that refused the problem said; nothing if it did not.
std::optional<std::string> decode_refusal(std::string_view response);

}  // namespace assay::reference
