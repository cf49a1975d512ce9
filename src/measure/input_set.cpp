// SPDX-License-Identifier: MIT
#include "measure/input_set.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/threads.hpp"
#include "build/artifact_cache.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"

namespace assay::measure {
namespace fs = std::filesystem;
namespace {

bool is_constant(spec::FillKind kind) {
  return kind == spec::FillKind::zeros || kind == spec::FillKind::ones || kind == spec::FillKind::constant ||
         kind == spec::FillKind::iota;
}

Result<std::string> draw(const ProblemCase& problem, const spec::ResolvedArgument& input, uint64_t seed, Draw how) {
  spec::ResolvedArgument argument = input;
  spec::ResolvedTensor& tensor = std::get<spec::ResolvedTensor>(argument.kind);
  if (how == Draw::random_floats && spec::is_floating(tensor.dtype) && is_constant(tensor.fill.kind))
    tensor.fill = spec::Fill{};
  const check::InputMaker maker(*problem.spec, build::ArtifactCache::default_folder());
  ASSAY_TRY(const reference::Numbers values,
            maker.make(problem.shape, problem.arguments, argument, {check::Distribution::specified, seed, false}));
  std::string bytes(static_cast<size_t>(tensor.bytes), '\0');
  check::encode(tensor, values, std::span(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()));
  return bytes;
}

}  // namespace

Result<InputSet> InputSet::make(const ProblemCase& problem, uint64_t seed, ScratchFiles& scratch,
                                const std::string& prefix, Draw how) {
  InputSet set;
  set.seed = seed;
  std::vector<std::pair<const spec::ResolvedArgument*, std::future<Result<std::string>>>> drawn;
  for (const spec::ResolvedArgument* input : problem.inputs())
    drawn.emplace_back(input, std::async(std::launch::async, draw, std::cref(problem), std::cref(*input), seed, how));
  for (auto& [input, bytes] : drawn) {
    ASSAY_TRY(const std::string content, bytes.get());
    ASSAY_TRY(const fs::path file, scratch.file(prefix + "." + input->name));
    ASSAY_CHECK(write_scratch_file(file, content));
    set.files[input->name] = file;
    set.hashes[input->name] = content_hash(content);
  }
  return set;
}

Result<std::vector<InputSet>> make_input_sets(const ProblemCase& problem, size_t count, Random& random,
                                              ScratchFiles& scratch, const std::string& prefix) {
  // Several at a time, as many as cores and a few gigabytes of float64 allow.
  constexpr int64_t kBytesAtATime = int64_t{1} << 30;
  const auto by_memory =
      static_cast<size_t>(std::max<int64_t>(1, kBytesAtATime / std::max<int64_t>(1, problem.bytes())));
  const size_t at_a_time = std::clamp<size_t>(by_memory, 1, core_count());
  std::vector<InputSet> sets;
  while (sets.size() < count) {
    std::vector<std::future<Result<InputSet>>> running;
    for (size_t i = sets.size(); i < std::min(count, sets.size() + at_a_time); ++i) {
      running.push_back(std::async(std::launch::async, [&, name = prefix + std::to_string(i), seed = random.next()] {
        return InputSet::make(problem, seed, scratch, name);
      }));
    }
    std::optional<Error> problem_found;
    for (auto& future : running) {
      auto made = future.get();
      if (made) {
        sets.push_back(std::move(*made));
      } else {
        problem_found = made.error();
      }
    }
    if (problem_found) return *problem_found;
  }
  return sets;
}

Result<check::InputValues> InputSet::values(const ProblemCase& problem) const {
  check::InputValues values;
  for (const spec::ResolvedArgument* input : problem.inputs()) {
    ASSAY_TRY(const std::vector<uint8_t> bytes, read_tensor(files.at(input->name), *input));
    values[input->name] = check::decode(*input->tensor(), bytes);
  }
  return values;
}

nlohmann::json prepare_request(const ProblemCase& problem, const Protocol& protocol, const TimingFiles& timing,
                               const std::vector<InputSet>& sets, const spec::Options& options) {
  nlohmann::json request = prepare_request(problem, protocol, timing);
  request["options"] = to_json(options);
  request["sets"] = nlohmann::json::array();
  for (const InputSet& set : sets) {
    nlohmann::json files = nlohmann::json::object();
    for (const auto& [argument, file] : set.files) files[argument] = file.string();
    request["sets"].push_back(std::move(files));
  }
  return request;
}

Result<std::vector<uint8_t>> read_tensor(const fs::path& file, const spec::ResolvedArgument& argument) {
  const spec::ResolvedTensor& tensor = *argument.tensor();
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.bytes));
  ASSAY_TRY(const size_t found, read_file_into(file, bytes));
  if (found == bytes.size()) return bytes;
  std::error_code ignored;
  return Error{fmt::format("the file for '{}' has {} bytes, expected {}", argument.name, fs::file_size(file, ignored),
                           tensor.bytes),
               {},
               "the provider must write the whole argument",
               ExitCode::incorrect};
}

}  // namespace assay::measure
