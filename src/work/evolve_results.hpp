// SPDX-License-Identifier: MIT
// What an evolution leaves for its user: the change from the first kernel to the best, as a diff and, if the user
// wants it, in the kernel's folder.
#pragma once

#include <string>
#include <vector>

#include "assay/evolve.hpp"
#include "work/evolve_folder.hpp"
#include "work/evolve_state.hpp"

namespace assay::work {

struct EvolveResults {
  std::string diff;
  std::vector<std::string> written;  // files
};

Result<EvolveResults> write_results(const EvolveRequest& request, const KernelSnapshot& snapshot,
                                    const EvolveState& state);

}  // namespace assay::work
