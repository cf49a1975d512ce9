// SPDX-License-Identifier: MIT
#include "report/junit.hpp"

#include <gtest/gtest.h>

#include "../judge/sample_gate.hpp"

namespace assay::report {
namespace {

GatedKernels gated_sample(const judge::GateOptions& options = {}) {
  return {{"soft\"max", "vgpu:l4", judge::sample_gate(options)}};
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A reader's minimum: tags are balanced, and no special character stands where text is.
bool well_formed(std::string_view xml) {
  std::vector<std::string> open;
  while (!xml.empty()) {
    const size_t start = xml.find('<');
    if (start == std::string_view::npos) return open.empty() && xml.find('>') == std::string_view::npos;
    if (xml.substr(0, start).find('>') != std::string_view::npos) return false;
    const size_t end = xml.find('>', start);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = xml.substr(start + 1, end - start - 1);
    if (tag.find('<') != std::string_view::npos) return false;
    const std::string name(tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1)));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.front() != '?' && tag.back() != '/') {
      open.push_back(std::string(tag.substr(0, tag.find(' '))));
    }
    xml.remove_prefix(end + 1);
  }
  return open.empty();
}

TEST(Junit, has_a_test_case_per_case_and_counts_them) {
  const std::string xml = junit_xml(gated_sample());
  EXPECT_TRUE(well_formed(xml)) << xml;
  EXPECT_TRUE(holds(xml, "tests=\"5\" failures=\"4\" errors=\"0\" skipped=\"0\"")) << xml;
  EXPECT_TRUE(holds(xml, "name=\"slow | &lt;b&gt;@all&lt;/b&gt; `x`\"")) << xml;
  EXPECT_TRUE(holds(xml, "<failure type=\"REGRESSION\""));
  EXPECT_TRUE(holds(xml, "<failure type=\"INCORRECT\" message=\"o[3] &amp; &quot;q&quot;: expected 1,&#10;got "));
  EXPECT_TRUE(holds(xml, "<system-out>the same") || holds(xml, "<system-out>0.")) << xml;
  EXPECT_TRUE(holds(xml, "sec|tors: 9 -&gt; 0 (fell)"));
  EXPECT_FALSE(holds(xml, "\x01"));
}

TEST(Junit, names_every_kernel) {
  GatedKernels kernels = gated_sample();
  kernels.push_back({"reduction", "vgpu:l4", judge::gate({})});
  const std::string xml = junit_xml(kernels);
  EXPECT_TRUE(well_formed(xml)) << xml;
  EXPECT_TRUE(holds(xml, "<testsuites name=\"assay gate\" tests=\"5\" failures=\"4\"")) << xml;
  EXPECT_TRUE(holds(xml, "<testsuite name=\"soft&quot;max on vgpu:l4\" tests=\"5\"")) << xml;
  EXPECT_TRUE(holds(xml, "<testsuite name=\"reduction on vgpu:l4\" tests=\"0\"")) << xml;
  EXPECT_TRUE(holds(xml, "<testcase classname=\"assay.gate.soft&quot;max\" name=\"same\">")) << xml;
}

TEST(Junit, skips_what_is_inconclusive_and_allowed) {
  const std::string xml = junit_xml(gated_sample({.inconclusive_passes = true}));
  EXPECT_TRUE(well_formed(xml)) << xml;
  EXPECT_TRUE(holds(xml, "skipped=\"1\"")) << xml;
  EXPECT_TRUE(holds(xml, "<skipped message=\"")) << xml;
}

TEST(Junit, of_nothing_is_an_empty_suite) {
  EXPECT_TRUE(well_formed(junit_xml({{"softmax", "cuda:0", judge::gate({})}})));
  EXPECT_FALSE(well_formed("<a><b></a>"));
  EXPECT_FALSE(well_formed("<a>x > y</a>"));
}

}  // namespace
}  // namespace assay::report
