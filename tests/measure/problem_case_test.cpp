// SPDX-License-Identifier: MIT
#include "measure/problem_case.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake_contender.hpp"

namespace assay::measure {
namespace {

using nlohmann::json;

TEST(ProblemCase, knows_its_tensors_and_its_work) {
  const ProblemFolder folder(row_sum_toml("flops = \"ROWS*COLUMNS\"\nbytes = \"4*ROWS*(COLUMNS + 1)\"\n"));
  const ProblemCase& problem = folder.problem();
  ASSERT_EQ(problem.inputs().size(), 1u);
  EXPECT_EQ(problem.inputs()[0]->name, "x");
  ASSERT_EQ(problem.outputs().size(), 1u);
  EXPECT_EQ(problem.outputs()[0]->name, "y");
  EXPECT_EQ(problem.bytes(), 8u * 12 * 4 + 8 * 4);
  EXPECT_EQ(problem.work.flops, 96);
  EXPECT_EQ(problem.work.bytes, 416);
  EXPECT_EQ(problem.work.output_bytes, 32);
  EXPECT_FALSE(problem.work.eight_bit);
}

TEST(ProblemCase, does_not_invent_work) {
  const ProblemFolder folder;
  EXPECT_EQ(folder.problem().work.flops, std::nullopt);
  EXPECT_EQ(folder.problem().work.bytes, std::nullopt);
}

TEST(ProblemCase, counts_an_inout_tensor_as_both) {
  std::string toml = row_sum_toml();
  toml.replace(toml.find("output = true"), 13, "inout = true");
  const ProblemFolder folder(toml);
  EXPECT_EQ(folder.problem().inputs().size(), 2u);
  EXPECT_EQ(folder.problem().outputs().size(), 1u);
  const json request = prepare_request(folder.problem(), Protocol(), TimingFiles());
  EXPECT_EQ(request["arguments"][1]["role"], "inout");
}

TEST(ProblemCase, sees_operands_of_eight_bits) {
  std::string toml = row_sum_toml();
  toml.replace(toml.find("\"f32\""), 5, "\"e4m3\"");
  EXPECT_TRUE(ProblemFolder(toml).problem().work.eight_bit);
}

TEST(PrepareRequest, says_what_the_protocol_promises) {
  const ProblemFolder folder(row_sum_toml("[problem.options]\nmode = \"plain\"\ncount = 3\n"));
  Protocol protocol;
  protocol.delay_cycles = 500;
  protocol.placement = 3;
  const json request = prepare_request(folder.problem(), protocol, {"/there/instruments.ptx", 1000});
  EXPECT_EQ(request["problem"]["reference"], "row_reduction");
  EXPECT_EQ(request["problem"]["options"], (json{{"mode", "plain"}, {"count", 3}}));
  EXPECT_EQ(request["dims"], (json{{"ROWS", 8}, {"COLUMNS", 12}}));
  ASSERT_EQ(request["arguments"].size(), 3u);
  EXPECT_EQ(request["arguments"][0], (json{{"name", "x"},
                                           {"role", "input"},
                                           {"dtype", "f32"},
                                           {"shape", {8, 12}},
                                           {"strides", {12, 1}},
                                           {"bytes", 384}}));
  EXPECT_EQ(request["arguments"][1]["role"], "output");
  EXPECT_EQ(request["arguments"][2],
            (json{{"name", "COLUMNS"}, {"role", "scalar"}, {"dtype", "i32"}, {"value", 12.0}}));
  EXPECT_EQ(request["timing"],
            (json{{"protocol", "graph"},
                  {"cache", "warm"},
                  {"flush_bytes", 0},
                  {"calls", 20},
                  {"delay_cycles", 500},
                  {"placement", 3},
                  {"gate", {{"cycles", 250000}, {"growth", 4}, {"most_cycles", 400000000}, {"calls", 1}}},
                  {"warm_up_calls", 2},
                  {"instruments", "/there/instruments.ptx"}}));
  protocol.cache = Cache::cold;
  protocol.launch = Launch::event;
  const json cold = prepare_request(folder.problem(), protocol, {"/there/instruments.ptx", 1000});
  EXPECT_EQ(cold["timing"]["flush_bytes"], 1000);
  EXPECT_EQ(cold["timing"]["protocol"], "event");
}

}  // namespace
}  // namespace assay::measure
