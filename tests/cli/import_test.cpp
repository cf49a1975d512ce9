// SPDX-License-Identifier: MIT
// assay import and assay export: tasks become folders, results become attempts that never mix with our own.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "ledger/ledger.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr const char* kDefinition = R"j({"name": "row_sum_c256", "op_type": "reduction", "tags": ["t"],
 "axes": {"rows": {"type": "var"}, "columns": {"type": "const", "value": 256}},
 "inputs": {"x": {"shape": ["rows", "columns"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["rows"], "dtype": "float32"}},
 "reference": "def run(x):\n    return x.sum(1)"})j";
constexpr const char* kNvbench = R"({"devices": [{"id": 0, "name": "NVIDIA H200"}],
 "benchmarks": [{"name": "softmax", "states": [{"name": "s", "device": 0, "axis_values": [{"name": "ROWS", "type": "int64", "value": "4096"}],
  "is_skipped": false, "summaries": [{"tag": "nv/cold/time/gpu/median", "data": [{"name": "value", "type": "float64", "value": "1.85e-06"}]},
  {"tag": "nv/json/bin:nv/cold/sample_times", "data": [{"name": "filename", "type": "string", "value": "bin/0.bin"}]}]}]}]})";

class ImportTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", path("ledger.sqlite")});
    return assay_program(std::move(arguments));
  }
  void own_measurement() const {
    auto ledger = ledger::Ledger::open(path("ledger.sqlite"));
    ASSERT_TRUE(ledger.ok());
    ledger::Attempt attempt;
    attempt.kind = ledger::Kind::measure;
    attempt.kernel = "softmax";
    attempt.configuration = "BLOCK=128";
    attempt.device = "cuda:0 NVIDIA H200";
    attempt.correct = true;
    attempt.contract = R"({"device.name": "NVIDIA H200", "library.torch": "2.11.0"})";
    ledger::Samples samples;
    samples.contender = "softmax";
    samples.shape = "ROWS=4096,dtype=f16";
    samples.protocol = "graph warm";
    samples.times_us = {10, 12, 20};
    samples.clocks_mhz = {1980, 1980, 1980};
    ledger::Samples baseline = samples;
    baseline.contender = "torch";
    baseline.role = ledger::Role::baseline;
    baseline.times_us = {28, 28, 28};
    ASSERT_TRUE(ledger->append(attempt, std::vector{samples, baseline}).ok());
  }

  TemporaryFolder folder_;
};

