// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/check.hpp"
#include "check/checker.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "work/resumption.hpp"

namespace assay::work {

struct CheckDetails {
  spec::KernelSpec spec;
  spec::Configuration configuration;
  check::CheckReport report;
  nlohmann::json document;  // without the head
};

// check(), as a part of longer work: what it remembers is kept until that has come to its end.
Result<CheckReport> check_as_part(const CheckRequest& request, const Context& context, UnfinishedWork* longer,
                                  const std::function<void(const ConfigurationCheck&)>& on_configuration = {});

}  // namespace assay::work
