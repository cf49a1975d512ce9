// SPDX-License-Identifier: MIT
#include "device/cuda/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::device::cuda {

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names) {
  std::string reason = "no name was given";
  for (const std::string& name : names) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle, name);
    const char* said = ::dlerror();
    reason = said != nullptr ? said : "the loader does not say why";
  }
  return Error{fmt::format("cannot open {}: {}", join(names, " or "), reason), {}, "", ExitCode::environment};
}

void* SharedLibrary::symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace assay::device::cuda
