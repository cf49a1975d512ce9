// SPDX-License-Identifier: MIT
// A session with fake providers, in few words: every contender is told how to behave.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "fake_contender.hpp"
#include "measure/session.hpp"

namespace assay::measure {

struct FakeEntry {
  std::string name;
  std::vector<std::string> arguments;
  bool own_kernels = true;  // judged as strictly as a candidate
};

inline FakeEntry behaving(const std::string& behaviour, bool own_kernels = true) {
  return {behaviour, {"--behave", behaviour}, own_kernels};
}

// Few samples, and a clock of our own that forgives a busy machine everything: honest times are made up, not taken.
inline SessionOptions quick_options() {
  SessionOptions options;
  options.sampling.plan.batches = 2;
  options.sampling.plan.first = options.sampling.plan.most = 1;
  options.sampling.budget_s = 1e9;
  options.protocol.throughput_replays = 2;
  options.protocol.calls = 5;
  options.host_clock = {1.5, 1e12, 1000};
  return options;
}

inline std::vector<Contender> contenders_of(const std::vector<FakeEntry>& entries) {
  std::vector<Contender> contenders;
  contenders.reserve(entries.size());
  for (const FakeEntry& entry : entries) {
    Contender contender = fake_contender(entry.name, entry.arguments);
    contender.must_be_own_kernels = entry.own_kernels;
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

inline CaseMeasurement run_contenders(const ProblemFolder& folder, const std::vector<Contender>& contenders,
                                      const SessionOptions& options) {
  const auto oracle = check::Oracle::open(folder.spec(), folder.folder().path() / "cache");
  EXPECT_TRUE(oracle.ok()) << (oracle ? "" : to_string(oracle.error()));
  Session session(folder.problem(), *oracle, contenders, options);
  auto measured = session.run();
  EXPECT_TRUE(measured.ok()) << (measured ? "" : to_string(measured.error()));
  return measured ? std::move(*measured) : CaseMeasurement();
}

inline CaseMeasurement run_session(const ProblemFolder& folder, const std::vector<FakeEntry>& entries,
                                   const SessionOptions& options = quick_options()) {
  return run_contenders(folder, contenders_of(entries), options);
}

inline const Guard* find_guard(const ContenderResult& result, const std::string& name) {
  for (const Guard& guard : result.guards.all()) {
    if (measure::name(guard.kind) == name) return &guard;
  }
  return nullptr;
}

inline std::string state_of(const ContenderResult& result, const std::string& name) {
  const Guard* guard = find_guard(result, name);
  return guard == nullptr ? "not looked at" : std::string(measure::name(guard->state));
}

inline std::string failures_of(const ContenderResult& result) {
  std::string text = result.failure ? "failure: " + result.failure->message + "; " : "";
  for (const Guard& guard : result.guards.all()) {
    if (guard.state == GuardState::failed) text += std::string(measure::name(guard.kind)) + ": " + guard.detail + "; ";
  }
  return text;
}

}  // namespace assay::measure