TEST_F(ImportTest, ATaskWithoutCasesHasItsDimensionsOpen) {
  folder_.write("definition.json", std::string("\xef\xbb\xbf") + kDefinition);
  const ProcessOutcome outcome = assay({"import", path("definition.json"), "--to", path("out"), "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json task = parsed(outcome)["tasks"].at(0);
  EXPECT_FALSE(task.contains("problem")) << task.dump(2);
  EXPECT_NE(task["open"].dump().find("which sizes matter?"), std::string::npos) << task.dump(2);
  EXPECT_NE(read_file(path("out/row_sum_c256/kernel.toml"))->find("canonical = [{ rows = 64 }]"), std::string::npos);
}

TEST_F(ImportTest, ATaskBecomesAFolderThatSaysWhatIsOpen) {
  folder_.write("set/definition.json", kDefinition);
  folder_.write("set/workload.jsonl", R"({"uuid": "w1", "axes": {"rows": 7}, "inputs": {"x": {"type": "random"}}})");
  const ProcessOutcome outcome = assay({"import", path("set"), "--to", path("out"), "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["format"], "flashinfer");
  const json& task = document["tasks"].at(0);
  EXPECT_FALSE(task.contains("problem")) << task.dump(2);
  EXPECT_GE(task["open"].size(), 2u) << task.dump(2);  // the launch, and the kernel itself
  EXPECT_NE(task["not_carried_over"].dump().find("tags"), std::string::npos);
  const std::string text = *read_file(path("out/row_sum_c256/kernel.toml"));
  EXPECT_NE(text.find("shape = [\"rows\", \"columns\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("{ rows = 7 }"), std::string::npos) << text;
  EXPECT_NE(text.find("columns = [256]"), std::string::npos) << text;
  EXPECT_EQ(*read_file(path("out/row_sum_c256/task/definition.py")), "def run(x):\n    return x.sum(1)");
  EXPECT_NE(read_file(path("out/row_sum_c256/reference.py"))->find("task.run("), std::string::npos);
  const ProcessOutcome check = assay({"check", path("out/row_sum_c256")});
  EXPECT_EQ(check.exit_status, 2);
  EXPECT_NE(check.errors.find("write the kernel; the task brings none"), std::string::npos) << check.errors;
  EXPECT_EQ(assay({"import", path("set"), "--to", path("out")}).exit_status, 2) << "nothing is overwritten";
  const ProcessOutcome shown = assay({"import", path("set"), "--to", path("again")});
  EXPECT_NE(shown.output.find("not carried over:"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("  open  "), std::string::npos) << shown.output;
}

TEST_F(ImportTest, AT1FileBringsTheFilesThatItNames) {
  const auto text = [](const std::string& source) {
    return R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[64, 128]", "Default": 64}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "fill", "KernelFile": ")" +
           source + R"(", "GlobalSize": {"X": "8"}, "LocalSize": {"X": "BLOCK"}, "Arguments": [
  {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1024, "FillType": "Constant", "FillValue": 0.0}]}})";
  };
  const std::string source = "extern \"C\" __global__ void fill(float* y) {}\n";
  folder_.write("outside.cu", source);
  folder_.write("t1/fill.cu", source);
  folder_.write("t1/named.json", text("fill.cu"));
  folder_.write("t1/upwards.json", text("../outside.cu"));
  const ProcessOutcome named = assay({"import", path("t1/named.json"), "--to", path("out")});
  EXPECT_EQ(named.exit_status, 0) << named.errors;
  EXPECT_EQ(named.output.find("does not lie beside it"), std::string::npos) << named.output;
  EXPECT_EQ(*read_file(path("out/fill/fill.cu")), source);
  const ProcessOutcome upwards = assay({"import", path("t1/upwards.json"), "--to", path("again")});
  EXPECT_NE(upwards.output.find("'../outside.cu' does not lie beside it"), std::string::npos) << upwards.output;
}

TEST_F(ImportTest, EveryKindOfTaskGivesASpecificationThatCanBeRead) {
  folder_.write("kb/1_Softmax.py",
                "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x): return x\n"
                "ROWS, COLUMNS = 64, 256\ndef get_inputs(): return [torch.rand(ROWS, COLUMNS), 3, 0.5]\n");
  folder_.write(
      "gm/task.yml",
      "lang: py\nfiles: [{name: submission.py, source: '@SUBMISSION@'}, {name: reference.py, source: reference.py}]\n"
      "tests: [{rows: 4}]\nbenchmarks: [{rows: 4096}]\n");
  folder_.write("gm/reference.py", "def ref_kernel(data): pass\n");
  folder_.write("rk/config_forward.json",
                R"({"single_input_configs": [{"rows": 64}], "multi_input_configs": [{"rows": 64}, {"rows": 1}]})");
  folder_.write("rk/func_forward.py", "import torch\ndef get_inputs(rows): return [torch.randn(rows, 8)]\n");
  folder_.write(
      "t1/rows.json",
      R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[64, 128]", "Default": 128}],
    "Conditions": [{"Expression": "BLOCK * 2 <= 256 and BLOCK // 2 > 1", "Parameters": ["BLOCK"]}]},
   "KernelSpecification": {"Language": "CUDA", "KernelName": "row_sum", "KernelFile": "row_sum.cu", "GlobalSize": {"X": "8192 // BLOCK"}, "LocalSize": {"X": "BLOCK"},
    "Arguments": [{"Name": "x", "Type": "float", "MemoryType": "Vector", "Size": 8192, "FillType": "Random", "FillValue": 1.0},
                  {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 8192}]}})");
  folder_.write("t1/row_sum.cu", "__global__ void row_sum(const float* x, float* y) {}\n");
  folder_.write(
      "sol/definition.json",
      R"({"name": "sol/odd name", "op_type": "o", "axes": {"a": {"type": "var"}, "b": {"type": "expr", "expression": "a // 2 + 1"}},
   "inputs": {"x": {"shape": ["a"], "dtype": "bfloat16"}, "s": {"shape": null, "dtype": "float32"}}, "outputs": {"y": {"shape": ["b"], "dtype": "float32"}, "z": {"shape": null, "dtype": "int32"}},
   "reference": "def run(x, s): return x, s", "constraints": ["a > 0"]})");
  folder_.write(
      "sol/workload.jsonl",
      R"({"uuid": "w", "axes": {"a": 4}, "inputs": {"s": {"type": "scalar", "value": 2}}, "tolerance": {"max_atol": 0.01, "max_rtol": 0.02}})");
  for (const char* name : {"kb", "gm", "rk", "t1", "sol"}) {
    const ProcessOutcome outcome = assay({"import", path(name), "--to", path(std::string("out-") + name), "--json"});
    ASSERT_EQ(outcome.exit_status, 0) << name << outcome.errors;
    const json document = parsed(outcome);
    ASSERT_EQ(document["tasks"].size(), 1u) << name;
    EXPECT_FALSE(document["tasks"][0].contains("problem")) << name << document["tasks"][0].value("problem", "");
    const bool looser = document.dump().find("the task allows 0.02") != std::string::npos;
    EXPECT_EQ(looser, std::string(name) == "sol") << name;
  }
}

