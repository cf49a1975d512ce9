// SPDX-License-Identifier: MIT
#include "ptx/demangle.hpp"

#include <cmath>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace assay::ptx {
namespace {

constexpr size_t kLongestMangled = 20'000;
constexpr double kLongestReadable = 16e6;

// "S_", "S0_", "T1_" stand for an earlier part of the name. Every S or T that could begin one counts.
int count_references(const std::string& name) {
  int count = 0;
  int begun = 0;
  for (char c : name) {
    if (c == 'S' || c == 'T') {
      ++begun;
    } else if (c == '_') {
      count += begun;
      begun = 0;
    } else if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z')) {
      begun = 0;
    }
  }
  return count;
}

// References can refer to parts made of references: with n of them a name grows at most as k^(n/k), largest at k = 3.
double longest_expansion(const std::string& name) {
  return static_cast<double>(name.size()) * std::pow(3.0, count_references(name) / 3.0);
}

}  // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangled || longest_expansion(name) > kLongestReadable)
    return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                        std::free);
  return status == 0 && readable ? std::string(readable.get()) : name;
}

}  // namespace assay::ptx
