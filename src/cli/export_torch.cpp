// SPDX-License-Identifier: MIT
#include "cli/export_torch.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"

namespace assay::cli {

Result<ExitCode> run_export_torch(const work::ExportTorchRequest& request, bool json, const Context& context) {
  ASSAY_TRY(const work::ExportTorchReport report, work::export_torch(request, context));
  if (json) {
    print_document(to_json(report));
    return ExitCode::good;
  }
  print(fmt::format("{} [{}] for {}: {} in {}\n", escape_terminal(report.kernel), report.configuration,
                    join(report.modules, ", "), counted(report.files.size(), "file"), escape_terminal(report.out)));
  print(fmt::format("import {0}; {0}.{1}\n", report.package, report.call));
  for (const std::string& remark : report.remarks) print("note: " + escape_terminal(remark) + "\n");
  return ExitCode::good;
}

}  // namespace assay::cli
