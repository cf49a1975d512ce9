// SPDX-License-Identifier: MIT
// A project with a ledger that has something for every section of a report. The figures are made up by formulas and the
// same at every call; nothing here was measured.
#pragma once

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"

namespace assay::page {

inline constexpr const char* kHostileName = "</script><img src=x onerror=alert(1)>";

class ExampleLedger {
 public:
  // Fills the folder: kernels/example, kernels/broken and .assay/ledger.sqlite.
  explicit ExampleLedger(std::filesystem::path folder) : folder_(std::move(folder)), ledger_(open()) {
    write_sources();
    write_history();
    write_run();
    write_broken();
    write_suite();
    write_tunings();
    write_hostile();
  }

  std::filesystem::path file() const { return folder_ / ".assay/ledger.sqlite"; }

  int64_t first_measure = 0;
  int64_t last_measure = 0;
  int64_t first_profile = 0;
  int64_t last_profile = 0;
  int64_t run = 0;
  int64_t broken_run = 0;
  int64_t suite = 0;
  int64_t tuned = 0;
  int64_t many_tuned = 0;
  int64_t hostile = 0;
  int64_t hostile_tuned = 0;

 private:
  using json = nlohmann::json;
  using Attempt = ledger::Attempt;
  using Kind = ledger::Kind;

  static constexpr const char* kGpu = "NVIDIA H200";
  static constexpr int kLines = 1000;

  ledger::Ledger open() {
    std::filesystem::create_directories(folder_ / ".assay");
    std::filesystem::create_directories(folder_ / ".git");
    auto opened = ledger::Ledger::open(folder_ / ".assay/ledger.sqlite");
    if (!opened) throw std::runtime_error(to_string(opened.error()));
    return std::move(*opened);
  }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  void write_sources() {
    std::string source = "// An example.\n/* A comment\n   of three lines with </script> and <b>markup</b>\n*/\n";
    for (int line = 5; line <= kLines; ++line)
      source += line % 25 == 0 ? fmt::format("__global__ void step_{}(float* g_out) {{\n", line)
                               : fmt::format("  g_out[threadIdx.x + {0}] += {0}.5f * \"text\"[{1}];  // line {0}\n",
                                             line, line % 4);
    write("kernels/example/example.cu", source);
    write("kernels/example/kernel.toml", "[kernel]\nname = \"example\"\n");
    write("kernels/broken/broken.cu",
          "__global__ void stage_rows(const half* g_rows) {\n  __shared__ half s_rows[64 * 65];\n"
          "  // Rows of 65 halves: every eighth is aligned.\n  copy_16_bytes(&s_rows[65 * threadIdx.x], g_rows);\n}\n");
    write("kernels/broken/kernel.toml", "[kernel]\nname = \"broken\"\n");
    std::string ptx = ".version 8.0\n.visible .entry example_f16(\n\t.param .u64 example_f16_param_0\n)\n{\n";
    for (int line = 20; line < 60; ++line)
      ptx += fmt::format("\t.loc 1 {0} 3\n\tld.global.f32 \t%f{0}, [%rd{0}];\n\tfma.rn.f32 \t%f{0}, %f{0}, %f1, %f2;\n",
                         line);
    ptx += "\tret;\n}\n\t.file\t1 \"example.cu\"\n";
    write("kernels/example/ptx/example.sm_90.ptx", ptx);
  }

  Attempt draft(Kind kind, const std::string& kernel, const std::string& folder) {
    Attempt attempt;
    attempt.kind = kind;
    attempt.time_us = (now_ += 60'000'000);
    attempt.duration_s = 12.5;
    attempt.machine = "example-machine";
    attempt.assay = "0.2.0";
    attempt.kernel = kernel;
    attempt.specification = "kernels/" + folder + "/kernel.toml";
    attempt.configuration = "BLOCK=128,HELD=4";
    attempt.device = "vgpu:h200";
    attempt.seed = 1;
    attempt.source_hash = "5f6d7b15a6781431";
    attempt.cost_per_hour = 3.6;
    return attempt;
  }

