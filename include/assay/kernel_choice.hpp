// SPDX-License-Identifier: MIT
// What requests have in common where they mean the same: which kernel, on which device, within which limits, and where
// the attempt is recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay::work {

struct KernelChoice {
  std::string kernel = ".";   // a folder with a kernel.toml, or the file
  std::string configuration;  // "NAME=value,..."; empty: the default one
  std::string device;         // "cuda:0", "vgpu:l4", ...; empty: the GPU if there is one, else a virtual one that suits
};

// Of one case: one shape with one set of inputs.
struct CaseLimits {
  double time_s = 120;
  uint64_t instructions = 0;  // warp instructions of one block on a virtual GPU; 0: the device's own limit
};

struct RecordOptions {
  std::string ledger;                   // a file; "none"; empty: $ASSAY_LEDGER, else the project's
  std::optional<double> cost_per_hour;  // of this machine, to be recorded
  std::string note;                     // the hypothesis that is tried, in words
};

}  // namespace assay::work
