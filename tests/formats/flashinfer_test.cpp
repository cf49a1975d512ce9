// SPDX-License-Identifier: MIT
#include "formats/flashinfer.hpp"

#include <gtest/gtest.h>

#include "formats/sol_execbench.hpp"

namespace assay::formats {
namespace {

constexpr const char* kDefinition = R"({"name": "row_sum_c256", "op_type": "reduction", "description": "sums of rows",
 "tags": ["a", "b"], "axes": {"rows": {"type": "var", "description": "how many"}, "columns": {"type": "const", "value": 256}},
 "constraints": ["rows % 1 == 0"],
 "inputs": {"x": {"shape": ["rows", "columns"], "dtype": "float32"}, "scale": {"shape": null, "dtype": "float32"}},
 "outputs": {"y": {"shape": ["rows"], "dtype": "float32", "description": "d"}},
 "reference": "def run(x, scale):\n    return x.sum(1) * scale"})";

constexpr const char* kWorkload = R"({"uuid": "w1", "axes": {"rows": 7},
 "inputs": {"x": {"type": "random"}, "scale": {"type": "scalar", "value": 2.5}}})";

constexpr const char* kSolution = R"({"name": "fast", "definition": "row_sum_c256", "author": "me",
 "spec": {"language": "cuda", "target_hardware": ["NVIDIA_H100"], "entry_point": "main.cu::run", "dependencies": [],
  "destination_passing_style": true, "binding": "torch"},
 "sources": [{"path": "main.cu", "content": "void run() {}"}], "description": "d"})";

constexpr const char* kTrace = R"({"definition": "row_sum_c256",
 "workload": {"uuid": "w1", "axes": {"rows": 7}, "inputs": {"x": {"type": "safetensors", "path": "a.safetensors", "tensor_key": "x"}}},
 "solution": "fast", "evaluation": {"status": "PASSED", "environment": {"hardware": "NVIDIA_H100", "libs": {"cuda": "13.0"}},
  "timestamp": "2026-11-16T08:00:00", "log": "", "correctness": {"max_relative_error": 1e-6, "max_absolute_error": 1e-5, "extra": {"n": 3}},
  "performance": {"latency_ms": 0.0185, "reference_latency_ms": 0.037, "speedup_factor": 2.0}}})";

ordered_json parsed(const std::string& text) {
  auto value = parse_ordered(text, "test");
  EXPECT_TRUE(value.ok());
  return value ? *value : ordered_json();
}

TEST(FlashInfer, EveryObjectIsWrittenAsItWasRead) {
  std::vector<Lost> lost;
  const auto definition = read_definition(parsed(kDefinition), TraceDialect::flashinfer, "d", lost);
  ASSERT_TRUE(definition.ok()) << definition.error().message;
  EXPECT_EQ(nlohmann::json(to_json(*definition)), nlohmann::json(parsed(kDefinition)));
  const auto workload = read_workload(parsed(kWorkload), TraceDialect::flashinfer, "w", lost);
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(nlohmann::json(to_json(*workload)), nlohmann::json(parsed(kWorkload)));
  const auto solution = read_solution(parsed(kSolution), "s", lost);
  ASSERT_TRUE(solution.ok());
  EXPECT_EQ(nlohmann::json(to_json(*solution)), nlohmann::json(parsed(kSolution)));
  const auto trace = read_trace(parsed(kTrace), TraceDialect::flashinfer, "t", lost);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(nlohmann::json(to_json(*trace)), nlohmann::json(parsed(kTrace)));
  EXPECT_TRUE(lost.empty());
}

TEST(FlashInfer, SolHasMoreMembersAndFlashInferDoesNotKnowThem) {
  const std::string text = R"({"name": "n", "op_type": "o", "hf_id": "org/model",
   "axes": {"a": {"type": "var"}, "b": {"type": "expr", "expression": "a // 2 + 1"}},
   "inputs": {"x": {"shape": ["a"], "dtype": "bfloat16"}}, "outputs": {"y": {"shape": ["b"], "dtype": "float4_e2m1"}},
   "reference": "r", "custom_inputs_entrypoint": "make_inputs"})";
  const std::string workload = R"({"uuid": "w", "axes": {"a": 4}, "inputs": {"x": {"type": "custom"}},
   "tolerance": {"max_atol": 0.01, "max_rtol": 0.02, "required_matched_ratio": 0.99, "max_error_cap": 1.0, "allow_negative_inf": true}})";
  std::vector<Lost> lost;
  const auto definition = read_definition(parsed(text), TraceDialect::sol, "d", lost);
  ASSERT_TRUE(definition.ok()) << definition.error().message;
  EXPECT_EQ(nlohmann::json(to_json(*definition)), nlohmann::json(parsed(text)));
  const auto read = read_workload(parsed(workload), TraceDialect::sol, "w", lost);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(nlohmann::json(to_json(*read)), nlohmann::json(parsed(workload)));
  EXPECT_TRUE(lost.empty());
  EXPECT_FALSE(read_definition(parsed(text), TraceDialect::flashinfer, "d", lost).ok());
  ASSERT_TRUE(read_workload(parsed(workload), TraceDialect::flashinfer, "w", lost).ok());
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].where, "w: tolerance");

  const auto imported =
      read_sol_execbench({{"definition.json", text}, {"workload.jsonl", parsed(workload).dump() + "\n"}});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  ASSERT_EQ(imported->tasks.size(), 1u);
  const Task& task = imported->tasks[0];
  EXPECT_EQ(task.derived, (std::vector<std::pair<std::string, std::string>>{{"b", "floor(a/2) + 1"}}));
  EXPECT_EQ(task.atol, 0.01);
  EXPECT_EQ(task.rtol, 0.02);
  EXPECT_EQ(task.tensors[1].dtype, "");  // there is none like it, and that is said
  std::string all;
  for (const Lost& each : task.lost) all += each.where + " " + each.why + "\n";
  for (const char* word :
       {"float4_e2m1", "custom_inputs_entrypoint", "hf_id", "required_matched_ratio", "max_error_cap", "custom"})
    EXPECT_NE(all.find(word), std::string::npos) << word << "\n" << all;
}

