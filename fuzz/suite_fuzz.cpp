// SPDX-License-Identifier: MIT
// Any bytes as a suite file: read, without its kernels.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.hpp"
#include "suite/suite.hpp"

using namespace assay;
using fuzz::require;

namespace {

void check(const suite::Suite& suite) {
  require(!suite.name.empty() && !suite.kernels.empty() && suite.kernels.size() <= suite::kMaxKernels);
  for (const suite::KernelEntry& entry : suite.kernels) {
    require(!entry.folder.text.empty() && !entry.configurations.empty());
    const suite::ShapeChoice& shapes = entry.shapes;
    require((shapes.set ? 1 : 0) + (shapes.grid ? 1 : 0) + (shapes.list.empty() ? 0 : 1) == 1);
    for (const suite::ShapeTable& table : shapes.list) {
      for (const suite::Dimension& dimension : table.dimensions) require(dimension.values.size() == 1);
    }
    size_t product = 1;
    if (shapes.grid) {
      for (const suite::Dimension& axis : shapes.grid->dimensions) product *= axis.values.size();
    }
    require(product >= 1 && product <= suite::kMaxItems);
    require(entry.measuring.samples >= 100 && entry.measuring.budget_s > 0 && entry.measuring.width > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto suite = suite::parse(text, "suite.toml", ".");
  if (suite.ok()) {
    check(*suite);
  } else {
    require(!suite.error().message.empty() && suite.error().exit_code == ExitCode::usage);
  }
  return 0;
}
