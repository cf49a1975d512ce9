// SPDX-License-Identifier: MIT
#include "work/tune_journal.hpp"

#include <nlohmann/json.hpp>

namespace assay::work {
namespace {

using nlohmann::json;

json to_object(const TunedConfiguration& each) {
  json line{{"configuration", each.configuration},
            {"by_shape", each.by_shape},
            {"samples", each.samples},
            {"failure", each.failure},
            {"message", each.message},
            {"compile_s", each.compile_s},
            {"check_s", each.check_s},
            {"measure_s", each.measure_s},
            {"bailed_out", each.bailed_out}};
  if (each.value) line["value"] = *each.value;
  if (each.registers) line["registers"] = *each.registers;
  if (each.shared_bytes) line["shared_bytes"] = *each.shared_bytes;
  return line;
}

// Nothing if the line is not what we wrote.
std::optional<TunedConfiguration> from_object(const json& line) {
  try {
    TunedConfiguration each;
    each.configuration = line.at("configuration");
    each.by_shape = line.at("by_shape").get<std::vector<double>>();
    each.samples = line.at("samples").get<std::vector<std::vector<double>>>();
    each.failure = line.at("failure");
    each.message = line.at("message");
    each.compile_s = line.at("compile_s");
    each.check_s = line.at("check_s");
    each.measure_s = line.at("measure_s");
    each.bailed_out = line.at("bailed_out");
    if (line.contains("value")) each.value = line["value"].get<double>();
    if (line.contains("registers")) each.registers = line["registers"].get<int>();
    if (line.contains("shared_bytes")) each.shared_bytes = line["shared_bytes"].get<int64_t>();
    if (each.value.has_value() != each.failure.empty()) return std::nullopt;
    each.recalled = true;
    return each;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Result<TuneJournal> TuneJournal::open(const std::filesystem::path& file, const TuneDependencies& dependencies,
                                      bool resume) {
  TuneJournal journal;
  if (file == "none") return journal;
  ASSAY_TRY(JournalFile opened, JournalFile::open(file, {"assay tune", dependencies, json::object()}, resume));
  for (const json& line : opened.lines()) {
    if (auto known = from_object(line)) journal.known_[known->configuration] = std::move(*known);
  }
  journal.file_.emplace(std::move(opened));
  return journal;
}

const TunedConfiguration* TuneJournal::recall(const std::string& configuration) const {
  const auto found = known_.find(configuration);
  return found == known_.end() ? nullptr : &found->second;
}

Result<void> TuneJournal::remember(const TunedConfiguration& evaluated) {
  return file_ ? file_->append(to_object(evaluated)) : Result<void>();
}

}  // namespace assay::work
