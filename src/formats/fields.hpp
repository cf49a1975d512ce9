// SPDX-License-Identifier: MIT
// The members of a foreign JSON object, each asked for once: what nobody asks for is listed as lost, what has another
// type than it should is an error that names it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "formats/foreign.hpp"

namespace assay::formats {

using nlohmann::ordered_json;

// Whole JSON, members in the order of the text; NaN and Infinity become null. Depth and members are bounded.
Result<ordered_json> parse_ordered(std::string_view text, const std::string& name);

class Fields {
 public:
  Fields(const ordered_json& object, const std::string& file, std::string path = "");

  bool has(const char* name) const;
  std::string text(const char* name);  // must be there
  std::optional<std::string> maybe_text(const char* name);
  std::optional<double> maybe_number(const char* name);
  std::optional<int64_t> maybe_integer(const char* name);
  std::optional<bool> maybe_truth(const char* name);
  std::vector<std::string> texts(const char* name);  // a list of strings; absent or null: none
  const ordered_json* maybe_object(const char* name);
  const ordered_json* maybe_list(const char* name);
  const ordered_json* any(const char* name);  // null: absent; a JSON null is there

  std::string where(const std::string& member = "") const;
  // The first thing that was wrong.
  Result<void> check() const;
  // Members that nobody asked for.
  void leave_rest(std::vector<Lost>& lost) const;

 private:
  const ordered_json* find(const char* name);
  void complain(const char* name, const char* expected);

  const ordered_json* object_;
  std::string file_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

}  // namespace assay::formats