  int64_t store(Attempt attempt, const json& details, const std::vector<ledger::Samples>& samples = {}) {
    attempt.details = details.dump();
    const auto id = ledger_.append(attempt, samples);
    if (!id) throw std::runtime_error(to_string(id.error()));
    return *id;
  }

  // A time that wanders a little, has two modes, and now and then a tail.
  static double time_at(double p50_us, size_t i) {
    const auto k = static_cast<double>(i);
    const double tail = i % 97 == 0 ? 0.06 : 0;
    return p50_us *
           (1 + 0.004 * std::sin(k / 40) + 0.003 * std::sin(k * 12.9898) + (i / 500 % 2 == 1 ? 0.006 : 0) + tail);
  }

  static ledger::Samples samples_of(const std::string& name, ledger::Role role, const std::string& shape, double p50_us,
                                    size_t count, bool with_clocks) {
    ledger::Samples samples;
    samples.contender = name;
    samples.role = role;
    samples.shape = shape;
    samples.protocol = "graph cold";
    for (size_t i = 0; i < count; ++i) {
      samples.times_us.push_back(time_at(p50_us, i));
      if (!with_clocks) continue;
      const bool throttled = i > count / 2 && i < count / 2 + count / 20;
      samples.clocks_mhz.push_back(throttled ? 1710 : 1980 - 15.0 * static_cast<double>(i / (count / 8 + 1) % 2));
      samples.throttle.push_back(throttled ? 4 : 0);
    }
    return samples;
  }

  static json contender(const std::string& name, double p50_us, double flops, double bytes, size_t count) {
    return {{"name", name},
            {"provider", "kernel"},
            {"variant", name + "_f16, 40 registers"},
            {"good", true},
            {"objection", ""},
            {"measured",
             {{"samples", count},
              {"p50_us", p50_us},
              {"p90_us", p50_us * 1.012},
              {"p99_us", p50_us * 1.06},
              {"mean_us", p50_us * 1.002},
              {"min_us", p50_us * 0.993},
              {"max_us", p50_us * 1.07},
              {"median_interval_us", {p50_us * 0.998, p50_us * 1.002}},
              {"tflops", flops / p50_us * 1e-6},
              {"gb_per_s", bytes / p50_us * 1e-3},
              {"throttled", 0.05}}}};
  }

  struct Rival {
    std::string name;
    double speed;  // the candidate's time over its own
  };

  int64_t measure(const std::string& kernel, const std::string& folder, const std::string& shape, double p50_us,
                  const std::vector<Rival>& rivals, size_t count, const std::string& source,
                  const std::string& commit) {
    const double rows = 4096;
    const double flops = 5 * rows * 4096;
    const double bytes = 2 * 2 * rows * 4096;
    Attempt attempt = draft(Kind::measure, kernel, folder);
    attempt.device = "cuda:0";
    attempt.shape = shape;
    attempt.dtype = "f16";
    attempt.verdict = "measured";
    attempt.correct = true;
    attempt.p50_us = p50_us;
    attempt.source_hash = source;
    attempt.comparable = "contract-1";
    attempt.contract = json{{"device.name", kGpu},        {"device.driver", "580.0"}, {"protocol.launch", "graph"},
                            {"protocol.cache", "cold"},   {"protocol.batch", "10"},   {"protocol.batches", "5"},
                            {"candidate.kernel", kernel}, {"problem.shape", shape}}
                           .dump();
    json contenders = json::array({contender(kernel, p50_us, flops, bytes, count)});
    std::vector<ledger::Samples> samples = {samples_of(kernel, ledger::Role::candidate, shape, p50_us, count, true)};
    for (const Rival& rival : rivals) {
      const double time = p50_us / rival.speed;
      json other = contender(rival.name, time, flops, bytes, count);
      const double ratio = p50_us / time;
      other["comparison"] = {{"verdict", ratio < 0.99   ? "FASTER"
                                         : ratio > 1.01 ? "SLOWER"
                                                        : "SAME"},
                             {"ratio", ratio},
                             {"interval", {ratio * 0.99, ratio * 1.01}},
                             {"reason", "by formula"}};
      contenders.push_back(std::move(other));
      samples.push_back(samples_of(rival.name, ledger::Role::baseline, shape, time, count, true));
    }
    json details = {{"shape", shape},           {"flops", flops},  {"bytes", bytes}, {"floor_us", bytes / 4800 * 1e-3},
                    {"contenders", contenders}, {"commit", commit}};
    return store(attempt, details, samples);
  }