TEST_F(ImportTest, ResultsNeverBecomeTheBestOrABaseline) {
  folder_.write("nv/r.json", kNvbench);
  folder_.write("nv/bin/0.bin", std::string("\x00\x00\x00\x3f\x00\x00\x00\x3f", 8));  // two samples of half a second
  own_measurement();
  const json first = parsed(assay({"import", path("nv"), "--json"}));
  EXPECT_EQ(first["results"]["recorded"], 1) << first.dump(2);
  EXPECT_EQ(parsed(assay({"import", path("nv"), "--json"}))["results"]["known"], 1) << "the same result counts once";
  const json listed = parsed(assay({"log", "--kind", "import", "--json"}));
  ASSERT_EQ(listed["attempts"].size(), 1u);
  EXPECT_EQ(listed["attempts"][0]["verdict"], "imported: unverified");
  EXPECT_NEAR(listed["attempts"][0]["p50_us"].get<double>(), 1.85, 1e-9);
  const std::string id = std::to_string(listed["attempts"][0]["id"].get<int64_t>());
  const json best = parsed(assay({"log", "best", "--json"}));
  ASSERT_EQ(best["best"].size(), 1u) << best.dump(2);
  EXPECT_EQ(best["best"][0]["p50_us"], 12);
  const ProcessOutcome compared = assay({"compare", id, "1"});
  EXPECT_EQ(compared.exit_status, 2) << compared.output;
  EXPECT_NE(compared.errors.find("was imported"), std::string::npos) << compared.errors;
  EXPECT_EQ(parsed(assay({"learn", "--json"}))["trials"], 1);
  auto ledger = ledger::Ledger::open(path("ledger.sqlite"));
  ASSERT_TRUE(ledger.ok());
  EXPECT_FALSE(ledger->set_baseline("main", std::stoll(id)).ok());
  EXPECT_TRUE(ledger->set_baseline("main", 1).ok());
}

