// SPDX-License-Identifier: MIT
// What every JSON document of a command begins with, and how documents become text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "spec/kernel_spec.hpp"

namespace assay::work {

nlohmann::json document_head(const char* command);
nlohmann::json document_head(const char* command, const spec::KernelSpec& spec, const std::string& configuration,
                             const std::string& device);

std::string document_text(const nlohmann::json& document);  // indented; bytes that are not UTF-8 are replaced

}  // namespace assay::work