  int64_t profile(double instructions, const std::string& source) {
    Attempt attempt = draft(Kind::profile, "example", "example");
    attempt.shape = "COLUMNS=4096,ROWS=4096,dtype=f16";
    attempt.verdict = "profiled";
    attempt.source_hash = source;
    json lines = json::array();
    for (int line = 20; line < 60; ++line) {
      const double count = std::floor(instructions / 40 * (1 + std::sin(line)));
      json counters = {{"ptx_instructions", count}};
      if (line % 3 == 0) counters["global_load_sectors"] = 8192 * (line % 5 + 1);
      if (line % 4 == 0) counters["shared_load_bank_conflicts"] = 128 * (line % 7);
      lines.push_back({{"file", "kernels/example/example.cu"},
                       {"line", line},
                       {"function", "example_f16"},
                       {"counters", counters}});
    }
    const json figures = {{{"name", "coalescing"},
                           {"value", 100.0},
                           {"unit", "%"},
                           {"want", ">= 80 %"},
                           {"judgement", "good"},
                           {"evidence", "counted"},
                           {"note", "524288 sectors moved"}},
                          {{"name", "bank conflicts"},
                           {"value", 12.5},
                           {"unit", "%"},
                           {"want", "<= 5 % of the wavefronts"},
                           {"judgement", "bad"},
                           {"evidence", "counted"},
                           {"note", "4096 of 32768 wavefronts"}},
                          {{"name", "spills"},
                           {"value", nullptr},
                           {"unit", "bytes"},
                           {"want", "0"},
                           {"judgement", ""},
                           {"evidence", "counted"},
                           {"note", "not known"}}};
    return store(attempt, {{"entry", "example_f16"},
                           {"ptx", (folder_ / "kernels/example/ptx/example.sm_90.ptx").string()},
                           {"counters",
                            {{"ptx_instructions", instructions},
                             {"global_load_sectors", 1048576},
                             {"global_store_sectors", 1048576},
                             {"global_read_bytes", 33554432},
                             {"shared_load_wavefronts", 32768},
                             {"shared_load_bank_conflicts", instructions > 5e6 ? 8192 : 4096},
                             {"barriers", 65536}}},
                           {"lines", lines},
                           {"figures", figures}});
  }

  // Four states of the source, each a little faster.
  void write_history() {
    const char* sources[] = {"1111111aaaa", "2222222bbbb", "3333333cccc", "5f6d7b15a678"};
    const char* commits[] = {"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
                             "2c3d4e5f60718293a4b5c6d7e8f9012345678901", "3d4e5f60718293a4b5c6d7e8f901234567890123"};
    for (size_t i = 0; i < 4; ++i) {
      const double p50 = 26.5 - 1.9 * static_cast<double>(i);
      const int64_t id = measure("example", "example", "COLUMNS=4096,ROWS=4096,dtype=f16", p50,
                                 {{"torch", p50 / 26.0}, {"torch.compile", p50 / 20.9}}, 400, sources[i], commits[i]);
      if (i == 0) first_measure = id;
    }
    first_profile = profile(5.6e6, sources[0]);
  }

