// SPDX-License-Identifier: MIT
// What workers are asked for an evolution, and what they say, as files of the folder of work:
//
//   files/HASH           what a file holds; every version of it is there once
//   judgings/HASH.json   a request: all that a verdict depends on
//
// The name of a request is a hash of it, so that the same question is the same work item.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "work/evolve_first.hpp"
#include "work/evolve_judging.hpp"

namespace assay::work {

class JudgingStore {
 public:
  explicit JudgingStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The file that holds the request; others can read it from now on.
  Result<std::filesystem::path> write(const JudgingRequest& request) const;
  Result<std::filesystem::path> write(const FirstRequest& request) const;

 private:
  Result<nlohmann::json> keep(const evolve::Files& files) const;  // their hashes, by path
  Result<nlohmann::json> keep(const evolve::Candidate& candidate) const;
  Result<std::filesystem::path> write(const nlohmann::json& document) const;

  std::filesystem::path folder_;
};

// An error if a file is damaged or of another version. What a GPU measures there is recorded nowhere.
Result<JudgingRequest> read_judging_request(const std::filesystem::path& file);

nlohmann::json judging_document(const Judging& judging);
// The candidate is made here once more, from the answer. Nothing if it is not what we wrote, or of another answer.
std::optional<Judging> judging_from(const nlohmann::json& document, const evolve::Candidate& parent,
                                    const evolve::Answer& answer, const evolve::FileRules& rules);
nlohmann::json first_document(const FirstTrial& trial);
std::optional<FirstTrial> first_from(const nlohmann::json& document);

}  // namespace assay::work
