// SPDX-License-Identifier: MIT
// Results of NVBench, CUTLASS's profiler and tuners; and the formats that are only written.
#include <algorithm>
#include <gtest/gtest.h>

#include "formats/bencher.hpp"
#include "formats/cutlass_csv.hpp"
#include "formats/fields.hpp"
#include "formats/google_benchmark.hpp"
#include "formats/nvbench.hpp"
#include "formats/open_metrics.hpp"
#include "formats/trace_events.hpp"
#include "formats/tuned_results.hpp"

namespace assay::formats {
namespace {

constexpr const char* kNvbench =
    R"({"meta": {"version": {"json": {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"}}},
 "devices": [{"id": 0, "name": "NVIDIA H200"}],
 "benchmarks": [{"name": "softmax", "index": 0, "devices": [0], "axes": [{"name": "ROWS", "type": "int64", "flags": "", "values": [{"input_string": "4096", "description": "", "value": 4096}]}],
  "states": [{"name": "Device=0 ROWS=4096", "device": 0, "axis_values": [{"name": "ROWS", "type": "int64", "value": "4096"}], "is_skipped": false,
   "summaries": [{"tag": "nv/cold/time/gpu/median", "name": "Median GPU Time", "hint": "duration", "data": [{"name": "value", "type": "float64", "value": "1.85e-05"}]},
                 {"tag": "nv/cold/time/gpu/mean", "name": "Mean", "data": [{"name": "value", "type": "float64", "value": "1.9e-05"}]},
                 {"tag": "nv/cold/time/gpu/stdev/relative", "name": "Noise", "data": [{"name": "value", "type": "float64", "value": "0.01"}]},
                 {"tag": "nv/cold/sample_size", "name": "Samples", "data": [{"name": "value", "type": "int64", "value": "64"}]},
                 {"tag": "nv/cold/bw/global/utilization", "name": "BW", "data": [{"name": "value", "type": "float64", "value": "0.5"}]},
                 {"tag": "nv/json/bin:nv/cold/sample_times", "name": "f", "data": [{"name": "filename", "type": "string", "value": "b/0.bin"}]}]},
   {"name": "Device=0 ROWS=1", "device": 0, "axis_values": [{"name": "ROWS", "type": "int64", "value": "1"}], "is_skipped": true, "skip_reason": "too small", "summaries": []}]}]})";

ForeignResult own(const char* shape, std::vector<double> samples) {
  ForeignResult result;
  result.task = "softmax";
  result.contender = "softmax";
  result.shape = shape;
  result.configuration = "WARPS=4";
  result.device = "NVIDIA H200";
  result.when = "2026-11-16T08:00:00Z";
  result.status = Status::passed;
  result.protocol = "graph warm";
  result.time = describe(std::move(samples));
  return result;
}