  void write_run() {
    Attempt build = draft(Kind::build, "example", "example");
    build.configuration = "1 artifact";
    build.device = "";
    build.verdict = "good";
    store(build, {{"results",
                   {{{"configuration", "BLOCK=128,HELD=4"},
                     {"target", "sm_90"},
                     {"resources",
                      {{{"entry", "example_f16"},
                        {"registers", 40},
                        {"static_shared_bytes", 16},
                        {"spill_load_bytes", 0},
                        {"spill_store_bytes", 0}}}}}}},
                  {"fits",
                   {{{"configuration", "BLOCK=128,HELD=4"},
                     {"entry", "example_f16"},
                     {"threads", 128},
                     {"dynamic_shared_bytes", 4096}}}}});
    Attempt sanitize = draft(Kind::sanitize, "example", "example");
    sanitize.verdict = "clean";
    store(sanitize, {{"case_count", 6}, {"findings", json::array()}, {"verdict", "clean"}});
    Attempt check = draft(Kind::check, "example", "example");
    check.verdict = "correct";
    check.correct = true;
    store(check, {{"case_count", 87}, {"verdict", "correct"}});
    last_measure = measure("example", "example", "COLUMNS=4096,ROWS=4096,dtype=f16", 20.1,
                           {{"torch", 20.1 / 26.0}, {"torch.compile", 20.1 / 20.9}}, 400, "5f6d7b15a678",
                           "3d4e5f60718293a4b5c6d7e8f901234567890123");
    measure("example", "example", "COLUMNS=256,ROWS=65536,dtype=f16", 19.4,
            {{"torch", 19.4 / 24.0}, {"torch.compile", 19.4 / 15.3}}, 17000, "5f6d7b15a678",
            "3d4e5f60718293a4b5c6d7e8f901234567890123");
    last_profile = profile(5.0e6, "5f6d7b15a678");
    Attempt estimate = draft(Kind::profile, "example", "example");
    estimate.shape = "COLUMNS=4096,ROWS=4096,dtype=f16";
    estimate.verdict = "estimated";
    store(estimate, {{"estimate",
                      {{"time_us", 18.7},
                       {"low_us", 15.9},
                       {"high_us", 22.0},
                       {"lower_bound_us", 14.0},
                       {"limiter", "DRAM"},
                       {"flops", 5.0 * 4096 * 4096},
                       {"dram_bytes", 68e6},
                       {"l2_bytes", 75e6},
                       {"resources",
                        {{{"name", "DRAM"}, {"time_us", 15.8}, {"share", 0.85}},
                         {{"name", "issue slots"}, {"time_us", 9.1}, {"share", 0.49}}}}}}});
    Attempt inversion = draft(Kind::profile, "example", "example");
    inversion.shape = "COLUMNS=4096,ROWS=4096,dtype=f16";
    inversion.verdict = "inverted";
    const auto resource = [](const char* name, const char* verdict, double gain, double cost, const char* remedy) {
      return json{{"name", name},
                  {"verdict", verdict},
                  {"gain_if_free", gain},
                  {"cost_per_dose", cost},
                  {"slack_doses", gain > 0.05 ? 0 : 4},
                  {"remedy", remedy},
                  {"sites", {"example.cu:21"}}};
    };
    store(inversion,
          {{"shape", "COLUMNS=4096,ROWS=4096,dtype=f16"},
           {"time_us", 18.7},
           {"measured", false},
           {"sentence", "Reads of global memory limit example: without them 71 % of the time would go (estimated)."},
           {"resources",
            {resource("reads of global memory", "bottleneck", 0.71, 0.42, "read each byte once"),
             resource("special functions", "hidden", 0.0, 0.12, "nothing, before the reads are mended"),
             resource("barriers", "slack", 0.0, 0.0, "nothing")}}});
    Attempt tuning = draft(Kind::tune, "example", "example");
    tuning.verdict = "tuned";
    json evaluated = json::array();
    for (int i = 0; i < 40; ++i) {
      const std::string configuration =
          "BLOCK=" + std::to_string(32 * (i % 10 + 1)) + ",HELD=" + std::to_string(i / 10 + 1);
      if (i % 9 == 4) {
        evaluated.push_back({{"configuration", configuration}, {"value", nullptr}, {"failure", "compile"}});
      } else {
        evaluated.push_back({{"configuration", configuration},
                             {"value", 0.0201 * (1 + 0.9 * ((i * 37 + 17) % 40) / 40.0)},
                             {"failure", ""}});
      }
    }
    store(tuning, {{"answer", "BLOCK=320,HELD=2"},
                   {"tie_group", {"BLOCK=320,HELD=2"}},
                   {"quantity", "measured time"},
                   {"unit", "ms"},
                   {"configurations", 160},
                   {"evaluated", std::move(evaluated)}});
    Attempt all = draft(Kind::run, "example", "example");
    all.verdict = "good";
    all.duration_s = 60 * 7 + 30;
    all.time_us = now_ - 450'000'000;
    run = store(
        all,
        {{"steps",
          {{{"name", "build"}, {"verdict", "good"}, {"summary", "1 of 1 artifacts"}, {"host_seconds", 5.2}},
           {{"name", "sanitize"}, {"verdict", "good"}, {"summary", "no finding in 6 shapes"}, {"host_seconds", 2.3}},
           {{"name", "check"},
            {"verdict", "good"},
            {"summary", "agrees with the float64 reference in 87 cases"},
            {"host_seconds", 12.6}},
           {{"name", "bench"}, {"verdict", "good"}, {"summary", "2 shapes"}, {"host_seconds", 30.1}}}}});
  }

