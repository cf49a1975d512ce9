// SPDX-License-Identifier: MIT
#include "work/document.hpp"

#include <nlohmann/json.hpp>

#include "base/version.hpp"

namespace assay::work {

nlohmann::json document_head(const char* command) {
  return {{"assay", kVersion}, {"command", command}};
}

nlohmann::json document_head(const char* command, const spec::KernelSpec& spec, const std::string& configuration,
                             const std::string& device) {
  nlohmann::json document = document_head(command);
  document["kernel"] = spec.kernel.name;
  document["specification"] = spec.file.string();
  document["configuration"] = configuration;
  document["device"] = device;
  return document;
}

std::string document_text(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace assay::work
