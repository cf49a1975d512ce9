// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/profile.hpp"
#include "diagnose/profile.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct ProfileDetails {
  spec::KernelSpec spec;
  diagnose::Profile profile;
  nlohmann::json document;
};

}  // namespace assay::work
