// SPDX-License-Identifier: MIT
// Runs the program as a user does.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process.hpp"

namespace assay::cli {

// Without nvcc, so that the tests run everywhere alike: kernels come from their prebuilt PTX.
inline Command assay_command(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.arguments.insert(command.arguments.begin(), ASSAY_BINARY_DIR "/assay");
  command.folder = ASSAY_SOURCE_DIR;
  command.environment["ASSAY_CACHE"] = ASSAY_BINARY_DIR "/test-cache";
  command.environment["ASSAY_LEDGER"] = ASSAY_BINARY_DIR "/test-ledger.sqlite";
  command.environment["ASSAY_NVCC"] = "none";
  command.environment["ASSAY_CUDA_DRIVER"] = "none";  // the same with and without a GPU
  command.time_limit = std::chrono::minutes(5);
  return command;
}

inline ProcessOutcome run_command(const Command& command) {
  auto outcome = run(command);
  EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
  return outcome.ok() ? *outcome : ProcessOutcome{};
}

inline ProcessOutcome assay_program(std::vector<std::string> arguments, bool with_nvcc = false) {
  Command command = assay_command(std::move(arguments));
  if (with_nvcc) command.environment.erase("ASSAY_NVCC");
  return run_command(command);
}

inline nlohmann::json parsed(const ProcessOutcome& outcome) {
  auto document = nlohmann::json::parse(outcome.output, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << "not one JSON document: " << outcome.output.substr(0, 500) << outcome.errors;
  return document;
}

}  // namespace assay::cli
