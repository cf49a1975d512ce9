// SPDX-License-Identifier: MIT
#include "reference/custom_reference.hpp"

#include <fmt/format.h>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/scratch_files.hpp"
#include "base/scratch_folder.hpp"
#include "reference/exchange.hpp"
#include "reference/reference_program.hpp"

namespace assay::reference {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFlags = {"-x", "c++", "-std=c++17", "-O2"};

Error cannot_make(const fs::path& folder, const std::string& reason) {
  return Error{fmt::format("cannot make the folder: {}", reason), Place{folder.string()}, "", ExitCode::environment};
}

// Compilers can write megabytes about one mistake; the beginning is what helps.
std::string beginning(const std::string& text) {
  constexpr size_t kLimit = 4000;
  return text.size() <= kLimit ? text : text.substr(0, kLimit) + "\n(...)";
}

class Compilation {
 public:
  Compilation(const fs::path& source, const CustomReferenceOptions& options, const fs::path& scratch)
      : source_(source), options_(options), scratch_(scratch) {}

  Result<void> write_texts() const {
    std::error_code failure;
    fs::create_directories(scratch_ / "assay", failure);
    if (failure) return cannot_make(scratch_ / "assay", failure.message());
    ASSAY_CHECK(write_file_atomically(scratch_ / "assay/reference.h", public_header()));
    return write_file_atomically(scratch_ / "main.cpp", program_main());
  }

  // Everything that decides what the program is: the text after the preprocessor, our part of it, flags and compiler.
  Result<std::string> key() const {
    ASSAY_TRY(const std::string version, compiler({"--version"}));
    ASSAY_TRY(const std::string text, compiler(with_flags({"-E", "-P", source_.string()})));
    Hasher hasher;
    hasher.add(version).add(text).add(public_header()).add(program_main());
    for (const std::string& flag : kFlags) hasher.add(flag);
    return hasher.hex();
  }

  Result<void> build(const fs::path& program) const {
    const auto output =
        compiler(with_flags({source_.string(), (scratch_ / "main.cpp").string(), "-o", program.string()}));
    return output ? Result<void>() : output.error();
  }

 private:
  std::vector<std::string> with_flags(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = kFlags;
    arguments.push_back("-I" + scratch_.string());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  Result<std::string> compiler(const std::vector<std::string>& arguments) const {
    Command command;
    command.arguments = {options_.compiler};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {{"TMPDIR", scratch_.string()}};  // what a compiler that is ended leaves goes with the folder
    command.time_limit = options_.compile_time_limit;
    auto outcome = run(command);
    if (!outcome) {
      Error error = outcome.error();
      error.hint = "a reference in a file needs a C++ compiler: install g++ (apt install g++)";
      return error;
    }
    if (outcome->succeeded()) return std::move(outcome->output);
    return Error{fmt::format("the reference does not compile: '{}' {}\n{}", options_.compiler, describe_end(*outcome),
                             beginning(outcome->errors)),
                 Place{source_.string()}, "include/assay/reference.h describes the function that the file must define"};
  }

  const fs::path& source_;
  const CustomReferenceOptions& options_;
  const fs::path& scratch_;
};

}  // namespace

Result<CustomReference> CustomReference::compile(const fs::path& source, const CustomReferenceOptions& options) {
  std::error_code failure;
  if (!fs::is_regular_file(source, failure)) {
    return Error{"the reference is not there; expected a C++ file", Place{source.string()}, ""};
  }
  const fs::path full_source = fs::absolute(source);
  const fs::path cache = fs::absolute(options.cache_folder);
  fs::create_directories(cache, failure);
  if (failure) return cannot_make(cache, failure.message());
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make_in(cache));
  const Compilation compilation(full_source, options, scratch.path());
  ASSAY_CHECK(compilation.write_texts());
  ASSAY_TRY(const std::string key, compilation.key());
  const fs::path program = cache / ("reference-" + key);
  if (!fs::exists(program, failure)) {
    // Compiled aside and renamed: whoever else compiles the same at the same time sees all of it or nothing.
    const fs::path draft = scratch.path() / "program";
    ASSAY_CHECK(compilation.build(draft));
    fs::rename(draft, program, failure);
    if (failure)
      return Error{fmt::format("cannot keep the compiled reference: {}", failure.message()), Place{program.string()},
                   "", ExitCode::environment};
  }
  return CustomReference(full_source, program, options);
}

Result<Outputs> CustomReference::evaluate(const Problem& problem) const {
  const Place place{source_.string()};
  const auto located = [&](Error error) {
    if (!error.place.known()) error.place = place;
    return error;
  };
  auto encoded = encode_request(problem);
  if (!encoded) return located(encoded.error());
  ScratchFiles files(2 * encoded->size());
  ASSAY_TRY(const fs::path request, files.file("request"));
  ASSAY_TRY(const fs::path response, files.file("response"));
  ASSAY_CHECK(write_scratch_file(request, *encoded));

  Command command;
  command.arguments = {program_.string(), request.string(), response.string()};
  command.folder = "/proc";  // where nobody can leave a file
  command.time_limit = options_.run_time_limit;
  command.memory_limit_bytes = options_.memory_limit_bytes;
  command.output_limit_bytes = size_t{1} << 20;
  ASSAY_TRY(const ProcessOutcome outcome, run(command));
  if (!outcome.succeeded()) {
    const std::string said = outcome.errors.empty() ? "" : fmt::format("; it wrote:\n{}", beginning(outcome.errors));
    const std::string how =
        outcome.signal != 0 && !outcome.timed_out ? "crashed: it " + describe_end(outcome) : describe_end(outcome);
    return Error{fmt::format("the reference {}{}", how, said), place, ""};
  }
  std::error_code failure;
  if (fs::file_size(response, failure) == 0)
    return Error{"the reference ended without an answer", place, "does it call exit()?"};
  ASSAY_TRY(const std::string answer, read_file(response, size_t{1} << 36));
  auto outputs = decode_response(answer, problem);
  if (!outputs) return located(outputs.error());
  return std::move(outputs).value();
}

}  // namespace assay::reference
