// SPDX-License-Identifier: MIT
// The members of a structure that a kernel takes by value, read from the text of its definition.
#pragma once

#include <string>
#include <vector>

#include "build/kernel_signature.hpp"

namespace assay::build {

// `type` as C++ writes it, with template arguments: "Accessor<float const, 2>". Laid out as C++ does; structures inside
// become their members, and vectors their parts. Empty if the source does not define it, or one member is not
// understood, or it would not fit into `bytes`.
std::vector<SignatureValue> members_of(const std::string& source, const std::string& type, size_t bytes);

// int2 is x and y.
std::vector<SignatureValue> parts_of_vector(const SignatureValue& value);

}  // namespace assay::build