TEST(FlashInfer, AFolderBecomesATaskWithShapesAndResults) {
  const TextFiles files{{"definitions/reduction/row_sum_c256.json", kDefinition},
                        {"solutions/fast.json", kSolution},
                        {"traces/row_sum_c256.jsonl", parsed(kTrace).dump() + "\n\n"},
                        {"workloads/row_sum_c256.jsonl", parsed(kWorkload).dump() + "\n"}};
  const auto imported = read_flashinfer(files);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  ASSERT_EQ(imported->tasks.size(), 1u);
  const Task& task = imported->tasks[0];
  EXPECT_EQ(task.name, "row_sum_c256");
  EXPECT_EQ(task.constants, (std::vector<std::pair<std::string, int64_t>>{{"columns", 256}}));
  ASSERT_EQ(task.measured.size(), 1u);
  EXPECT_EQ(to_text(task.measured[0].dimensions), "rows=7");
  ASSERT_EQ(task.tensors.size(), 3u);
  EXPECT_EQ(task.tensors[0].name, "x");  // in the order of the file
  EXPECT_TRUE(task.tensors[1].scalar);
  EXPECT_EQ(task.tensors[1].value, "2.5");
  EXPECT_TRUE(task.tensors[2].output);
  EXPECT_EQ(task.constraints, std::vector<std::string>{"(rows % 1) == 0"});
  EXPECT_NE(find_file(task.files, "solutions/fast/main.cu"), nullptr);
  ASSERT_EQ(imported->results.size(), 1u);
  const ForeignResult& result = imported->results[0];
  EXPECT_EQ(result.status, Status::passed);
  EXPECT_DOUBLE_EQ(*result.time.mean, 18.5);
  EXPECT_DOUBLE_EQ(*result.baseline.mean, 37.0);
  EXPECT_EQ(result.shape, "rows=7");
  // What was read from the format goes back to it unchanged.
  const Written written = write_traces(imported->results, TraceDialect::flashinfer);
  EXPECT_EQ(nlohmann::json::parse(written.text), nlohmann::json(parsed(kTrace)));
  EXPECT_TRUE(written.lost.empty());
}

TEST(FlashInfer, OwnFiguresAreWrittenWithWhatTheFormatHoldsAndTheRestIsNamed) {
  ForeignResult result;
  result.task = "softmax";
  result.contender = "softmax";
  result.shape = "ROWS=4096,dtype=f16";
  result.device = "NVIDIA H200";
  result.protocol = "graph warm";
  result.status = Status::passed;
  result.time = describe({10, 11, 15});
  result.baseline = describe({24, 24});
  ForeignResult cheat = result;
  cheat.status = Status::cheating;
  const Written written = write_traces({result, cheat}, TraceDialect::flashinfer);
  const auto back = read_flashinfer({{"t.jsonl", written.text}});
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->results.size(), 1u);
  EXPECT_DOUBLE_EQ(*back->results[0].time.mean, 12);
  EXPECT_DOUBLE_EQ(back->results[0].other.at("speedup_factor"), 2);
  std::string all;
  for (const Lost& each : written.lost) all += each.why + "\n";
  EXPECT_NE(all.find("dtype is 'f16'"), std::string::npos);
  EXPECT_NE(all.find("samples"), std::string::npos);
  EXPECT_NE(all.find("no status for 'cheating'"), std::string::npos);
  const Written sol = write_traces({cheat}, TraceDialect::sol);
  EXPECT_NE(sol.text.find("REWARD_HACK"), std::string::npos);
}

TEST(FlashInfer, WhatIsNoneIsRefusedWithItsPlace) {
  for (const char* text :
       {"", "{", "[]", "{}", "1", R"({"definition": "d", "workload": 5})", R"({"name": 5, "axes": {}, "outputs": {}})",
        R"({"name": "n", "axes": {"a": {"type": "odd"}}, "inputs": {}, "outputs": {}})",
        R"({"name": "n", "axes": {"a": {"type": "const"}}, "inputs": {}, "outputs": {}})",
        R"({"name": "n", "axes": {}, "inputs": {"x": {"shape": [1.5], "dtype": "f"}}, "outputs": {}})",
        R"({"uuid": "u", "axes": {"a": 99999999999999999999}, "inputs": {}})"}) {
    const auto read = read_flashinfer({{"x.json", text}});
    EXPECT_FALSE(read.ok()) << text;
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "[";
  EXPECT_FALSE(read_flashinfer({{"x.json", deep}}).ok());
}

TEST(SolExecBench, TheScoreIsAHalfAtTheBaselineAndOneAtTheFloor) {
  EXPECT_DOUBLE_EQ(*sol_score(20, 10, 20), 0.5);
  EXPECT_DOUBLE_EQ(*sol_score(10, 10, 20), 1);
  EXPECT_LT(*sol_score(40, 10, 20), 0.3);
  EXPECT_FALSE(sol_score(5, 10, 20));
  EXPECT_FALSE(sol_score(20, 10, 10));
}

}  // namespace
}  // namespace assay::formats
