// SPDX-License-Identifier: MIT
// Attempts and samples for tests.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "ledger/ledger.hpp"

namespace assay::ledger {

inline Attempt sample_attempt(const std::string& kernel = "softmax", Kind kind = Kind::check) {
  Attempt attempt;
  attempt.kind = kind;
  attempt.time_us = 1'700'000'000'000'000;
  attempt.duration_s = 2.5;
  attempt.machine = "some-machine";
  attempt.assay = "0.1.0";
  attempt.kernel = kernel;
  attempt.specification = "kernels/softmax/kernel.toml";
  attempt.configuration = "BLOCK=128";
  attempt.shape = "ROWS=3,COLUMNS=129";
  attempt.dtype = "f16";
  attempt.device = "vgpu:l4";
  attempt.seed = 0xffff'ffff'ffff'fff0u;
  attempt.verdict = "correct";
  attempt.correct = true;
  attempt.contract = R"({"b":1,"a":[1,2]})";
  attempt.comparable = "protocol-1";
  attempt.source_hash = "00ff";
  attempt.cubin_hash = "ff00";
  attempt.cost_per_hour = 3.6;
  attempt.details = R"({"planned": 12})";
  return attempt;
}

inline Samples sample_times(const std::string& shape, std::vector<double> times, Role role = Role::candidate) {
  Samples samples;
  samples.contender = role == Role::candidate ? "softmax" : "torch";
  samples.role = role;
  samples.configuration = "BLOCK=128";
  samples.shape = shape;
  samples.dtype = "f16";
  samples.protocol = "cold";
  samples.times_us = std::move(times);
  return samples;
}

inline Ledger opened(const std::filesystem::path& file, Ledger::Mode mode = Ledger::Mode::write) {
  auto ledger = Ledger::open(file, mode);
  if (!ledger) throw std::runtime_error(to_string(ledger.error()));  // ends the test with the message
  return std::move(*ledger);
}

}  // namespace assay::ledger
