// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/t4.hpp"
#include "work/tune_details.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

TuneReport small_report() {
  const tune::Parameter block{"BLOCK", {tune::number_value(64), tune::number_value(128)}};
  const tune::Parameter fast{"FAST", {{0.0, "false"}, {1.0, "true"}}};
  auto space = tune::Space::make({block, fast}, {0, 0, 0, 1, 1, 0, 1, 1});
  TuneReport report;
  report.kernel = "row sum";
  report.quantity = "measured time";
  report.unit = "ms";
  report.winners = {{"N=8,dtype=f16", "BLOCK=64,FAST=true", 0.5, 0.5},
                    {"N=16,dtype=f16", "BLOCK=128,FAST=false", 0.75, 0.8}};
  auto details = std::make_shared<TuneDetails>(TuneDetails{std::move(*space), {}, {}, {1, 2}});
  details->run.kernel = "row sum";
  details->run.device = "GPU X";
  details->run.space = &details->space;
  details->run.configurations = {{1, 0.5, {0.5}, "", 5, 1, 1, 0, "2026-11-16T05:00:00Z"},
                                 {3, std::nullopt, {}, "compile", 5, 0, 0, 0, "2026-11-16T05:00:01Z"}};
  for (const int n : {8, 16}) {
    spec::Shape shape;
    shape.values["N"] = spec::Value(n);
    shape.values["dtype"] = spec::Value(spec::DType::f16);
    details->shapes.push_back(shape);
  }
  report.details = std::move(details);
  return report;
}

TEST(TuneExport, AHeaderSaysWhichConfigurationForWhichShape) {
  const auto text = export_tuning(small_report(), "header");
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("struct row_sum_tuned {"), std::string::npos) << *text;
  EXPECT_NE(text->find("long long N;"), std::string::npos);
  EXPECT_NE(text->find("const char* dtype;"), std::string::npos);
  EXPECT_NE(text->find("{8, \"f16\", 64, 1},"), std::string::npos) << *text;
  EXPECT_NE(text->find("{16, \"f16\", 128, 0},"), std::string::npos);
}

TEST(TuneExport, JsonAndTomlSayTheSame) {
  const json document = json::parse(*export_tuning(small_report(), "json"));
  EXPECT_EQ(document["choices"][0]["shape"]["N"], 8);
  EXPECT_EQ(document["choices"][0]["configuration"], json({{"BLOCK", 64}, {"FAST", true}}));
  const auto toml = export_tuning(small_report(), "toml");
  EXPECT_NE(toml->find("configuration = { BLOCK = 128, FAST = false }"), std::string::npos) << *toml;
}

TEST(TuneExport, OtherTunersReadOurRuns) {
  const auto t4 = formats::parse_t4(*export_tuning(small_report(), "t4"), "x");
  ASSERT_TRUE(t4.ok());
  EXPECT_EQ(t4->recorded.good_count(), 1u);
  const auto cache = formats::parse_kernel_tuner_cache(*export_tuning(small_report(), "kernel_tuner"), "x");
  ASSERT_TRUE(cache.ok());
  EXPECT_EQ(cache->recorded.best(), 0.5);
}

TEST(TuneExport, WhatIsNotThereIsSaid) {
  EXPECT_FALSE(export_tuning(small_report(), "yaml").ok());
  EXPECT_FALSE(export_tuning({}, "json").ok());
  TuneReport nothing = small_report();
  nothing.winners.clear();
  EXPECT_FALSE(export_tuning(nothing, "header").ok());
  EXPECT_TRUE(export_tuning(nothing, "t4").ok());
}

}  // namespace
}  // namespace assay::work
