// SPDX-License-Identifier: MIT
#include "ledger/ledger.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

class LedgerTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "ledger.sqlite"; }
  void change(const std::string& sql) {  // behind the ledger's back
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(sql);
  }

  TemporaryFolder folder_;
};

std::vector<int64_t> ids(const std::vector<Attempt>& attempts) {
  std::vector<int64_t> list;
  for (const Attempt& attempt : attempts) list.push_back(attempt.id);
  return list;
}

TEST_F(LedgerTest, an_attempt_comes_back_as_it_was) {
  Ledger ledger = opened(file());
  const auto id = ledger.append(sample_attempt());
  ASSERT_TRUE(id.ok()) << to_string(id.error());
  Attempt expected = *completed(sample_attempt());
  expected.id = *id;
  const auto found = ledger.attempt(*id);
  ASSERT_TRUE(found.ok()) << to_string(found.error());
  EXPECT_EQ(*found, expected);
  EXPECT_EQ(found->seed, 0xffff'ffff'ffff'fff0u);
}

TEST_F(LedgerTest, what_is_not_known_stays_unknown) {
  Ledger ledger = opened(file());
  Attempt attempt;
  const auto id = ledger.append(attempt);
  ASSERT_TRUE(id.ok());
  const Attempt found = *ledger.attempt(*id);
  EXPECT_EQ(found.correct, std::nullopt);
  EXPECT_EQ(found.cost, std::nullopt);
  EXPECT_EQ(found.p50_us, std::nullopt);
  EXPECT_EQ(found.contract, "");
  EXPECT_EQ(found.machine, this_machine().id);
}

TEST_F(LedgerTest, machines_are_remembered_once) {
  Ledger ledger = opened(file());
  Attempt here = sample_attempt();
  here.machine.clear();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(ledger.append(here).ok());
    ASSERT_TRUE(ledger.append(sample_attempt()).ok());
  }
  const auto machines = ledger.machines();
  ASSERT_TRUE(machines.ok());
  ASSERT_EQ(machines->size(), 2u);
  EXPECT_EQ((*machines)[0], this_machine());
  EXPECT_EQ((*machines)[1].id, "some-machine");
}

TEST_F(LedgerTest, samples_come_back_as_they_were_with_their_median) {
  Ledger ledger = opened(file());
  Samples candidate = sample_times("S=1", {3, 1, 2});
  candidate.clocks_mhz = {1980, 1975, 1980};
  candidate.throttle = {0, 4, 0};
  const Samples baseline = sample_times("S=1", {5, 6}, Role::baseline);
  Samples later = sample_times("S=2", {9});
  later.p50_us = 8.5;
  const auto id = ledger.append(sample_attempt("softmax", Kind::measure), std::vector{candidate, baseline, later});
  ASSERT_TRUE(id.ok());
  const auto found = ledger.samples(*id);
  ASSERT_TRUE(found.ok()) << to_string(found.error());
  ASSERT_EQ(found->size(), 3u);
  candidate.p50_us = 2;
  EXPECT_EQ((*found)[0], candidate);
  EXPECT_EQ((*found)[1].role, Role::baseline);
  EXPECT_EQ((*found)[1].p50_us, 5.5);
  EXPECT_EQ((*found)[2], later);
}

TEST_F(LedgerTest, an_attempt_and_its_samples_are_stored_together_or_not_at_all) {
  Ledger ledger = opened(file());
  EXPECT_FALSE(ledger.append(sample_attempt(), std::vector{sample_times("S=1", {1}), sample_times("S=2", {})}).ok());
  EXPECT_TRUE(ledger.attempts()->empty());
  EXPECT_FALSE(ledger.attempt(99).ok());
}