TEST_F(ImportTest, WhatWasImportedGoesBackToItsFormatAsItWas) {
  folder_.write("nv/r.json", kNvbench);
  own_measurement();
  ASSERT_EQ(assay({"import", path("nv")}).exit_status, 0);
  const ProcessOutcome out = assay({"export", "--format", "nvbench", "--imported"});
  ASSERT_EQ(out.exit_status, 0) << out.errors;
  EXPECT_EQ(json::parse(out.output)["benchmarks"][0]["states"], json::parse(kNvbench)["benchmarks"][0]["states"]);
}

TEST_F(ImportTest, OwnMeasurementsAreWrittenInEveryFormat) {
  EXPECT_EQ(assay({"export", "--format", "t4"}).exit_status, 6) << "nothing is recorded yet";
  own_measurement();
  for (const char* format :
       {"flashinfer", "solexec", "t4", "nvbench", "google-benchmark", "bencher", "openmetrics", "trace-events"}) {
    const ProcessOutcome out = assay({"export", "--format", format});
    EXPECT_EQ(out.exit_status, 0) << format << out.errors;
    EXPECT_NE(out.errors.find("not carried over"), std::string::npos) << format;
  }
  const json trace = parsed(assay({"export", "--format", "flashinfer"}));
  EXPECT_DOUBLE_EQ(trace["evaluation"]["performance"]["latency_ms"].get<double>(), 0.014);
  EXPECT_DOUBLE_EQ(trace["evaluation"]["performance"]["speedup_factor"].get<double>(), 2);
  EXPECT_EQ(trace["evaluation"]["environment"]["libs"]["torch"], "2.11.0");
  const ProcessOutcome written = assay({"export", "--format", "nvbench", "--out", path("r.json"), "--json"});
  ASSERT_EQ(written.exit_status, 0) << written.errors;
  EXPECT_EQ(parsed(written)["results"], 2);
  EXPECT_TRUE(std::filesystem::exists(path("r-samples/0.bin")));
  EXPECT_EQ(parsed(assay({"import", path("r.json"), "--json"}))["results"]["recorded"], 2) << "ours, seen by another";
  EXPECT_EQ(assay({"export", "--format", "bencher", "--kernel", "nothing"}).exit_status, 2);
  EXPECT_EQ(assay({"export"}).exit_status, 2);
  EXPECT_EQ(assay({"export", "--format", "odd"}).exit_status, 2);
}

TEST_F(ImportTest, WhatMeansHarmIsRefusedOrStaysInsideItsFolder) {
  folder_.write(
      "evil/definition.json",
      R"({"name": "../../up", "op_type": "o\"\n[kernel]", "description": "a\"\"\"\nx = 1", "axes": {"a b\"]": {"type": "var"}},
   "inputs": {"x\"]\n": {"shape": ["a b\"]"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["a b\"]"], "dtype": "float32"}}, "reference": "import os"})");
  folder_.write(
      "evil/solution.json",
      R"({"name": "../..", "definition": "../../up", "author": "", "spec": {}, "sources": [{"path": "../../../etc/x", "content": "c"}]})");
  const ProcessOutcome outcome = assay({"import", path("evil"), "--to", path("out"), "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["tasks"][0]["folder"], path("out/______up"));
  EXPECT_NE(document.dump().find("is not written"), std::string::npos);
  for (const auto& file : document["tasks"][0]["files"])
    EXPECT_EQ(file.get<std::string>().find(path("out/______up")), 0u) << file;
  folder_.write("binary.bin", std::string("\x1f\x8b\x08 not gzip", 12));
  folder_.write("deep.json", "{\"axes\":" + std::string(100000, '[') + "}");
  for (const char* name : {"binary.bin", "deep.json", "missing"}) {
    const ProcessOutcome bad = assay({"import", path(name)});
    EXPECT_EQ(bad.exit_status, 2) << name << bad.errors;
    EXPECT_FALSE(bad.errors.empty());
  }
}

}  // namespace
}  // namespace assay::cli