  void write_broken() {
    Attempt sanitize = draft(Kind::sanitize, "broken", "broken");
    sanitize.verdict = "failed";
    sanitize.exit_code = 5;
    store(sanitize, {{"findings",
                      {{{"kind", "misaligned"},
                        {"message",
                         "misaligned asynchronous copy of 16 bytes in shared memory: address 0x82 is 2 bytes past a "
                         "multiple of 16"},
                        {"file", "kernels/broken/broken.cu"},
                        {"line", 4},
                        {"column", 3},
                        {"instruction", "cp.async.cg.shared.global [%r6], [%rd3], 16;"},
                        {"shape", "D=64,ROWS=2"},
                        {"block", {0, 0, 0}},
                        {"thread", {1, 0, 0}},
                        {"count", 4488},
                        {"thread_count", 56},
                        {"allocation", "at byte 130 of shared variable 's_rows' of 8320 bytes"}}}},
                     {"verdict", "failed"}});
    Attempt all = draft(Kind::run, "broken", "broken");
    all.verdict = "failed";
    all.exit_code = 5;
    all.duration_s = 120;
    all.time_us = now_ - 120'000'000;
    broken_run =
        store(all, {{"steps",
                     {{{"name", "build"}, {"verdict", "good"}, {"summary", "1 of 1 artifacts"}, {"host_seconds", 1.0}},
                      {{"name", "sanitize"},
                       {"verdict", "failed"},
                       {"summary", "misaligned asynchronous copy"},
                       {"host_seconds", 0.1}},
                      {{"name", "check"},
                       {"verdict", "skipped"},
                       {"summary", "an earlier step failed"},
                       {"host_seconds", 0.0}}}}});
  }

  void write_suite() {
    std::vector<ledger::WorkItem> items;
    for (int columns = 128; columns <= 8192; columns *= 2) {
      const double p50 = 4 + columns * 0.004;
      const std::string shape = fmt::format("COLUMNS={},ROWS=4096,dtype=f16", columns);
      const int64_t id =
          measure("row_sum", "example", shape, p50, {{"torch", 0.8 + columns * 0.00004}}, 200, "77777777", "");
      items.push_back({fmt::format("item {}", columns), id, true});
    }
    if (const auto stored = ledger_.set_work_items("example-suite", items); !stored)
      throw std::runtime_error("work items");
    Attempt all = draft(Kind::suite, "", "");
    all.specification = "suites/example.toml";
    all.configuration = "";
    all.device = "cuda:0";
    all.verdict = "good";
    suite = store(all, {{"suite", "rows"},
                        {"work", "example-suite"},
                        {"summary",
                         {{"measured", 7}, {"rejected", 0}, {"failed", 0}, {"skipped", 1}, {"means", json::array()}}}});
  }

  static std::string tunables(int i) {
    const char* layouts[] = {"row_major", "column_major_with_padding", "swizzle128"};
    return fmt::format("BLOCK_M={},BLOCK_N={},LAYOUT={},STAGES={},USE_TMA={}", 32 << i % 3, 64 << i / 3 % 3,
                       layouts[i / 9 % 3], 2 + i / 27 % 3, i / 81 % 2 == 0 ? "true" : "false");
  }