TEST_F(LedgerTest, filters) {
  Ledger ledger = opened(file());
  Attempt first = sample_attempt("softmax", Kind::build);
  Attempt second = sample_attempt("soft[1]", Kind::check);
  second.verdict = "FASTER";
  second.time_us += 1000;
  Attempt third = sample_attempt("gemm", Kind::check);
  third.device = "cuda:0 NVIDIA H200";
  third.time_us += 2000;
  for (const Attempt& attempt : {first, second, third}) ASSERT_TRUE(ledger.append(attempt).ok());
  const auto found = [&](auto change) {
    Filter filter;
    change(filter);
    return ids(*ledger.attempts(filter));
  };
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(found([](Filter&) {}), (Ids{3, 2, 1}));
  EXPECT_EQ(found([](Filter& f) { f.oldest_first = true; }), (Ids{1, 2, 3}));
  EXPECT_EQ(found([](Filter& f) { f.limit = 2; }), (Ids{3, 2}));
  EXPECT_EQ(found([](Filter& f) { f.limit = 2, f.oldest_first = true; }), (Ids{2, 3}));
  EXPECT_EQ(found([](Filter& f) { f.kind = Kind::check; }), (Ids{3, 2}));
  EXPECT_EQ(found([](Filter& f) { f.kernel = "softmax"; }), (Ids{1}));
  EXPECT_EQ(found([](Filter& f) { f.kernel = "soft"; }), (Ids{}));
  EXPECT_EQ(found([](Filter& f) { f.kernel = "soft*"; }), (Ids{2, 1}));
  EXPECT_EQ(found([](Filter& f) { f.kernel = "soft[1]"; }), (Ids{2}));
  EXPECT_EQ(found([](Filter& f) { f.kernel = "' OR 1=1 --"; }), (Ids{}));
  EXPECT_EQ(found([](Filter& f) { f.verdict = "faster"; }), (Ids{2}));
  EXPECT_EQ(found([](Filter& f) { f.device = "cuda:*"; }), (Ids{3}));
  EXPECT_EQ(found([&](Filter& f) { f.since_us = first.time_us + 1000; }), (Ids{3, 2}));
  EXPECT_EQ(found([](Filter& f) { f.kind = Kind::check, f.device = "vgpu:l4"; }), (Ids{2}));
}

TEST_F(LedgerTest, numbers_of_attempts_are_never_used_twice) {
  {
    ASSERT_TRUE(opened(file()).append(sample_attempt()).ok());
  }
  change("DELETE FROM attempts");
  EXPECT_EQ(*opened(file()).append(sample_attempt()), 2);
}

TEST_F(LedgerTest, the_leaderboard_has_the_best_correct_measurement_of_each_contract) {
  Ledger ledger = opened(file());
  const auto measure = [&](double p50, auto change) {
    Attempt attempt = sample_attempt("softmax", Kind::measure);
    Samples samples = sample_times("S=1", {p50});
    change(attempt, samples);
    const auto id = ledger.append(attempt, std::vector{samples});
    EXPECT_TRUE(id.ok());
  };
  measure(10, [](Attempt&, Samples&) {});
  measure(8, [](Attempt& a, Samples& s) {
    a.source_hash = "best";
    a.configuration = "BLOCK=64";
    s.configuration = "";
  });
  measure(9, [](Attempt&, Samples&) {});
  measure(1, [](Attempt& a, Samples&) { a.correct = false; });
  measure(2, [](Attempt& a, Samples&) { a.correct.reset(); });
  measure(3, [](Attempt&, Samples& s) { s.role = Role::baseline; });
  measure(4, [](Attempt& a, Samples&) { a.comparable = "protocol-2"; });
  measure(5, [](Attempt&, Samples& s) {
    s.shape = "S=2";
    s.configuration = "BLOCK=128";
  });
  measure(6, [](Attempt& a, Samples&) { a.kernel = "other"; });
  measure(7, [](Attempt&, Samples& s) { s.dtype = "bf16"; });
  const auto rows = ledger.leaderboard();
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  EXPECT_EQ(rows->size(), 5u);
  const auto best = std::find_if(rows->begin(), rows->end(), [](const LeaderboardRow& row) {
    return row.kernel == "softmax" && row.shape == "S=1" && row.dtype == "f16" && row.comparable == "protocol-1";
  });
  ASSERT_NE(best, rows->end());
  EXPECT_EQ(best->p50_us, 8);
  EXPECT_EQ(best->attempt, 2);
  EXPECT_EQ(best->source_hash, "best");
  EXPECT_EQ(best->configuration, "BLOCK=64") << "of the attempt, whose samples name none";
  EXPECT_TRUE(std::ranges::any_of(
      *rows, [](const LeaderboardRow& row) { return row.shape == "S=2" && row.configuration == "BLOCK=128"; }));
  Filter filter;
  filter.kernel = "other";
  EXPECT_EQ(ledger.leaderboard(filter)->size(), 1u);
}

