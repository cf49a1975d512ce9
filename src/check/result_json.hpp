// SPDX-License-Identifier: MIT
// Findings, cases and results as JSON: the worker's protocol, and the form that --json prints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "check/case_result.hpp"
#include "check/check_cost.hpp"
#include "check/self_test.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::check {

// A document as one line, as processes send it to each other; bytes that are no UTF-8 are replaced.
std::string one_line(const nlohmann::json& document);

nlohmann::json dimensions(const gpu::Dim3& size);
nlohmann::json to_json(const gpu::Finding& finding);
// False for a fault of which a GPU told no more than that it happened: neither line nor thread.
bool place_known(const gpu::Finding& finding);
nlohmann::json to_json(const CaseResult& result);
nlohmann::json to_json(const SelfTest& test);
nlohmann::json to_json(const CheckCosts& costs);

// What a worker said is read with care: a worker that was damaged by the kernel it ran may say anything.
Result<CaseResult> case_result_from_json(const nlohmann::json& json, const Case& test);
Result<SelfTest> self_test_from_json(const nlohmann::json& json, const Case& test);
Result<CheckCosts> costs_from_json(const nlohmann::json& json, const Case& test);

}  // namespace assay::check