  // All of a space of five tunables: BLOCK_M and STAGES decide together, the layout a little.
  void write_tunings() {
    json evaluated = json::array();
    for (int i = 0; i < 162; ++i) {
      const int rows = i % 3;
      const int stages = i / 27 % 3;
      json entry = {{"configuration", tunables(i)}, {"value", nullptr}, {"failure", ""}};
      if (rows == 2 && stages == 2) {
        entry["failure"] = "does_not_fit";
        entry["message"] = "294912 bytes of shared memory, and a block of sm_90 has at most 232448";
      } else if (i % 23 == 7) {
        entry["failure"] = "compile";
        entry["message"] = "error: static assertion failed with \"BLOCK_N <= 128\"";
      } else {
        entry["value"] = 0.4 * (1 + 0.5 * std::abs(rows - stages) + 0.07 * (i / 9 % 3) + 0.001 * (i % 7));
      }
      evaluated.push_back(std::move(entry));
    }
    tuned = store_tuning("tuned", std::move(evaluated), {tunables(0), tunables(28)});
    json many = json::array();
    for (int i = 0; i < 5000; ++i) {
      std::string configuration;
      double cost = 1;
      int rest = i * 389 + 17;  // a different one of 1,555,200 for each
      for (int k = 0; k < 10; ++k) {
        const int values = 3 + k % 4;
        const int value = rest % values;
        rest /= values;
        configuration += fmt::format("{}TUNABLE_{}={}", k == 0 ? "" : ",", k, 1 << value);
        cost += 0.3 / (k + 1) * value;
      }
      const bool fails = i % 11 == 3;
      many.push_back({{"configuration", configuration},
                      {"value", fails ? json(nullptr) : json(cost * (1 + 0.0001 * (i % 97)))},
                      {"failure", fails ? (i % 2 == 0 ? "incorrect" : "timeout") : ""}});
    }
    many_tuned = store_tuning("many_tuned", std::move(many), {});
  }

  int64_t store_tuning(const std::string& kernel, json evaluated, const std::vector<std::string>& ties) {
    Attempt tuning = draft(Kind::tune, kernel, "example");
    tuning.verdict = "tuned";
    const size_t count = evaluated.size();
    return store(tuning, {{"answer", ties.empty() ? "" : ties.front()},
                          {"tie_group", ties},
                          {"quantity", "measured time"},
                          {"unit", "ms"},
                          {"configurations", count},
                          {"evaluated", std::move(evaluated)}});
  }

  void write_hostile() {
    json evaluated = json::array();
    for (int i = 0; i < 12; ++i)
      evaluated.push_back(
          {{"configuration", fmt::format("<b>BOLD</b>={},A_NAME_THAT_IS_LONGER_THAN_ANY_COLUMN_OF_A_MAP_COULD_"
                                         "EVER_BE=<script>alert({})</script>,Q=\"'\xE2\x80\xAE&amp;{}",
                                         i % 3, i / 3, i % 2)},
           {"value", i == 5 ? json(nullptr) : json(1.5 + 0.1 * i)},
           {"failure", i == 5 ? "<img src=x onerror=alert(5)>" : ""},
           {"message", i == 5 ? "</title><svg onload=alert(6)>" : ""}});
    hostile_tuned = store_tuning("<i>odd</i>", std::move(evaluated), {});

    Attempt check = draft(Kind::check, kHostileName, "hostile");
    check.device = "\"><svg onload=alert(2)>";
    check.configuration = "A='\"&<b>=1\xE2\x80\xAE";
    check.verdict = "<i>correct</i>";
    check.correct = true;
    store(check, {{"case_count", 3}});
    hostile = measure(kHostileName, "hostile", "N=<script>alert(3)</script>", 9.5, {{"<b>rival</b> | `x`", 0.9}}, 150,
                      "<a href=javascript:alert(4)>", "");
  }

  std::filesystem::path folder_;
  int64_t now_ = 1'790'000'000'000'000;
  ledger::Ledger ledger_;
};

}  // namespace assay::page