// Even one that somebody wrote into the file as correct.
TEST_F(LedgerTest, what_was_imported_is_neither_the_best_nor_a_baseline) {
  Ledger ledger = opened(file());
  const auto own = ledger.append(sample_attempt("softmax", Kind::measure), std::vector{sample_times("s", {10, 10})});
  const auto theirs = ledger.append(sample_attempt("softmax", Kind::imported), std::vector{sample_times("s", {1, 1})});
  ASSERT_TRUE(own.ok() && theirs.ok());
  const auto rows = ledger.leaderboard();
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().attempt, *own);
  EXPECT_FALSE(ledger.set_baseline("main", *theirs).ok());
  EXPECT_TRUE(ledger.set_baseline("main", *own).ok());
  EXPECT_EQ(kind_from_name("import"), Kind::imported);
}

TEST_F(LedgerTest, values_that_make_no_sense_are_noticed_when_read) {
  {
    ASSERT_TRUE(opened(file()).append(sample_attempt(), std::vector{sample_times("S=1", {1, 2})}).ok());
  }
  const auto refused = [&](const std::string& damage, const std::string& repair) {
    change("UPDATE attempts SET " + damage);
    std::vector<Error> damaged;
    const auto left = opened(file()).attempts({}, &damaged);
    EXPECT_TRUE(left.ok()) << "the others are as they were";
    const bool bad = left->empty() && damaged.size() == 1 && !opened(file()).attempt(1).ok();
    change("UPDATE attempts SET " + repair);
    EXPECT_EQ(opened(file()).attempts()->size(), 1u);
    return bad;
  };
  EXPECT_TRUE(refused("kind = 'nonsense'", "kind = 'check'"));
  EXPECT_TRUE(refused("duration_s = -1", "duration_s = 1"));
  EXPECT_TRUE(refused("duration_s = 9e999", "duration_s = 1"));
  EXPECT_TRUE(refused("time_us = -5", "time_us = 5"));
  EXPECT_TRUE(refused("exit_code = 4000000000", "exit_code = 0"));
  EXPECT_TRUE(refused("contract = '['", "contract = '{}'"));
  EXPECT_TRUE(refused("details = 'x'", "details = ''"));
  EXPECT_TRUE(refused("p50_us = -3.0", "p50_us = NULL"));
  const auto samples_refused = [&](const std::string& damage) {
    change("UPDATE samples SET " + damage);
    return !opened(file()).samples(1).ok();
  };
  EXPECT_FALSE(samples_refused("shape = 'S=3'"));
  EXPECT_TRUE(samples_refused("times_us = x'00'"));
  EXPECT_TRUE(samples_refused("times_us = x''"));
  EXPECT_TRUE(samples_refused("times_us = x'000000000000f87f'"));  // not a number
  EXPECT_TRUE(samples_refused("times_us = x'000000000000f03f', role = 'judge'"));
}

TEST_F(LedgerTest, one_bad_row_does_not_hide_the_others) {
  {
    Ledger ledger = opened(file());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ledger.append(sample_attempt()).ok());
  }
  change("UPDATE attempts SET details = '{' WHERE id = 3");
  Ledger ledger = opened(file());
  std::vector<Error> damaged;
  EXPECT_EQ(ids(*ledger.attempts({}, &damaged)), (std::vector<int64_t>{5, 4, 2, 1}));
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_NE(damaged[0].message.find("attempt 3"), std::string::npos) << damaged[0].message;
}

TEST_F(LedgerTest, attempts_are_visited_one_after_the_other) {
  Ledger ledger = opened(file());
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(ledger.append(sample_attempt(), std::vector{sample_times("S=1", {1, 2})}).ok());
  Filter filter;
  filter.limit = 3;
  filter.oldest_first = true;
  std::vector<int64_t> seen;
  const auto visit = [&](const Attempt& attempt) -> Result<void> {
    seen.push_back(attempt.id);
    EXPECT_EQ(ledger.samples(attempt.id)->size(), 1u) << "the ledger can be asked meanwhile";
    return attempt.id == 4 ? Result<void>(Error{"enough"}) : Result<void>();
  };
  const auto walked = ledger.for_each_attempt(filter, visit);
  ASSERT_FALSE(walked.ok());
  EXPECT_EQ(walked.error().message, "enough");
  EXPECT_EQ(seen, (std::vector<int64_t>{3, 4})) << "the newest three, the oldest of them first";
}

TEST_F(LedgerTest, a_reader_cannot_write) {
  {
    ASSERT_TRUE(opened(file()).append(sample_attempt()).ok());
  }
  Ledger ledger = opened(file(), Ledger::Mode::read);
  const auto id = ledger.append(sample_attempt());
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().exit_code, ExitCode::environment);
  EXPECT_EQ(ledger.attempts()->size(), 1u);
}

}  // namespace
}  // namespace assay::ledger
