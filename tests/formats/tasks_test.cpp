// SPDX-License-Identifier: MIT
// Tasks and results of KernelBench, GPU MODE, robust-kbench and T1, in files written by hand.
#include <cmath>
#include <gtest/gtest.h>

#include "formats/gpu_mode.hpp"
#include "formats/kernelbench.hpp"
#include "formats/read_foreign.hpp"
#include "formats/robust_kbench.hpp"
#include "formats/t1.hpp"

namespace assay::formats {
namespace {

std::string lost_text(const std::vector<Lost>& lost) {
  std::string all;
  for (const Lost& each : lost) all += each.where + ": " + each.why + "\n";
  return all;
}

constexpr const char* kModel = R"py(import torch, torch.nn as nn
class Model(nn.Module):
    def __init__(self, width): super().__init__(); self.width = width
    def forward(self, x): return torch.softmax(x, dim=1)
ROWS, COLUMNS = 64, 256
def get_inputs(): return [torch.rand(ROWS, COLUMNS)]
def get_init_inputs(): return [COLUMNS]
)py";

TEST(KernelBench, ATaskHasInputsDimensionsAndItsModule) {
  const auto read = read_kernelbench({{"level1/23_Softmax.py", kModel}, {"level1/helper.py", "x = 1\n"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->tasks.size(), 1u);
  const Task& task = read->tasks[0];
  EXPECT_EQ(task.name, "23_Softmax");
  EXPECT_EQ(task.style, ReferenceStyle::model);
  ASSERT_EQ(task.tensors.size(), 2u);
  EXPECT_EQ(task.tensors[0].name, "x");
  EXPECT_EQ(task.tensors[0].dtype, "f32");
  EXPECT_EQ(task.tensors[0].shape, (std::vector<std::string>{"ROWS", "COLUMNS"}));
  EXPECT_TRUE(task.tensors[1].output);
  EXPECT_EQ(to_text(task.measured[0].dimensions), "COLUMNS=256,ROWS=64");
  EXPECT_EQ(task.atol, 1e-4);
  EXPECT_EQ(find_file(task.files, "task.py")->content, kModel);
  EXPECT_NE(lost_text(task.lost).find("result"), std::string::npos);
  EXPECT_NE(lost_text(read->lost).find("helper.py"), std::string::npos);
}

TEST(KernelBench, ResultsAndStoredTimesAreMilliseconds) {
  const auto read = read_kernelbench({{"eval_results.json", R"j({"23": [
     {"sample_id": 0, "compiled": true, "correctness": true, "metadata": {"hardware": "NVIDIA H200", "correctness_trials": "(5 / 5)"},
      "runtime": 0.02, "runtime_stats": {"mean": 0.02, "std": 0.001, "min": 0.019, "max": 0.03, "num_trials": 100}, "ref_runtime": 0.04,
      "ref_runtime_stats": {"mean": 0.04}},
     {"sample_id": 1, "compiled": false, "correctness": false, "metadata": {"compilation_error_name": "E"}, "runtime": -1.0, "runtime_stats": {}},
     {"sample_id": 2, "compiled": true, "correctness": false, "metadata": {"runtime_error_name": "F"}, "runtime": -1.0, "odd": 1}]})j"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->results.size(), 3u);
  EXPECT_EQ(read->results[0].status, Status::passed);
  EXPECT_DOUBLE_EQ(*read->results[0].time.mean, 20);
  EXPECT_DOUBLE_EQ(*read->results[0].time.least, 19);
  EXPECT_EQ(read->results[0].time.count, 100);
  EXPECT_DOUBLE_EQ(*read->results[0].baseline.mean, 40);
  EXPECT_EQ(read->results[0].device, "NVIDIA H200");
  EXPECT_EQ(read->results[1].status, Status::compile_error);
  EXPECT_FALSE(read->results[1].time.any());
  EXPECT_EQ(read->results[2].status, Status::runtime_error);
  EXPECT_NE(lost_text(read->lost).find("odd"), std::string::npos);
  EXPECT_NE(lost_text(read->lost).find("unit"), std::string::npos);
  const auto stored = read_kernelbench({{"baseline_time_torch.json", R"({"level1": {"23_Softmax.py":
     {"mean": 0.5, "std": 0.01, "min": 0.4, "max": 0.6, "num_trials": 100, "hardware": "GPU X", "device": "cuda:0"}}})"}});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  ASSERT_EQ(stored->results.size(), 1u);
  EXPECT_EQ(stored->results[0].task, "23_Softmax");
  EXPECT_DOUBLE_EQ(*stored->results[0].time.mean, 500);
  EXPECT_FALSE(read_kernelbench({{"x.json", "{}"}}).ok());
  EXPECT_FALSE(read_kernelbench({{"x.json", R"({"1": [{"compiled": "yes", "correctness": 1}]})"}}).ok());
}

TEST(KernelBench, FastPIsStrictAndCountsAllTasks) {
  const std::vector<std::optional<double>> speedups{1.0, 2.0, std::nullopt, 0.5};
  EXPECT_EQ(fast_p(speedups, 0), 0.75);
  EXPECT_EQ(fast_p(speedups, 1), 0.25);  // 1.0 is not faster
  EXPECT_EQ(fast_p(speedups, 2), 0.0);
  EXPECT_FALSE(fast_p({}, 1));
  EXPECT_NEAR(*geometric_mean(speedups), 1.0, 1e-12);
  EXPECT_FALSE(geometric_mean(std::vector<std::optional<double>>{std::nullopt}));
}

constexpr const char* kTaskYml = R"yaml(lang: "py"
files: [{"name": "submission.py", "source": "@SUBMISSION@"}, {"name": "reference.py", "source": "reference.py"}, {"name": "eval.py", "source": "../eval.py"}]
config: {"main": "eval.py"}
description: "row sums"
tests: [{"rows": 4, "columns": 127, "seed": 1, "kind": "odd"}]
benchmarks: [{"rows": 4096, "columns": 4096, "seed": 2}]
ranking_by: "geom"
ranked_timeout: 180
)yaml";

TEST(GpuMode, ATaskHasItsCasesAndFilesAndSaysWhatIsOpen) {
  const auto read =
      read_gpu_mode({{"row_sum/reference.py", "def ref_kernel(data): pass\n"}, {"row_sum/task.yml", kTaskYml}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->tasks.size(), 1u);
  const Task& task = read->tasks[0];
  EXPECT_EQ(task.name, "row_sum");
  EXPECT_EQ(to_text(task.measured.at(0).dimensions), "rows=4096,columns=4096");
  EXPECT_EQ(to_text(task.tested.at(0).dimensions), "rows=4,columns=127");
  EXPECT_EQ(task.reference, "reference.py");
  const std::string all = lost_text(task.lost);
  for (const char* word : {"../eval.py", "seed", "kind", "ranking_by", "ranked_timeout", "generate_input"})
    EXPECT_NE(all.find(word), std::string::npos) << word << "\n" << all;
  EXPECT_FALSE(read_gpu_mode({{"task.yml", "lang: rust\nfiles: []\n"}}).ok());
  EXPECT_FALSE(read_gpu_mode({{"task.yml", "lang: py\n"}}).ok());
  EXPECT_FALSE(read_gpu_mode({{"task.yml", "lang: py\nfiles: [1]\n"}}).ok());
  EXPECT_FALSE(read_gpu_mode({{"other.txt", "nothing"}}).ok());
}

TEST(GpuMode, ResultsOfAnEvaluationAreNanoseconds) {
  const auto read = read_gpu_mode({{"out.txt",
                                    "benchmark-count: 2\nbenchmark.0.spec: rows: 4; columns: 127; seed: 1\n"
                                    "benchmark.0.runs: 100\nbenchmark.0.mean: 18500.0\nbenchmark.0.std: 10\n"
                                    "benchmark.0.err: 1\nbenchmark.0.best: 18000\nbenchmark.0.worst: 19000\n"
                                    "benchmark.1.spec: rows: 5\nbenchmark.1.status: fail\nbenchmark.1.error: wrong\n"
                                    "check: fail\n"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->results.size(), 2u);
  EXPECT_EQ(read->results[0].shape, "rows=4,columns=127");
  EXPECT_DOUBLE_EQ(*read->results[0].time.mean, 18.5);
  EXPECT_EQ(read->results[0].time.count, 100);
  EXPECT_EQ(read->results[0].status, Status::passed);
  EXPECT_EQ(read->results[1].status, Status::incorrect);
  EXPECT_EQ(read->results[1].message, "wrong");
}

TEST(RobustKbench, CasesAreAllCombinationsAndWhatIsSharedWins) {
  const auto read = read_robust_kbench(
      {{"softmax/config_forward.json",
        R"({"single_input_configs": [{"rows": 64}], "single_init_configs": [{"init_method": "random"}],
  "single_shared_configs": [{"columns": 256}], "multi_input_configs": [{"rows": 64, "columns": 1}, {"rows": 1}],
  "multi_init_configs": [{"init_method": "random"}, {"init_method": "standard"}], "multi_shared_configs": [{"columns": 256}, {"columns": 129}]})"},
       {"softmax/func_forward.py",
        "import torch\nclass Model(nn.Module):\n    def forward(self, x, fn=forward_fn): return fn(x)\n"
        "def get_inputs(rows: int = 64, columns: int = 256):\n    return [torch.randn(rows, columns)]\n"},
       {"softmax/eval_results/forward/a.json", R"({"summary": {"avg_mean_time": 1.0}, "device_info": {"name": "GPU X"},
  "eval_settings": {"case_0": {"mean_time": 0.5, "median_time": 0.4, "iqr_time": 0.01}}})"},
       {"softmax/filter_results.json", "{}"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->tasks.size(), 1u);
  const Task& task = read->tasks[0];
  EXPECT_EQ(task.name, "softmax");
  ASSERT_EQ(task.measured.size(), 1u);
  EXPECT_EQ(to_text(task.measured[0].dimensions), "columns=256,rows=64");
  EXPECT_EQ(task.tested.size(), 4u);  // the two inits differ in a word alone
  EXPECT_EQ(task.tensors[0].shape, (std::vector<std::string>{"rows", "columns"}));
  EXPECT_NE(lost_text(task.lost).find("init_method"), std::string::npos);
  EXPECT_NE(lost_text(task.lost).find("filter_results"), std::string::npos);
  ASSERT_EQ(read->results.size(), 1u);
  EXPECT_EQ(read->results[0].task, "softmax");
  EXPECT_DOUBLE_EQ(*read->results[0].time.median, 400);
  EXPECT_EQ(read->results[0].device, "GPU X");
  EXPECT_FALSE(read_robust_kbench({{"config_forward.json", R"({"multi_input_configs": [1]})"}}).ok());
  EXPECT_FALSE(read_robust_kbench({{"x.json", "{}"}}).ok());
}

constexpr const char* kT1 =
    R"({ "General": {"BenchmarkName": "rows", "OutputFormat": "JSON", "TimeUnit": "Microseconds"},
  "ConfigurationSpace": {
    "TuningParameters": [ {"Name": "BLOCK_M", "Type": "int", "Values": "[64, 128]", "Default": 64}, {"Name": "STAGES", "Type": "int", "Values": "[1, 2, 3]"},
                          {"Name": "LAYOUT", "Type": "string", "Values": "['a', 'b']"} ],
    "Conditions": [ {"Expression": "BLOCK_M * STAGES <= 256", "Parameters": ["BLOCK_M", "STAGES"]} ] },
  "Search": {"Name": "Bayesian"}, "Budget": [ {"Type": "ConfigurationCount", "BudgetValue": 50} ],
  "KernelSpecification": { "Language": "CUDA", "KernelName": "row_sum", "KernelFile": "row_sum.cu", "CompilerOptions": ["-std=c++17"], "GlobalSizeType": "CUDA",
    "GlobalSize": {"X": "8192 // BLOCK_M"}, "LocalSize": {"X": "BLOCK_M"},
    "Arguments": [ {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 1048576, "FillType": "Random", "FillValue": 1.0},
                   {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 8192, "FillType": "Constant", "FillValue": 0.0},
                   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 128} ],
    "ReferenceArguments": [ {"Name": "y_ref", "TargetName": "y", "FillType": "BinaryRaw", "DataSource": "y.bin", "ValidationMethod": "SideBySideRelativeComparison", "ValidationThreshold": 1e-4} ] } })";

TEST(T1, ValuesMayBeMadeByPythonOrBeAList) {
  std::string text = kT1;
  text.replace(text.find("\"[64, 128]\""), 11, "\"[32*i for i in range(2, 5)]\"");
  text.replace(text.find("\"[1, 2, 3]\""), 11, "[1, 2, 3]");
  const auto read = read_t1({{"rows.json", text}, {"row_sum.cu", "__global__ void row_sum() {}"}});
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const auto& tunables = read->tasks.at(0).kernel->tunables;
  using Values = std::vector<std::string>;
  EXPECT_EQ(tunables.at(0).second, (Values{"64", "96", "128"}));
  EXPECT_EQ(tunables.at(1).second, (Values{"1", "2", "3"}));
}

TEST(T1, AKernelComesWithItsSpaceAndLaunch) {
  const auto read = read_t1({{"rows.json", kT1}, {"row_sum.cu", "__global__ void row_sum() {}"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Task& task = read->tasks.at(0);
  EXPECT_EQ(task.name, "rows");
  ASSERT_TRUE(task.kernel);
  EXPECT_EQ(task.kernel->grid, std::vector<std::string>{"floor(8192/BLOCK_M)"});
  EXPECT_EQ(task.kernel->block, std::vector<std::string>{"BLOCK_M"});
  ASSERT_EQ(task.kernel->tunables.size(), 2u);
  EXPECT_EQ(task.kernel->tunables[1].second, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(task.kernel->constraints, std::vector<std::string>{"(BLOCK_M * STAGES) <= 256"});
  EXPECT_EQ(task.kernel->defaults.size(), 1u);
  EXPECT_TRUE(task.tensors.at(1).output);
  EXPECT_EQ(task.tensors.at(2).value, "128");
  EXPECT_EQ(task.rtol, 1e-4);
  const std::string all = lost_text(task.lost);
  for (const char* word : {"LAYOUT", "Search", "Budget", "y", "OutputFormat", "'Random'"})
    EXPECT_NE(all.find(word), std::string::npos) << word << "\n" << all;
  EXPECT_FALSE(read_t1({{"x.json", "{}"}}).ok());
  EXPECT_FALSE(read_t1({{"x.json", R"({"ConfigurationSpace": {}, "KernelSpecification": {}})"}}).ok());
  EXPECT_FALSE(read_t1({{"x.json",
                         R"j({"ConfigurationSpace": {"TuningParameters": [{"Name": "A", "Values": "__import__('os')"}]},
                         "KernelSpecification": {"KernelName": "k", "KernelFile": "k.cu"}})j"}})
                   .ok());
}

TEST(ReadForeign, FormatsAreToldByWhatFilesHold) {
  EXPECT_EQ(detect_format({{"a.json", kT1}}), "t1");
  EXPECT_EQ(detect_format({{"a.py", kModel}}), "kernelbench");
  EXPECT_EQ(detect_format({{"task.yml", kTaskYml}}), "gpumode");
  EXPECT_EQ(detect_format({{"a.json", R"({"name": "n", "axes": {}, "outputs": {}})"}}), "flashinfer");
  EXPECT_EQ(detect_format({{"a.json", R"({"name": "n", "axes": {"a": {"type": "expr"}}, "outputs": {}})"}}), "solexec");
  EXPECT_EQ(detect_format({{"a.csv", "Problem,Provider,OperationKind,Operation,Disposition,Status,Bytes\n"}}),
            "cutlass");
  EXPECT_EQ(detect_format({{"a.json", R"({"tune_params_keys": []})"}}), "kernel-tuner");
  EXPECT_EQ(detect_format({{"a.txt", "hello"}}), "");
  EXPECT_FALSE(read_foreign({{"a.txt", "hello"}}, "").ok());
  EXPECT_FALSE(read_foreign({{"a.txt", "hello"}}, "nonsense").ok());
  EXPECT_FALSE(read_foreign({}, "").ok());
  EXPECT_FALSE(write_foreign({}, "nonsense", "x").ok());
  for (const std::string& format : writable_formats()) EXPECT_TRUE(write_foreign({}, format, "x").ok()) << format;
}

}  // namespace
}  // namespace assay::formats
