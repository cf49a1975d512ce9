// SPDX-License-Identifier: MIT
// Which pointers a kernel reads and writes, what else its PTX tells of its launch: followed from the parameters through
// registers to loads and stores.
#pragma once

#include <map>
#include <set>
#include <string>

#include "build/kernel_signature.hpp"
#include "ptx/syntax.hpp"

namespace assay::build {

void follow_pointers(const ptx::Function& function, const std::set<std::string>& dynamic_shared,
                     const std::map<std::string, SignatureConstant>& constants, KernelSignature& signature);

}  // namespace assay::build
