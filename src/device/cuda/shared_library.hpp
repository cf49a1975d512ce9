// SPDX-License-Identifier: MIT
// A shared library that is opened at run time and stays open.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay::device::cuda {

class SharedLibrary {
 public:
  // The first of the names that opens. The error names all that were tried and what the loader said of the last.
  static Result<SharedLibrary> open(const std::vector<std::string>& names);

  void* symbol(const char* name) const;  // nullptr if it has none of that name
  const std::string& path() const { return path_; }

 private:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;  // never closed: drivers do not bear being unloaded
  std::string path_;
};

// Binds a function pointer to a symbol; false if there is none.
template <class Function>
bool bind_symbol(const SharedLibrary& library, Function*& slot, const char* name) {
  slot = reinterpret_cast<Function*>(library.symbol(name));
  return slot != nullptr;
}

}  // namespace assay::device::cuda
