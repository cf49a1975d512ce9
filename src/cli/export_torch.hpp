// SPDX-License-Identifier: MIT
// assay export --torch: a kernel folder as a Python package with a PyTorch operator.
#pragma once

#include <string>

#include "assay/context.hpp"
#include "assay/export_torch.hpp"
#include "assay/result.hpp"

namespace assay::cli {

Result<ExitCode> run_export_torch(const work::ExportTorchRequest& request, bool json, const Context& context);

}  // namespace assay::cli
