// SPDX-License-Identifier: MIT
#include "report/junit.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"

namespace assay::report {
namespace {

using namespace judge;  // what is written here is its result

bool skipped(GateVerdict verdict, const GateOptions& options) {
  return (verdict == GateVerdict::inconclusive || verdict == GateVerdict::trade) && options.inconclusive_passes;
}

bool failed(GateVerdict verdict, const GateOptions& options) {
  return verdict != GateVerdict::pass && !skipped(verdict, options);
}

std::string details(const GateCaseResult& test) {
  std::string text = test.reason;
  if (test.comparison) {
    const Comparison& comparison = *test.comparison;
    text += fmt::format("\np50 {:.3f} us, baseline {:.3f} us; ratio {:.4f}; p {:.3g} after Holm; Cliff's delta {:.2f}",
                        comparison.candidate.time_us.p50, comparison.baseline.time_us.p50, comparison.ratio,
                        test.adjusted_p, comparison.cliff_delta);
    for (const std::string& warning : comparison.warnings) text += fmt::format("\nwarning: {}", warning);
  }
  for (const CounterChange& change : test.counters) {
    if (!worth_showing(change)) continue;
    text += fmt::format("\n{}: {} -> {} ({})", change.name, change.baseline, change.candidate, to_string(change.trend));
  }
  return text;
}

std::string test_case(const std::string& kernel, const GateCaseResult& test, const GateOptions& options) {
  std::string xml = fmt::format("    <testcase classname=\"assay.gate.{}\" name=\"{}\">\n", escape_xml(kernel),
                                escape_xml(test.name));
  const std::string text = escape_xml(details(test));
  if (failed(test.verdict, options)) {
    xml += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", to_string(test.verdict),
                       escape_xml(test.reason), text);
  } else if (skipped(test.verdict, options)) {
    xml += fmt::format("      <skipped message=\"{}\"/>\n", escape_xml(test.reason));
  } else {
    xml += fmt::format("      <system-out>{}</system-out>\n", text);
  }
  return xml += "    </testcase>\n";
}

struct Counts {
  size_t tests = 0;
  size_t failures = 0;
  size_t skips = 0;
};

std::string attributes(const std::string& name, const Counts& counts) {
  return fmt::format("name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", escape_xml(name),
                     counts.tests, counts.failures, counts.skips);
}

std::string test_suite(const GatedKernel& gated, Counts& all) {
  Counts counts;
  std::string cases;
  for (const GateCaseResult& test : gated.result.cases) {
    ++counts.tests;
    counts.failures += static_cast<size_t>(failed(test.verdict, gated.result.options));
    counts.skips += static_cast<size_t>(skipped(test.verdict, gated.result.options));
    cases += test_case(gated.kernel, test, gated.result.options);
  }
  all.tests += counts.tests;
  all.failures += counts.failures;
  all.skips += counts.skips;
  const std::string name = fmt::format("{} on {}", gated.kernel, gated.device);
  return fmt::format("  <testsuite {}>\n{}  </testsuite>\n", attributes(name, counts), cases);
}

}  // namespace

std::string junit_xml(const GatedKernels& kernels) {
  Counts counts;
  std::string suites;
  for (const GatedKernel& gated : kernels) suites += test_suite(gated, counts);
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
                     attributes("assay gate", counts), suites);
}

}  // namespace assay::report
