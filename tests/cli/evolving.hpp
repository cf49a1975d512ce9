// SPDX-License-Identifier: MIT
// assay evolve with a proposer that gives prepared answers. Kernels are PTX, so that no compiler is needed.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/scratch_folder.hpp"

namespace assay::cli {

namespace fs = std::filesystem;
using nlohmann::json;

inline const std::string kKernels = ASSAY_SOURCE_DIR "/tests/evolve/kernels/";
inline const std::string kBarriers =
    "\tbar.sync \t0;\n\tbar.sync \t0;\n\tbar.sync \t0;\n";  // of a step of stepwise_copy

inline json edit(const std::string& hypothesis, std::vector<std::pair<std::string, std::string>> replacements) {
  json list = json::array();
  for (const auto& [from, to] : replacements) list.push_back({from, to});
  return {{"edit", std::move(list)}, {"hypothesis", {{"text", hypothesis}}}};
}

// The step that helps in stepwise_copy.
inline json without_barrier() {
  json answer = edit("no barrier", {{kBarriers, ""}});
  answer["hypothesis"]["counter"] = "barriers";
  answer["hypothesis"]["direction"] = "down";
  return answer;
}

class Evolve : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make();
    ASSERT_TRUE(made.ok()) << to_string(made.error());
    folder_.emplace(std::move(*made));
  }

  std::string path(const std::string& name) const { return (folder_->path() / name).string(); }

  // A kernel of the tests in a folder of its own, which may be changed.
  std::string copy_of(const std::string& kernel) const {
    fs::copy(kKernels + kernel, path(kernel), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    return path(kernel);
  }

  Command command(const std::string& kernel, const std::vector<json>& answers,
                  std::vector<std::string> options = {}) const {
    EXPECT_TRUE(write_file_atomically(path("answers.json"), json(answers).dump()).ok());
    fs::create_directories(path("requests"));
    std::vector<std::string> words{"evolve",     kernel,
                                   "--device",   "vgpu:l4",
                                   "--journal",  path("journal.jsonl"),
                                   "--ledger",   path("ledger.sqlite"),
                                   "--seed",     "7",
                                   "--proposer", "python3",
                                   "--json"};
    words.insert(words.end(), {"--proposals", std::to_string(std::max<size_t>(1, answers.size()))});
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(),
                 {"--", "-B", ASSAY_SOURCE_DIR "/tests/evolve/scripted.py", path("answers.json"), path("requests")});
    Command command = assay_command(words);
    command.environment["ASSAY_CACHE"] = ASSAY_BINARY_DIR "/test-cache";
    return command;
  }

  json evolve(const std::string& kernel, const std::vector<json>& answers, std::vector<std::string> options = {},
              int exit_status = 0) const {
    const ProcessOutcome outcome = run_command(command(kernel, answers, std::move(options)));
    EXPECT_EQ(outcome.exit_status, exit_status) << outcome.output << outcome.errors;
    return parsed(outcome);
  }

  std::optional<ScratchFolder> folder_;
};

inline std::string verdict(const json& document, size_t proposal) {
  const json& step = document["steps"].at(proposal - 1);
  return step["verdict"].get<std::string>() + " at " + step["gate"].get<std::string>();
}

inline std::string text_of(const json& document, size_t proposal) {
  return document["steps"].at(proposal - 1)["text"];
}

}  // namespace assay::cli
