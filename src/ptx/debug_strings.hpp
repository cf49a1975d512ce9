// SPDX-License-Identifier: MIT
// The strings of a module's .debug_str sections: the names of inlined functions that ".loc" lines refer to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ptx/syntax.hpp"

namespace assay::ptx {

class DebugStrings {
 public:
  DebugStrings() = default;
  explicit DebugStrings(const Module& module);

  // The string that starts `offset` bytes after the label; nothing if there is none. As stored: function names are
  // mangled.
  std::optional<std::string> at(const std::string& label, int64_t offset = 0) const;
  // The function that a location was inlined from, demangled; "" if the location says nothing about it.
  std::string function_of(const Location& location) const;

  std::map<std::string, std::string> by_label() const;

 private:
  std::string bytes_;
  std::map<std::string, size_t> starts_;
};

}  // namespace assay::ptx
