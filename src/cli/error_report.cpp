// SPDX-License-Identifier: MIT
#include "cli/error_report.hpp"

#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "work/document.hpp"

namespace assay::cli {

std::string error_document(const Error& error, const std::string& command) {
  return work::document_text({{"assay", kVersion},
                              {"command", command},
                              {"verdict", "error"},
                              {"error",
                               {{"message", error.message},
                                {"file", error.place.file},
                                {"line", error.place.line},
                                {"column", error.place.column},
                                {"hint", error.hint}}},
                              {"exit_code", static_cast<int>(error.exit_code)}});
}

}  // namespace assay::cli