TEST(Nvbench, StatesAreReadAndWrittenBackAsTheyWere) {
  const auto read = read_nvbench({{"r.json", kNvbench}, {"b/0.bin", std::string("\x00\x00\x80\x3f", 4)}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->results.size(), 2u);
  const ForeignResult& result = read->results[0];
  EXPECT_EQ(result.device, "NVIDIA H200");
  EXPECT_EQ(result.shape, "ROWS=4096");
  EXPECT_DOUBLE_EQ(*result.time.median, 18.5);
  EXPECT_NEAR(*result.time.deviation, 0.19, 1e-12);
  EXPECT_EQ(result.time.count, 64);
  EXPECT_EQ(result.time.samples, std::vector<double>{1e6});
  EXPECT_EQ(result.other.at("nv/cold/bw/global/utilization"), 0.5);
  EXPECT_EQ(read->results[1].status, Status::skipped);
  EXPECT_EQ(read->results[1].message, "too small");
  const Written written = write_nvbench(read->results, "r-bin");
  const auto before = nlohmann::json::parse(kNvbench), after = nlohmann::json::parse(written.text);
  EXPECT_EQ(after["benchmarks"][0]["states"], before["benchmarks"][0]["states"]);
  EXPECT_EQ(after["devices"], before["devices"]);
  EXPECT_EQ(after["benchmarks"][0]["axes"][0]["values"][0], before["benchmarks"][0]["axes"][0]["values"][0]);
}

TEST(Nvbench, OwnFiguresSurviveTheWayThereAndBackWithTheirSamples) {
  ForeignResult result = own("ROWS=4096,dtype=f16", {18.5, 18.75, 19});
  result.time.clocks_mhz = {1980, 1980, 1965};
  const Written written = write_nvbench({result}, "r-bin");
  TextFiles files = written.files;
  files.push_back({"r.json", written.text});
  EXPECT_EQ(written.files.size(), 2u);
  const auto back = read_nvbench(files);
  ASSERT_TRUE(back.ok()) << back.error().message;
  const ForeignResult& read = back->results.at(0);
  EXPECT_EQ(read.shape, "ROWS=4096,dtype=f16,WARPS=4");
  EXPECT_DOUBLE_EQ(*read.time.median, 18.75);
  EXPECT_DOUBLE_EQ(*read.time.lower, *result.time.lower);
  EXPECT_DOUBLE_EQ(*read.time.deviation, *result.time.deviation);
  ASSERT_EQ(read.time.samples.size(), 3u);
  EXPECT_NEAR(read.time.samples[1], 18.75, 1e-5);  // 32 bits
  EXPECT_NEAR(read.time.clocks_mhz[2], 1965, 1e-3);
}

TEST(Nvbench, WhatIsNoneIsRefused) {
  for (const char* text : {"", "{}", "[]", R"({"benchmarks": 1})", R"({"benchmarks": [1]})",
                           R"({"benchmarks": [{"name": "a", "states": [5]}]})",
                           R"({"benchmarks": [{"name": "a", "states": [{"axis_values": [{"value": 1}]}]}]})",
                           R"({"benchmarks": [{"name": "a", "states": [{"summaries": [{}]}]}]})"})
    EXPECT_FALSE(read_nvbench({{"x.json", text}}).ok()) << text;
}

TEST(CutlassCsv, ColumnsAreFoundByNameAndGigabytesAreBinary) {
  const auto read = parse_cutlass_csv(
      "Tag,Problem,Provider,OperationKind,Operation,Disposition,Status,m,n,k,A,Bytes,Flops,Flops/"
      "Byte,Runtime,Runtime_0,Runtime_1,GB/s,GFLOPs\n"
      "v1,1,CUTLASS,gemm,cutlass_tensorop_example,passed,success,512,512,512,f16:row,1572864,268435456,170,0.01,0.009,"
      "0.011,2,26843.5\n"
      "v1,2,CUTLASS,gemm,other,not_supported,error,512,512,512,f16:row,0,0,0,0,,,0,0\r\n",
      "report.gemm.csv");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->results.size(), 2u);
  const ForeignResult& result = read->results[0];
  EXPECT_EQ(result.task, "gemm");
  EXPECT_EQ(result.contender, "cutlass_tensorop_example");
  EXPECT_EQ(result.shape, "m=512,n=512,k=512,A=f16:row");
  EXPECT_DOUBLE_EQ(*result.time.mean, 10);
  EXPECT_EQ(result.time.samples, (std::vector<double>{9, 11}));
  EXPECT_DOUBLE_EQ(result.other.at("bytes_per_second"), 2147483648.0);
  EXPECT_EQ(result.versions.at("Tag"), "v1");
  EXPECT_EQ(read->results[1].status, Status::skipped);
  EXPECT_FALSE(read->results[1].time.any());
  for (const char* text : {"", "a,b\n1,2\n", "Problem,Provider,OperationKind,Operation,Disposition,Status,Bytes\n",
                           "Problem,Provider,OperationKind,Operation,Disposition,Status,Bytes\n1,2\n",
                           "Problem,Provider,OperationKind,Operation,Disposition,Status,Bytes\n1,C,g,o,odd,s,1\n",
                           "Problem,Problem,OperationKind,Operation,Disposition,Status,Bytes\n1,C,g,o,passed,s,1\n"})
    EXPECT_FALSE(parse_cutlass_csv(text, "x").ok()) << text;
}

