// SPDX-License-Identifier: MIT
// A file of JSON objects, one a line, each on the disk before the next is made. The first line says what the others
// depend on; a journal of anything else is not used. A last line that a kill cut short is as if it were not there.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::work {

class JournalFile {
 public:
  struct Header {
    std::string name;                                   // whose journal it is: "assay evolve"
    std::map<std::string, std::string> depends_on;      // in words, so that a change can be named
    nlohmann::json further = nlohmann::json::object();  // kept from the first run on
  };

  // Goes on with the file if `resume` and it is of the same work; else begins anew.
  static Result<JournalFile> open(const std::filesystem::path& file, const Header& header, bool resume);
  // The lines of a file that somebody names, without its first; nothing is written.
  static Result<std::vector<nlohmann::json>> read(const std::filesystem::path& file, const std::string& name);
  ~JournalFile();
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&&) = delete;

  const std::filesystem::path& path() const { return file_; }
  const std::string& started_anew() const { return started_anew_; }  // why; empty if it did not, or was to
  const nlohmann::json& further() const { return further_; }
  const std::vector<nlohmann::json>& lines() const { return lines_; }  // of earlier runs
  Result<void> append(const nlohmann::json& line);                     // on the disk when it returns

 private:
  JournalFile() = default;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string started_anew_;
  nlohmann::json further_;
  std::vector<nlohmann::json> lines_;
};

}  // namespace assay::work
