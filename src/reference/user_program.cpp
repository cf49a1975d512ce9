// SPDX-License-Identifier: MIT
#include "reference/user_program.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/scratch_files.hpp"
#include "base/scratch_folder.hpp"
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

// What Python writes about a mistake ends with what it is.
std::string ending(const std::string& text) {
  constexpr size_t kLimit = 4000;
  return text.size() <= kLimit ? text : "(...)\n" + text.substr(text.size() - kLimit);
}

std::string_view word(ProgramRole role) {
  switch (role) {
    case ProgramRole::reference:
      return "reference";
    case ProgramRole::compare:
      return "compare";
    case ProgramRole::input:
      return "input";
    case ProgramRole::launch:
      return "launch";
  }
  return "";
}

class Compilation {
 public:
  Compilation(const fs::path& source, ProgramRole role, const UserProgramOptions& options, const fs::path& scratch)
      : source_(source), role_(role), options_(options), scratch_(scratch) {}

  Result<void> write_texts() const {
    std::error_code failure;
    fs::create_directories(scratch_ / "assay", failure);
    if (failure) return cannot_make(scratch_ / "assay", failure.message());
    ASSAY_CHECK(write_file_atomically(scratch_ / "assay/reference.h", program_text("reference.h")));
    ASSAY_CHECK(write_file_atomically(scratch_ / "assay/launch.h", program_text("launch.h")));
    return write_file_atomically(scratch_ / "main.cpp", main_text());
  }

  // Everything that decides what the program is: the text after the preprocessor, our part of it, flags and compiler.
  Result<std::string> key() const {
    ASSAY_TRY(const std::string version, compiler({"--version"}));
    ASSAY_TRY(const std::string text, compiler(with_flags({"-E", "-P", source_.string()})));
    Hasher hasher;
    hasher.add(version).add(text).add(main_text()).add(word(role_));
    for (const std::string& flag : kFlags) hasher.add(flag);
    return hasher.hex();
  }

  Result<void> build_library(const fs::path& library) const {
    const auto output =
        compiler(with_flags({"-DASSAY_LAUNCH_LIBRARY", "-shared", "-fPIC", "-fvisibility=hidden", "-static-libstdc++",
                             "-static-libgcc", "-Wl,--exclude-libs,ALL,-z,defs", "-s", source_.string(),
                             (scratch_ / "main.cpp").string(), "-o", library.string()}));
    return output ? Result<void>() : output.error();
  }

  Result<void> build(const fs::path& program) const {
    const auto output =
        compiler(with_flags({source_.string(), (scratch_ / "main.cpp").string(), "-o", program.string()}));
    return output ? Result<void>() : output.error();
  }

 private:
  std::string_view main_text() const { return program_text(role_ == ProgramRole::launch ? "launch.cc" : "main.cc"); }

  std::vector<std::string> with_flags(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = kFlags;
    arguments.push_back("-I" + scratch_.string());
    // One main for all: it calls assay_reference, whatever that is called in the user's file.
    if (role_ == ProgramRole::compare || role_ == ProgramRole::input)
      arguments.push_back(fmt::format("-Dassay_{}=assay_reference", word(role_)));
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  Result<std::string> compiler(const std::vector<std::string>& arguments) const {
    Command command;
    command.arguments = {options_.compiler};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {{"TMPDIR", scratch_.string()}};  // what a compiler that is ended leaves goes with the folder
    command.time_limit = options_.compile_time_limit;
    auto outcome = assay::run(command);
    if (!outcome) {
      Error error = outcome.error();
      error.hint = fmt::format("a {} in a file needs a C++ compiler: install g++ (apt install g++)", noun(role_));
      return error;
    }
    if (outcome->succeeded()) return std::move(outcome->output);
    return Error{fmt::format("the {} does not compile: '{}' {}\n{}", noun(role_), options_.compiler,
                             describe_end(*outcome), beginning(outcome->errors)),
                 Place{source_.string()},
                 fmt::format("include/assay/{}.h describes the function that the file must define",
                             role_ == ProgramRole::launch ? "launch" : "reference")};
  }

  const fs::path& source_;
  const ProgramRole role_;
  const UserProgramOptions& options_;
  const fs::path& scratch_;
};

bool has_numpy(const std::string& interpreter) {
  Command command;
  command.arguments = {interpreter, "-c", "import numpy"};
  command.time_limit = std::chrono::seconds(30);
  const auto outcome = assay::run(command);
  return outcome && outcome->succeeded();
}

// Asked once: it takes a tenth of a second.
Result<std::string> find_python(const fs::path& source) {
  static const std::optional<std::string> kFound = []() -> std::optional<std::string> {
    if (const char* const wanted = std::getenv("ASSAY_PYTHON")) return std::string(wanted);
    for (const char* const candidate : {"python3", "/usr/bin/python3"}) {
      if (has_numpy(candidate)) return std::string(candidate);
    }
    return std::nullopt;
  }();
  if (kFound) return *kFound;
  return Error{"no python3 with NumPy was found", Place{source.string()},
               "apt install python3-numpy, or set ASSAY_PYTHON to an interpreter that has it", ExitCode::environment};
}

// Written aside and renamed: whoever else makes the same at the same time sees all of it or nothing.
Result<void> keep(const fs::path& draft, const fs::path& program) {
  std::error_code failure;
  fs::rename(draft, program, failure);
  if (!failure) return {};
  return Error{fmt::format("cannot keep the compiled program: {}", failure.message()), Place{program.string()}, "",
               ExitCode::environment};
}

}  // namespace