TEST(CutlassCsv, QuotesAreNoPartOfAFieldAndWhatIsNoTimeIsSaid) {
  const std::string header = "\"Problem\",Provider,OperationKind,Operation,Disposition,Status,m,Bytes,Runtime\r\n";
  const auto read = parse_cutlass_csv(header + "\"1\",CUTLASS,gemm,\"op\",\"passed\",success,512,64,0.5\r\n", "r.csv");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->results.at(0).contender, "op");
  EXPECT_EQ(*read->results.at(0).time.mean, 500);
  EXPECT_EQ(read->lost.size(), 1u);
  for (const char* runtime : {"nan", "-1", "soon"}) {
    const auto none = parse_cutlass_csv(header + "1,CUTLASS,gemm,op,passed,success,512,64," + runtime, "r.csv");
    ASSERT_TRUE(none.ok());
    EXPECT_FALSE(none->results.at(0).time.mean);
    EXPECT_EQ(none->lost.at(0).where + ": " + none->lost.at(0).why,
              std::string("r.csv:2: the runtime '") + runtime + "' is no time");
  }
  const auto skipped = parse_cutlass_csv(header + "1,CUTLASS,gemm,op,not_run,success,512,64,0", "r.csv");
  EXPECT_EQ(skipped->lost.size(), 1u) << "it has no time because it did not run";
}

TEST(TunedResults, TheUnitOfTimeIsKnownOrSaidToBeMissing) {
  const auto of = [](const std::string& metadata) {
    return parse_tuned_results(R"({"metadata": {)" + metadata + R"(}, "results": [{"configuration": {"B": 1},
      "times": {"runtimes": [2]}, "invalidity": "correct", "correctness": 1, "measurements": [], "objectives": ["time"]}]})",
                               "t4.json");
  };
  const auto mentions = [](const Imported& imported) {
    return std::ranges::any_of(imported.lost,
                               [](const Lost& lost) { return lost.why.find("unit") != std::string::npos; });
  };
  const auto milliseconds = of(R"("timeunit": "miliseconds")");
  ASSERT_TRUE(milliseconds.ok()) << milliseconds.error().message;
  EXPECT_FALSE(mentions(*milliseconds));
  EXPECT_EQ(*milliseconds->results.at(0).time.mean, 2000);
  EXPECT_EQ(*of(R"("timeunit": "seconds")")->results.at(0).time.mean, 2e6);
  EXPECT_TRUE(mentions(*of("")));
  EXPECT_EQ(of(R"("timeunit": "fortnights")").error().message, "the unit of time 'fortnights' is not known");
}

