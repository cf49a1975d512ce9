// SPDX-License-Identifier: MIT
#include "measure/measurement_json.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace assay::measure {
namespace {

CaseMeasurement example() {
  CaseMeasurement measured;
  measured.shape = "N=24";
  measured.work = {1e9, std::nullopt, 96, true};
  measured.floor = {1.0 / 3, 0.1, 0.2};
  measured.contract.set("device.name", "NVIDIA H200");
  measured.seed = std::numeric_limits<uint64_t>::max();
  measured.order_seed = 7;
  ContenderResult good;
  good.name = "candidate";
  good.provider = "kernel";
  good.variant = "copy<<<1, 32>>>";
  good.versions = {{"cuda_driver", "13.0"}};
  good.guards.pass(GuardKind::poison);
  good.guards.unavailable(GuardKind::gate, "the provider does not say");
  good.accuracy = {1e-7, 1e-8, 1e-5, 1};
  good.verified_sets = 4;
  good.ungated = 3;
  good.batches = {{{20.1, 1.0 / 3}, {false, true}, 1980, 0}, {{20.2}, {false}, std::nullopt, 1}};
  good.throughput = {19.5};
  good.time_us = stats::Summary{3, 1, 2, 3, 4, 5, 6, 7, 8};
  good.median_interval = {19, 21};
  good.kernels = {{"copy", -1, 19.25}};
  good.requests = {{"prepare", {6, 4.25}}, {"prepare: compile", {6, 3.5}}};
  good.device_bytes = uint64_t{1} << 40;
  ContenderResult bad;
  bad.name = "rival";
  bad.failure = Error{"it crashed", Place{"kernel.toml", 3, 4}, "look there", ExitCode::environment};
  bad.guards.fail(GuardKind::answer_id, "another id");
  bad.deterministic = false;
  bad.accuracy.error = std::nan("");
  measured.contenders = {good, bad};
  measured.stopped_because = "the time budget";
  measured.seconds = 1.25;
  measured.steps = {{"sampling", 0.5}};
  return measured;
}

TEST(MeasurementJson, loses_nothing) {
  const nlohmann::json first = to_json(example());
  const auto read = measurement_from_json(nlohmann::json::parse(first.dump()));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(to_json(*read), first);
  EXPECT_EQ(read->contenders[0].batches, example().contenders[0].batches) << "to the last bit";
  EXPECT_EQ(read->contenders[0].time_us, example().contenders[0].time_us);
  EXPECT_EQ(read->contenders[0].objection(), example().contenders[0].objection());
  EXPECT_EQ(read->contenders[1].objection(), "it crashed");
  EXPECT_TRUE(std::isnan(read->contenders[1].accuracy.error));
  EXPECT_EQ(read->contenders[0].requests.at("prepare: compile").count, 6u);
  EXPECT_EQ(read->contenders[0].device_bytes, uint64_t{1} << 40);
  EXPECT_EQ(read->contenders[1].device_bytes, std::nullopt);
  EXPECT_EQ(read->contract, example().contract);
  EXPECT_EQ(read->seed, example().seed);
}

TEST(MeasurementJson, refuses_what_is_damaged) {
  const nlohmann::json whole = to_json(example());
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json damaged = whole;
    damaged.erase(key);
    EXPECT_FALSE(measurement_from_json(damaged).ok()) << key;
    damaged[key] = key == "seed" ? nlohmann::json("x") : nlohmann::json(-1.5);
    EXPECT_FALSE(measurement_from_json(damaged).ok() && key != "seconds") << key;
  }
  nlohmann::json older = whole;  // from before requests were counted
  older["contenders"][0].erase("requests");
  EXPECT_TRUE(measurement_from_json(older).ok());
  older["contenders"][0]["requests"] = {{"prepare", 3}};
  EXPECT_FALSE(measurement_from_json(older).ok());
  nlohmann::json unknown = whole;
  unknown["contenders"][0]["guards"][0]["guard"] = "nonsense";
  EXPECT_FALSE(measurement_from_json(unknown).ok());
  for (const char* text : {"null", "[]", "{}", "3"})
    EXPECT_FALSE(measurement_from_json(nlohmann::json::parse(text)).ok());
}

}  // namespace
}  // namespace assay::measure
