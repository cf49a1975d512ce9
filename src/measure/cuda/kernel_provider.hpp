// SPDX-License-Identifier: MIT
// The provider of a kernel folder: this program as a child process, answering the requests of docs/providers.md.
#pragma once

#include <iosfwd>

namespace assay::measure::cuda {

// Serves until its input ends or it is told to quit. Standard output is moved aside first, so that nothing that a
// kernel prints is taken for an answer.
int serve_kernel_provider(std::istream& input);

}  // namespace assay::measure::cuda
