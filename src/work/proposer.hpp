// SPDX-License-Identifier: MIT
// Whoever proposes: a program that is asked once and answers once, or a journal of answers that were given before.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "base/embedded_file.hpp"
#include "base/result.hpp"
#include "base/scratch_folder.hpp"

namespace assay::work {

std::span<const EmbeddedFile> proposer_files();  // mutate, manual, command: proposers/
std::span<const EmbeddedFile> mutation_files();  // what mutate imports: proposers/mutations/

struct Reply {
  std::string output;   // all of standard output
  std::string failure;  // why it is no answer: text; "" if it may be one
  double seconds = 0;
};

class Proposer {
 public:
  virtual ~Proposer() = default;

  // An error means that nobody can be asked any more.
  virtual Result<Reply> ask(const std::string& request, const Context& context) = 0;
};

// A program with its arguments; no shell. A name of ours ("mutate") is the script of that name, run by Python.
Result<std::unique_ptr<Proposer>> program_proposer(const std::vector<std::string>& arguments, double answer_seconds);
// The answers of an evolution's journal that were accepted; an error if there are none.
Result<std::vector<std::string>> recorded_answers(const std::string& journal);
// The answers in the order given, then passes.
std::unique_ptr<Proposer> recorded_proposer(std::vector<std::string> answers);

}  // namespace assay::work
