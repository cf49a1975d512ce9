// SPDX-License-Identifier: MIT
// Which __device__ or __constant__ variable a name of C++ means. nvcc writes a mangled name for what lies in a
// namespace, with a hash of the file in it for what is anonymous: nobody can foresee that one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::ptx {

// "ns::(anonymous namespace)::limit" of a symbol of PTX, without what the compiler adds to tell files apart.
std::string readable_variable(const std::string& symbol);

// Those of `symbols` that `wanted` may mean. The symbol itself alone, if it is there; else the full name of C++; else
// whatever ends in it, where anonymous namespaces may be left out: "limit", "ns::limit". One is the answer; several are
// for the user to choose from.
std::vector<std::string> variables_named(std::string_view wanted, const std::vector<std::string>& symbols);

// "c_table" may be two variables: "ns::c_table, (anonymous namespace)::c_table". Symbols, where readers see no
// difference.
std::string list_variables(const std::vector<std::string>& symbols);

// The __device__ and __constant__ variables of a PTX text, in its order; none of a text that is no PTX.
std::vector<std::string> variables_of(std::string_view text);

}  // namespace assay::ptx
