// SPDX-License-Identifier: MIT
// The folder whose programs a command may run and no others: ASSAY_WITHIN, which `assay mcp` sets for what it starts.
#pragma once

#include <filesystem>

namespace assay {

std::filesystem::path allowed_folder();  // empty: any

// Whether a specification in `folder` may name this file, which need not exist: it lies in the allowed folder, or in
// `folder`, which a command made for itself then. Symbolic links count as what they lead to.
bool is_allowed(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace assay
