// SPDX-License-Identifier: MIT
#include "work/tune_journal.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

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

Error disk_error(const std::filesystem::path& file, const char* what) {
  return Error{fmt::format("cannot {} the journal: {}", what, std::strerror(errno)), Place{file.string()},
               "choose another file: --journal FILE", ExitCode::environment};
}

// Why this header is not that of the work to be done; "" if it is.
std::string difference(const json& header, const TuneDependencies& wanted) {
  if (!header.is_object() || !header.contains("depends_on") || !header["depends_on"].is_object())
    return "the file is not a journal of ours";
  for (const auto& [what, value] : wanted) {
    const auto found = header["depends_on"].find(what);
    if (found == header["depends_on"].end() || !found->is_string() || found->get<std::string>() != value)
      return fmt::format("the {} changed", what);
  }
  return "";
}

}  // namespace

std::string evaluation_line(const TunedConfiguration& evaluated) {
  return line_of(to_object(evaluated));
}

std::optional<TunedConfiguration> read_evaluation(const std::string& line) {
  return from_object(json::parse(line, nullptr, false));
}

Result<TuneJournal> TuneJournal::open(const std::filesystem::path& file, const TuneDependencies& dependencies,
                                      bool resume) {
  TuneJournal journal;
  journal.file_ = file;
  if (file == "none") return journal;
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  journal.descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (journal.descriptor_ < 0) return disk_error(file, "open");
  struct stat facts{};
  if (::fstat(journal.descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    errno = EINVAL;
    return disk_error(file, "use");
  }
  if (::flock(journal.descriptor_, LOCK_EX | LOCK_NB) != 0)
    return Error{"another run is writing to the journal", Place{file.string()}, "wait for it, or give --journal FILE",
                 ExitCode::environment};
  size_t good = 0;  // bytes that are whole lines of ours
  if (resume && facts.st_size > 0) {
    ASSAY_TRY(const std::string text, read_file(file));
    size_t start = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
      const json line = json::parse(text.begin() + static_cast<std::ptrdiff_t>(start),
                                    text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      if (start == 0) {
        journal.started_anew_ = difference(line, dependencies);
        if (!journal.started_anew_.empty()) break;
      } else {
        const auto known = from_object(line);
        if (!known) break;
        journal.known_[known->configuration] = *known;
      }
      start = end + 1;
      good = start;
    }
  }
  if (::ftruncate(journal.descriptor_, static_cast<off_t>(good)) != 0 || ::lseek(journal.descriptor_, 0, SEEK_END) < 0)
    return disk_error(file, "write");
  if (good == 0) {
    json header{{"journal", "assay tune"}, {"depends_on", dependencies}};
    ASSAY_CHECK(journal.append(line_of(header)));
  }
  return journal;
}

TuneJournal::TuneJournal(TuneJournal&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      started_anew_(std::move(other.started_anew_)),
      known_(std::move(other.known_)) {}

TuneJournal::~TuneJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

const TunedConfiguration* TuneJournal::recall(const std::string& configuration) const {
  const auto found = known_.find(configuration);
  return found == known_.end() ? nullptr : &found->second;
}

Result<void> TuneJournal::remember(const TunedConfiguration& evaluated) {
  if (descriptor_ < 0) return {};
  return append(evaluation_line(evaluated));
}

Result<void> TuneJournal::append(const std::string& line) {
  for (size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return disk_error(file_, "write");
    done += static_cast<size_t>(written);
  }
  if (::fsync(descriptor_) != 0) return disk_error(file_, "store");
  return {};
}

}  // namespace assay::work