std::string_view noun(ProgramRole role) {
  switch (role) {
    case ProgramRole::reference:
      return "reference";
    case ProgramRole::compare:
      return "comparison";
    case ProgramRole::input:
      return "input function";
    case ProgramRole::launch:
      return "launch function";
  }
  return "program";
}

Error UserProgram::located(Error error) const {
  if (!error.place.known()) error.place = Place{source_.string()};
  return error;
}

Result<UserProgram> UserProgram::open(const fs::path& source, ProgramRole role, const UserProgramOptions& options) {
  std::error_code failure;
  const bool python = source.extension() == ".py";
  if (!fs::is_regular_file(source, failure)) {
    return Error{fmt::format("the {} is not there; expected a {} file", noun(role), python ? "Python" : "C++"),
                 Place{source.string()}, ""};
  }
  const fs::path full_source = fs::absolute(source);
  const fs::path cache = fs::absolute(options.cache_folder);
  fs::create_directories(cache, failure);
  if (failure) return cannot_make(cache, failure.message());
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make_in(cache));
  if (python) {
    ASSAY_TRY(const std::string interpreter, find_python(source));
    const std::string_view text = program_text("main.py");
    const fs::path script = cache / fmt::format("program-{}.py", Hasher().add(text).hex());
    if (!fs::exists(script, failure)) {
      ASSAY_CHECK(write_file_atomically(scratch.path() / "program.py", text));
      ASSAY_CHECK(keep(scratch.path() / "program.py", script));
    }
    return UserProgram(full_source, script,
                       {interpreter, "-B", script.string(), full_source.string(), std::string(word(role))}, role,
                       options);
  }
  const Compilation compilation(full_source, role, options, scratch.path());
  ASSAY_CHECK(compilation.write_texts());
  ASSAY_TRY(const std::string key, compilation.key());
  const fs::path program = cache / fmt::format("{}-{}", word(role), key);
  if (!fs::exists(program, failure)) {
    const fs::path draft = scratch.path() / "program";
    ASSAY_CHECK(compilation.build(draft));
    ASSAY_CHECK(keep(draft, program));
  }
  return UserProgram(full_source, program, {program.string()}, role, options);
}

Result<std::string> UserProgram::run(const std::string& request) const {
  const Place place{source_.string()};
  ScratchFiles files(2 * request.size());
  ASSAY_TRY(const fs::path asked, files.file("request"));
  ASSAY_TRY(const fs::path answered, files.file("response"));
  ASSAY_CHECK(write_scratch_file(asked, request));

  Command command;
  command.arguments = command_;
  command.arguments.insert(command.arguments.end(), {asked.string(), answered.string()});
  command.folder = "/proc";  // where nobody can leave a file
  command.time_limit = options_.run_time_limit;
  command.memory_limit_bytes = options_.memory_limit_bytes;
  command.output_limit_bytes = size_t{1} << 20;
  // Threads of numerical libraries each reserve memory, and there is a limit on it.
  command.environment = {{"OPENBLAS_NUM_THREADS", "1"}, {"OMP_NUM_THREADS", "1"}};
  ASSAY_TRY(const ProcessOutcome outcome, assay::run(command));
  if (!outcome.succeeded()) {
    const bool python = source_.extension() == ".py";
    const std::string text = python ? ending(outcome.errors) : beginning(outcome.errors);
    const std::string said = text.empty() ? "" : fmt::format("; it wrote:\n{}", text);
    const std::string how =
        outcome.signal != 0 && !outcome.timed_out ? "crashed: it " + describe_end(outcome) : describe_end(outcome);
    return Error{fmt::format("the {} {}{}", noun(role_), how, said), place, ""};
  }
  std::error_code failure;
  const uintmax_t bytes = fs::file_size(answered, failure);
  if (bytes == 0)
    return Error{fmt::format("the {} ended without an answer", noun(role_)), place, "does it call exit()?"};
  // A request has room for all results in it; what is much longer would only fill this machine's memory.
  constexpr size_t kSpareBytes = size_t{1} << 20;
  if (!failure && bytes > request.size() + kSpareBytes)
    return Error{fmt::format("the {} wrote an answer that makes no sense: {} bytes to a question of {}", noun(role_),
                             bytes, request.size()),
                 place, "does it write past the end of a tensor?"};
  return read_file(answered, request.size() + kSpareBytes);
}

Result<std::string> launch_library(const fs::path& source, const UserProgramOptions& options) {
  const fs::path full_source = fs::absolute(source);
  std::error_code failure;
  fs::create_directories(options.cache_folder, failure);
  if (failure) return cannot_make(options.cache_folder, failure.message());
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make_in(fs::absolute(options.cache_folder)));
  const Compilation compilation(full_source, ProgramRole::launch, options, scratch.path());
  ASSAY_CHECK(compilation.write_texts());
  const fs::path library = scratch.path() / "launch.so";
  ASSAY_CHECK(compilation.build_library(library));
  return read_file(library);
}

}  // namespace assay::reference
