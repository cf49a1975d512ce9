// SPDX-License-Identifier: MIT
#include "measure/bench.hpp"

#include <gtest/gtest.h>

#include "fake_contender.hpp"

namespace assay::measure {
namespace {

class BenchTest : public testing::Test {
 protected:
  void SetUp() override { ASSAY_NEEDS_PYTHON(); }

  BenchTest() : folder_(toml()) {
    request_.spec = &folder_.spec();
    request_.configuration = *spec::default_configuration(folder_.spec());
    request_.shapes = *spec::shapes(folder_.spec(), "canonical");
    request_.contenders = {fake_contender("candidate")};
    request_.sampling.plan.batches = 2;
    request_.sampling.plan.first = request_.sampling.plan.most = 1;
    request_.protocol.throughput_replays = 2;
    request_.protocol.calls = 5;
    request_.cache_folder = folder_.folder().path() / "cache";
    request_.contract.set("device.name", "none");
  }
  static std::string toml() {
    std::string text = row_sum_toml();
    return text.replace(text.find("[{ ROWS = 8, COLUMNS = 12 }]"), 28,
                        "[{ ROWS = 8, COLUMNS = 12 }, { ROWS = 2, COLUMNS = 3 }]");
  }

  ProblemFolder folder_;
  BenchRequest request_;
};

TEST_F(BenchTest, measures_every_shape_under_its_own_contract) {
  std::vector<CaseMeasurement> cases;
  request_.on_case = [&](CaseMeasurement measured) -> Result<void> {
    cases.push_back(std::move(measured));
    return {};
  };
  const auto done = bench(request_);
  ASSERT_TRUE(done.ok()) << to_string(done.error());
  ASSERT_EQ(cases.size(), 2u);
  const CaseMeasurement& first = cases[0];
  const CaseMeasurement& second = cases[1];
  EXPECT_EQ(first.shape, "COLUMNS=12,ROWS=8");
  EXPECT_EQ(second.shape, "COLUMNS=3,ROWS=2");
  EXPECT_TRUE(first.candidate().timed() && second.candidate().timed());
  EXPECT_NE(first.seed, second.seed);
  EXPECT_NE(first.order_seed, second.order_seed) << "of the system";
  const std::map<std::string, std::string> fields{{"device.name", "none"},
                                                  {"protocol.launch", "graph"},
                                                  {"protocol.cache", "warm"},
                                                  {"protocol.sets", "4"},
                                                  {"protocol.batch", "10"},
                                                  {"protocol.batches", "2"},
                                                  {"protocol.delay_cycles", "0"},
                                                  {"problem.reference", "row_reduction"},
                                                  {"problem.shape", "COLUMNS=12,ROWS=8"},
                                                  {"candidate.kernel", "sum"},
                                                  {"candidate.configuration", "default"},
                                                  {"library.fake", "1.0"},
                                                  {"seed", std::to_string(first.seed)},
                                                  {"order_seed", std::to_string(first.order_seed)}};
  for (const auto& [field, value] : fields) EXPECT_EQ(first.contract.value(field), value) << field;
  EXPECT_EQ(differences(first.contract, second.contract),
            std::vector<std::string>{"problem.shape: COLUMNS=12,ROWS=8 against COLUMNS=3,ROWS=2"});
}

TEST_F(BenchTest, ends_where_a_case_cannot_be_kept) {
  size_t told = 0;
  request_.on_case = [&](const CaseMeasurement&) -> Result<void> {
    ++told;
    return Error{"the disk is full"};
  };
  const auto done = bench(request_);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "the disk is full");
  EXPECT_EQ(told, 1u);
}

TEST_F(BenchTest, starts_as_many_processes_at_once_as_there_are_cores_and_memory) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  request_.sampling.plan.first = 6;
  request_.contenders = {fake_contender("candidate"), fake_contender("baseline")};
  request_.model.memory_bytes = int64_t{141} << 30;
  EXPECT_EQ(processes_at_once(request_, kMiB, 4, 16), 6u) << "the plan needs no more before it looks";
  EXPECT_EQ(processes_at_once(request_, kMiB, 4, 8), 4u) << "a core for each";
  EXPECT_EQ(processes_at_once(request_, kMiB, 4, 2), 1u);
  EXPECT_EQ(processes_at_once(request_, 1024 * kMiB, 4, 16), 2u) << "16 GiB each, beside a context";
  request_.model.memory_bytes = int64_t{8} << 30;
  EXPECT_EQ(processes_at_once(request_, kMiB, 4, 16), 2u);
  request_.model.memory_bytes = 0;
  EXPECT_EQ(processes_at_once(request_, kMiB, 4, 16), 1u) << "nothing is known of this GPU";
}

}  // namespace
}  // namespace assay::measure
