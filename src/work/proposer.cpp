// SPDX-License-Identifier: MIT
#include "work/proposer.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "work/evolve_step.hpp"
#include "work/journal_file.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr size_t kAnswerLimit = size_t{8} << 20;
constexpr size_t kErrorsShown = 2000;

const EmbeddedFile* built_in(const std::string& name) {
  const auto files = proposer_files();
  const auto found = std::ranges::find_if(files, [&](const EmbeddedFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

// What mutate imports, beside it.
Result<void> write_mutations(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  for (const EmbeddedFile& each : mutation_files()) ASSAY_CHECK(write_scratch_file(folder / each.name, each.text));
  return {};
}

std::string python() {
  const char* chosen = std::getenv("ASSAY_PYTHON");
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

class ProgramProposer final : public Proposer {
 public:
  ProgramProposer(std::vector<std::string> arguments, double answer_seconds, std::optional<ScratchFolder> scratch)
      : arguments_(std::move(arguments)), answer_seconds_(answer_seconds), scratch_(std::move(scratch)) {}

  Result<Reply> ask(const std::string& request, const Context& context) override {
    Command command;
    command.arguments = arguments_;
    command.input = request;
    command.time_limit = std::chrono::milliseconds(static_cast<int64_t>(answer_seconds_ * 1000));
    command.output_limit_bytes = kAnswerLimit;
    command.errors_limit_bytes = kAnswerLimit;
    ASSAY_TRY(const ProcessOutcome outcome, run(command));
    ASSAY_CHECK(check_cancelled(context));
    Reply reply;
    reply.seconds = std::chrono::duration<double>(outcome.duration).count();
    reply.output = outcome.output;
    if (outcome.output_cut) {
      reply.failure = fmt::format("the answer is longer than {} bytes", kAnswerLimit);
    } else if (outcome.timed_out) {
      reply.failure = fmt::format("no answer within {:g} s", answer_seconds_);
    } else if (!outcome.succeeded()) {
      reply.failure = fmt::format("the proposer {}", describe_end(outcome));
    }
    const std::string_view errors = trim(outcome.errors);
    if (!reply.failure.empty() && !errors.empty()) {
      reply.failure +=
          ": " + escape_lines(errors.size() <= kErrorsShown ? errors : errors.substr(errors.size() - kErrorsShown));
    }
    return reply;
  }

 private:
  std::vector<std::string> arguments_;
  double answer_seconds_;
  std::optional<ScratchFolder> scratch_;
};

class RecordedProposer final : public Proposer {
 public:
  explicit RecordedProposer(std::vector<std::string> answers) : answers_(std::move(answers)) {}

  Result<Reply> ask(const std::string& /*request*/, const Context& /*context*/) override {
    return next_ < answers_.size() ? Reply{answers_[next_++], "", 0} : Reply{};
  }

 private:
  std::vector<std::string> answers_;
  size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Proposer>> program_proposer(const std::vector<std::string>& arguments, double answer_seconds) {
  const EmbeddedFile* own = built_in(arguments.front());
  if (own == nullptr) {
    std::error_code failed;
    const bool named = arguments.front().find('/') != std::string::npos;
    const std::filesystem::path program =
        named ? std::filesystem::path(arguments.front()) : find_program(arguments.front());
    if (program.empty() || !std::filesystem::is_regular_file(program, failed)) {
      std::vector<std::string> names;
      for (const EmbeddedFile& file : proposer_files()) names.emplace_back(file.name);
      return Error{fmt::format("there is no proposer '{}'", arguments.front()),
                   {},
                   "a program that can be started, or one of " + join(names, ", ")};
    }
    return std::unique_ptr<Proposer>(new ProgramProposer(arguments, answer_seconds, std::nullopt));
  }
  ASSAY_TRY(ScratchFolder scratch, ScratchFolder::make());
  const std::filesystem::path script = scratch.path() / own->name;
  ASSAY_CHECK(write_scratch_file(script, own->text));
  ASSAY_CHECK(write_mutations(scratch.path() / "mutations"));
  std::vector<std::string> command{python(), "-B", script.string()};
  command.insert(command.end(), arguments.begin() + 1, arguments.end());
  return std::unique_ptr<Proposer>(new ProgramProposer(std::move(command), answer_seconds, std::move(scratch)));
}

Result<std::vector<std::string>> recorded_answers(const std::string& journal) {
  ASSAY_TRY(const std::vector<json> lines, JournalFile::read(journal, kEvolveJournal));
  std::map<size_t, std::string> asked;
  std::vector<std::string> answers;
  for (const json& line : lines) {
    if (line.contains("asked")) asked[line.value("asked", size_t{0})] = line.value("output", "");
    if (line.contains("judged") && line["judged"].value("verdict", "") == "accepted")
      answers.push_back(asked[line["judged"].value("proposal", size_t{0})]);
  }
  if (answers.empty()) return Error{"no proposal of this journal was accepted", Place{journal}};
  return answers;
}

std::unique_ptr<Proposer> recorded_proposer(std::vector<std::string> answers) {
  return std::make_unique<RecordedProposer>(std::move(answers));
}

}  // namespace assay::work
