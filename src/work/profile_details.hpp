// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/profile.hpp"
#include "profiling/profile.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct ProfileDetails {
  spec::KernelSpec spec;
  profiling::Profile profile;
  nlohmann::json document;
};

}  // namespace assay::work
