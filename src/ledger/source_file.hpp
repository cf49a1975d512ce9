// SPDX-License-Identifier: MIT
// A file that an attempt was made of. Contents are stored once, however many attempts share them.
#pragma once

#include <string>

namespace assay::ledger {

struct SourceFile {
  std::string path;  // relative to the kernel's folder
  std::string content;

  bool operator==(const SourceFile&) const = default;
};

}  // namespace assay::ledger
