// SPDX-License-Identifier: MIT
#include "report/markdown.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "../judge/sample_gate.hpp"
#include "base/text.hpp"

namespace assay::report {
namespace {

GatedKernels gated(const judge::GateResult& result) {
  return {{"soft|max", "vgpu:l4", result}};
}

bool has_text(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Markdown, shows_the_verdict_the_tables_and_the_calibration) {
  const std::string text = markdown(gated(judge::sample_gate()));
  EXPECT_TRUE(has_text(text, "## assay gate: INCORRECT: <code>soft&#124;max</code> on <code>vgpu&#58;l4</code>\n"))
      << text;
  EXPECT_TRUE(has_text(text, "threshold 3 %, counters 1 %")) << text;
  EXPECT_TRUE(has_text(text, "This machine: false verdicts 0 of 2")) << text;
  EXPECT_TRUE(has_text(text, "| **REGRESSION** | SLOWER |")) << text;
  EXPECT_TRUE(has_text(text, "| PASS | SAME |")) << text;
  EXPECT_TRUE(has_text(text, "| <code>new</code> | 0 | 2 | unbounded | grew |")) << text;
  EXPECT_TRUE(has_text(text, "| <code>other</code> | 4 | 5 | +25.00 % | grew, not judged |")) << text;
}

TEST(Markdown, lets_no_name_break_out) {
  const std::string text = markdown(gated(judge::sample_gate()));
  EXPECT_FALSE(has_text(text, "@all"));
  EXPECT_FALSE(has_text(text, "<b>"));
  EXPECT_FALSE(has_text(text, "`"));
  EXPECT_FALSE(has_text(text, "expected 1,\n"));
  size_t columns = 0;
  for (const std::string_view line : split(text, '\n')) {
    const auto bars = static_cast<size_t>(std::count(line.begin(), line.end(), '|'));
    if (bars == 0) columns = 0;
    if (bars > 0 && columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << line;
  }
}

TEST(Markdown, of_a_clean_suite_is_short) {
  const judge::SimulatedRun run = judge::simulate({}, {}, 2);
  const judge::GateResult result =
      judge::gate({{.name = "k", .comparison = judge::compare(run.candidate, run.baseline).value()}});
  const std::string text = markdown(gated(result));
  EXPECT_EQ(text,
            "## assay gate: PASS: <code>soft&#124;max</code> on <code>vgpu&#58;l4</code>\n\n1 of 1 cases pass "
            "(threshold 3 %). "
            "This machine is not calibrated.\n" +
                text.substr(text.find("\n| case")))
      << text;
  EXPECT_FALSE(has_text(text, "counter"));
}

TEST(Markdown, of_counters_alone_speaks_of_no_noise) {
  const judge::GateResult counted =
      judge::gate({{.name = "k", .counters = judge::compare_counters({{"a", 2}}, {{"a", 2}}, 0.01, {"a"})}});
  GatedKernels kernels = gated(counted);
  kernels.push_back({"reduction", "vgpu:h100", counted});
  const std::string text = markdown(kernels);
  EXPECT_TRUE(has_text(text, "1 of 1 cases pass (counters 1 %). Counted exactly, no noise.\n")) << text;
  EXPECT_TRUE(has_text(text, "\n## assay gate: PASS: <code>reduction</code> on <code>vgpu&#58;h100</code>\n")) << text;
  EXPECT_FALSE(has_text(text, "calibrated")) << text;
}

}  // namespace
}  // namespace assay::report
