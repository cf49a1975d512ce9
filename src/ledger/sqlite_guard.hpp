// SPDX-License-Identifier: MIT
// The border to the database library: its exceptions become errors that say what to do.
#pragma once

#include <exception>
#include <filesystem>

#include "base/result.hpp"

namespace assay::ledger {

inline constexpr const char* kElsewhere =
    "choose another file with --ledger FILE, or record nothing with --ledger none";

// A mistake about `file` that is this machine's, not a kernel's.
Error error_at(const std::filesystem::path& file, std::string message, std::string hint);
// What went wrong with `file`, from an exception of the database library or of the standard one.
Error explain(const std::filesystem::path& file, const std::exception& problem);

Error damaged(const std::filesystem::path& file, const std::string& detail);

// Calls `work`, which returns a Result.
template <class Work>
auto guarded(const std::filesystem::path& file, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return explain(file, problem);
  }
}

}  // namespace assay::ledger
