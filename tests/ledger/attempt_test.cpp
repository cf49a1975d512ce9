// SPDX-License-Identifier: MIT
#include "ledger/attempt.hpp"

#include <cmath>
#include <limits>

#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

TEST(Attempt, kinds_have_names_and_names_have_kinds) {
  EXPECT_EQ(all_kinds().size(), 12u);
  for (const Kind kind : all_kinds()) EXPECT_EQ(kind_from_name(to_string(kind)), kind);
  EXPECT_EQ(kind_from_name("frobnicate"), std::nullopt);
  EXPECT_EQ(kind_from_name(""), std::nullopt);
}

TEST(Attempt, the_contract_hash_depends_on_content_not_on_order_or_spaces) {
  Attempt one = sample_attempt();
  Attempt same = sample_attempt();
  same.contract = "{ \"a\" : [1, 2],\n \"b\": 1 }";
  Attempt other = sample_attempt();
  other.contract = R"({"a":[2,1],"b":1})";
  EXPECT_EQ(completed(one)->contract_hash, completed(same)->contract_hash);
  EXPECT_NE(completed(one)->contract_hash, completed(other)->contract_hash);
  one.contract.clear();
  EXPECT_EQ(completed(one)->contract_hash, "");
}

TEST(Attempt, cost_is_the_rate_times_the_duration) {
  Attempt attempt = sample_attempt();
  EXPECT_DOUBLE_EQ(*completed(attempt)->cost, 3.6 * 2.5 / 3600);
  attempt.cost_per_hour.reset();
  EXPECT_EQ(completed(attempt)->cost, std::nullopt);
}

TEST(Attempt, without_a_time_it_is_now) {
  Attempt attempt = sample_attempt();
  EXPECT_EQ(completed(attempt)->time_us, 1'700'000'000'000'000);
  attempt.time_us = 0;
  const int64_t before = now_us();
  EXPECT_GE(completed(attempt)->time_us, before);
}

TEST(Attempt, what_cannot_be_stored_is_refused) {
  const auto refused = [](auto change) {
    Attempt attempt = sample_attempt();
    change(attempt);
    return !completed(attempt).ok();
  };
  EXPECT_FALSE(refused([](Attempt&) {}));
  EXPECT_TRUE(refused([](Attempt& a) { a.duration_s = -1; }));
  EXPECT_TRUE(refused([](Attempt& a) { a.duration_s = std::nan(""); }));
  EXPECT_TRUE(refused([](Attempt& a) { a.cost_per_hour = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](Attempt& a) { a.p50_us = -0.5; }));
  EXPECT_TRUE(refused([](Attempt& a) { a.contract = "[1]"; }));
  EXPECT_TRUE(refused([](Attempt& a) { a.details = "{\"a\":"; }));
  EXPECT_TRUE(refused([](Attempt& a) { a.kernel = std::string("a\0b", 3); }));
  EXPECT_TRUE(refused([](Attempt& a) { a.kernel = std::string((1 << 20) + 1, 'x'); }));
  EXPECT_FALSE(refused([](Attempt& a) { a.kernel = std::string(1 << 20, 'x'); }));
}

}  // namespace
}  // namespace assay::ledger
