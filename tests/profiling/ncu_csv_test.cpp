// SPDX-License-Identifier: MIT
// ncu's table: as recorded on an H200, and damaged in every way that a file can be.
#include "profiling/ncu_csv.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace assay::profiling {
namespace {

std::string recorded() {
  const auto text = read_file(ASSAY_SOURCE_DIR "/tests/profiling/recorded/ncu_tensor.csv");
  EXPECT_TRUE(text.ok());
  return text ? *text : "";
}

TEST(NcuCsv, ReadsARecordedTable) {
  const auto launches = read_ncu_csv(recorded());
  ASSERT_TRUE(launches.ok()) << to_string(launches.error());
  ASSERT_EQ(launches->size(), 9);
  const NcuLaunch& first = launches->front();
  EXPECT_NE(first.kernel.find("mma_f16_m16n8k16"), std::string::npos);
  EXPECT_EQ(first.value("gpu__time_duration.sum"), 1888) << "commas between thousands";
  EXPECT_EQ(first.metrics.at("gpu__time_duration.sum").unit, "ns");
  EXPECT_EQ(first.value("sm__inst_executed_pipe_tensor.sum"), 1);
  EXPECT_EQ(first.value("sm__warps_active.avg.pct_of_peak_sustained_active"), 1.56);
  EXPECT_EQ(first.value("no__such_metric.sum"), std::nullopt);
  EXPECT_EQ(first.value("device__attribute_display_name"), std::nullopt) << "words are no metrics";
  EXPECT_EQ(launches->at(5).value("sm__inst_executed_pipe_tensor.sum"), 2) << "8-bit floats take two on Hopper";
}

TEST(NcuCsv, ATableThatWasCutGivesItsCompleteLines) {
  const std::string whole = recorded();
  size_t last = 9;
  for (size_t cut = whole.size(); cut > 0; cut -= std::min<size_t>(cut, 97)) {
    const auto launches = read_ncu_csv(std::string_view(whole).substr(0, cut));
    if (!launches) continue;
    EXPECT_LE(launches->size(), last);
    last = launches->size();
  }
}

TEST(NcuCsv, QuotesCommasAndLineEndsInsideFields) {
  const auto launches = read_ncu_csv(
      "\"ID\",\"Kernel Name\",\"a.sum\",\"b\"\r\n\"\",\"\",\"inst\",\"\"\r\n"
      "\"0\",\"f<\"\"x\"\", int>(a,\nb)\",\"1,234,567\",\"n/a\"\r\n");
  ASSERT_TRUE(launches.ok()) << to_string(launches.error());
  EXPECT_EQ(launches->front().kernel, "f<\"x\", int>(a,\nb)");
  EXPECT_EQ(launches->front().value("a.sum"), 1234567);
  EXPECT_EQ(launches->front().value("b"), std::nullopt);
}

TEST(NcuCsv, SaysWhatIsMissing) {
  const auto denied = read_ncu_csv(
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the "
      "target device 0.\n");
  ASSERT_FALSE(denied.ok());
  EXPECT_NE(denied.error().message.find("ERR_NVGPUCTRPERM"), std::string::npos);
  EXPECT_NE(denied.error().hint.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  EXPECT_EQ(denied.error().exit_code, ExitCode::environment);
  const auto failed = read_ncu_csv("==PROF== hello\n==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "ncu: Failed to initialize the profiler: LibraryNotLoaded");
  const auto none = read_ncu_csv("==WARNING== No kernels were profiled.\n");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "ncu: No kernels were profiled.");
}

TEST(NcuCsv, RefusesWhatIsNoTable) {
  for (const char* text : {"", "\"ID\",", "\"ID\",\"x\"\n", "\"ID\",\"Kernel Name\"\n\"\"\n\"0\",\"k\"\n", "rubbish\n",
                           "\"ID\",\"Kernel Name\"\n\"\",\"\"\n", "x\"ID\",\"Kernel Name\"\n"}) {
    EXPECT_FALSE(read_ncu_csv(text).ok()) << text;
  }
}

}  // namespace
}  // namespace assay::profiling