TEST(TunedResults, ConfigurationsGoToT4AndBack) {
  ForeignResult good = own("", {18.5, 18.75});
  good.device.clear();
  ForeignResult bad = good;
  bad.configuration = "WARPS=8";
  bad.status = Status::compile_error;
  bad.time = {};
  const Written written = write_t4({good, bad});
  EXPECT_TRUE(written.lost.empty());
  const auto read = parse_tuned_results(written.text, "x.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->format, "t4");
  ASSERT_EQ(read->results.size(), 2u);
  EXPECT_EQ(read->results[0].configuration, "WARPS=4");
  EXPECT_NEAR(*read->results[0].time.mean, 18.625, 1e-9);
  EXPECT_NEAR(read->results[0].time.samples.at(1), 18.75, 1e-9);
  EXPECT_EQ(read->results[1].status, Status::compile_error);
  EXPECT_FALSE(parse_tuned_results("{}", "x").ok());
  const Written shaped = write_t4({own("ROWS=1", {1})});
  EXPECT_EQ(shaped.lost.size(), 1u);
}

TEST(GoogleBenchmark, HasAggregatesInMicroseconds) {
  ForeignResult failed = own("ROWS=2", {});
  failed.status = Status::incorrect;
  const Written written = write_google_benchmark({own("ROWS=1", {10, 12}), failed});
  const auto json = nlohmann::json::parse(written.text);
  ASSERT_EQ(json["benchmarks"].size(), 4u);
  EXPECT_EQ(json["benchmarks"][0]["name"], "softmax/ROWS=1/WARPS=4_mean");
  EXPECT_EQ(json["benchmarks"][0]["real_time"], 11);
  EXPECT_EQ(json["benchmarks"][0]["time_unit"], "us");
  EXPECT_EQ(json["benchmarks"][3]["error_occurred"], true);
  EXPECT_FALSE(written.lost.empty());
}

TEST(Bencher, HasLatencyInNanosecondsWithBounds) {
  ForeignResult result = own("ROWS=4096", {18.4, 18.5, 18.6});
  result.other["median_low_us"] = 18.4;
  result.other["median_high_us"] = 18.6;
  const Written written = write_bencher({result, own("ROWS=1", {})});
  const auto json = nlohmann::json::parse(written.text);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json["softmax ROWS=4096 WARPS=4"]["latency"]["value"], 18500.0);
  EXPECT_EQ(json["softmax ROWS=4096 WARPS=4"]["latency"]["lower_value"], 18400.0);
  EXPECT_EQ(written.lost.size(), 2u);
  ForeignResult longer = own(std::string(2000, 'x').c_str(), {1});
  const auto cut = nlohmann::json::parse(write_bencher({longer}).text);
  for (const auto& [name, value] : cut.items()) EXPECT_LE(name.size(), 1024u);
}

TEST(OpenMetrics, EscapesLabelsAndEndsAsItMust) {
  EXPECT_EQ(escape_label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  ForeignResult result = own("ROWS=1", {10, 20});
  result.contender = "so\"ft\n";
  const Written written = write_open_metrics({result, result});
  EXPECT_NE(written.text.find("contender=\"so\\\"ft\\n\""), std::string::npos);
  EXPECT_NE(written.text.find("quantile=\"0.5\"} 1.5e-05\n"), std::string::npos);
  EXPECT_TRUE(written.text.ends_with("# EOF\n"));
  size_t medians = 0;
  for (size_t at = 0; (at = written.text.find("quantile=\"0.5\"", at)) != std::string::npos; ++at) ++medians;
  EXPECT_EQ(medians, 1u);  // a series stands there once
}

TEST(TraceEvents, HasOneForEachSample) {
  ForeignResult result = own("ROWS=1", {10, 20});
  result.time.clocks_mhz = {1980, 0};
  const Written written = write_trace_events({result, own("ROWS=2", {})});
  const auto json = nlohmann::json::parse(written.text);
  ASSERT_EQ(json["traceEvents"].size(), 3u);
  EXPECT_EQ(json["traceEvents"][1]["dur"], 10);
  EXPECT_EQ(json["traceEvents"][1]["args"]["clock_mhz"], 1980);
  EXPECT_EQ(json["traceEvents"][2]["ts"], 10);
  EXPECT_FALSE(json["traceEvents"][2].contains("args"));
  EXPECT_EQ(written.lost.size(), 2u);
}

TEST(Fields, UnknownMembersAreListedAndWrongTypesAreErrors) {
  const auto json = parse_ordered(R"({"a": 1, "b": NaN, "c": "x"})", "f");
  ASSERT_TRUE(json.ok());
  Fields fields(*json, "f", "p");
  EXPECT_EQ(fields.maybe_integer("a"), 1);
  EXPECT_FALSE(fields.maybe_number("b"));
  std::vector<Lost> lost;
  fields.leave_rest(lost);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].where, "f: p.c");
  EXPECT_TRUE(fields.check().ok());
  EXPECT_FALSE(fields.maybe_number("c"));
  ASSERT_FALSE(fields.check().ok());
  EXPECT_EQ(fields.check().error().message, "'p.c' is not a number");
  std::string many = "{";
  for (int i = 0; i < 20000; ++i) many += "\"" + std::to_string(i) + "\":1,";
  EXPECT_FALSE(parse_ordered(many + "\"z\":1}", "f").ok());
}

}  // namespace
}  // namespace assay::formats
