// SPDX-License-Identifier: MIT
// Runs a kernel that is being described on a virtual GPU, with many sizes and grids, to find out what its tensors and
// its grid must be.
#pragma once

#include <filesystem>
#include <optional>

#include "assay/context.hpp"
#include "base/result.hpp"
#include "build/kernel_signature.hpp"
#include "work/new_text.hpp"

namespace assay::work {

// The folder holds the kernel's source and a reference. Nothing where the runs do not explain the kernel, take too
// long, or cannot be made: arguments that are neither numbers nor tensors.
Result<std::optional<FoundGeometry>> try_sizes(const std::filesystem::path& folder,
                                               const build::KernelSignature& signature, const NewText& text,
                                               const Context& context);

}  // namespace assay::work
