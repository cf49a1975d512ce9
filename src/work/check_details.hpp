// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/check.hpp"
#include "check/checker.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct CheckDetails {
  spec::KernelSpec spec;
  spec::Configuration configuration;
  check::CheckReport report;
  nlohmann::json document;  // without the head
};

}  // namespace assay::work
