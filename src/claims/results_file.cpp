// SPDX-License-Identifier: MIT
#include "claims/results_file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::claims {
namespace {

using nlohmann::json;

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr std::string_view kHead = "# assay results 1";

Result<std::vector<std::string>> words_of(std::string_view line, const Place& place) {
  std::vector<std::string> words;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
      continue;
    }
    size_t end = 0;
    if (line[i] == '"') {
      end = line.find('"', i + 1);
      if (end == line.npos) return Error{"a quote is missing", place};
      words.emplace_back(line.substr(i + 1, end - i - 1));
      i = end + 1;
      continue;
    }
    end = std::min(line.find_first_of(" \t", i), line.size());
    words.emplace_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

json value_of(const std::string& word) {
  double number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem == std::errc() && end == word.data() + word.size()) return number;
  return word;
}

Result<void> check_facts(const ResultsFile& results, const std::string& file) {
  const auto kind = results.facts.find("kind");
  const bool known = kind != results.facts.end() &&
                     (kind->second == "measured" || kind->second == "counted" || kind->second == "estimated");
  if (!known)
    return Error{"it does not say of what kind its figures are",
                 {file, 1, 1},
                 "a line '# kind: measured', or counted, or estimated"};
  for (const char* fact : {"what", "device", "date", "versions", "command"}) {
    const auto found = results.facts.find(fact);
    if (found != results.facts.end() && !found->second.empty()) continue;
    return Error{fmt::format("figures without their '{}' cannot be believed", fact),
                 {file, 1, 1},
                 fmt::format("a line '# {}: ...'", fact)};
  }
  return {};
}

}  // namespace

Result<ResultsFile> read_results(std::string_view text, const std::string& file) {
  ResultsFile results;
  std::vector<std::string> columns;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const Place place{file, number, 1};
    const std::string_view line = trim(raw);
    if (number == 1 && line != kHead)
      return Error{"this is no table of recorded results", place, fmt::format("it begins with '{}'", kHead)};
    if (number == 1 || line.empty()) continue;
    if (line.starts_with('#')) {
      const std::string_view fact = trim(line.substr(1));
      const size_t colon = fact.find(':');
      if (colon != fact.npos) results.facts[std::string(fact.substr(0, colon))] = trim(fact.substr(colon + 1));
      continue;
    }
    ASSAY_TRY(const std::vector<std::string> words, words_of(line, place));
    if (columns.empty()) {
      columns = words;
      if (std::set<std::string>(columns.begin(), columns.end()).size() != columns.size())
        return Error{"two columns have the same name", place};
      continue;
    }
    if (words.size() != columns.size())
      return Error{fmt::format("{} words for {} columns", words.size(), columns.size()), place,
                   "- stands for no value, and words with blanks in quotes"};
    json row = json::object();
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] != "-") row[columns[i]] = value_of(words[i]);
    }
    results.rows.push_back(std::move(row));
  }
  if (columns.empty()) return Error{"it names no columns", {file, 1, 1}};
  ASSAY_CHECK(check_facts(results, file));
  return results;
}

Result<json> load_recorded(const std::filesystem::path& file) {
  ASSAY_TRY(const std::string text, read_file(file, kMostBytes));
  if (file.extension() == ".json") {
    json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) return Error{"this is not JSON", {file.string(), 1, 1}};
    return document;
  }
  ASSAY_TRY(ResultsFile results, read_results(text, file.string()));
  return std::move(results.rows);
}

}  // namespace assay::claims
