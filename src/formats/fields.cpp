// SPDX-License-Identifier: MIT
#include "formats/fields.hpp"

#include <cmath>
#include <fmt/format.h>

namespace assay::formats {
namespace {

constexpr size_t kMostFieldDepth = 64;
constexpr size_t kMostFieldMembers = 10'000;  // of one object: finding one takes a step for each

// Words that JSON lacks are replaced; the depth and the members of each object are bounded.
Result<std::string> cleaned(std::string_view source, const std::string& name) {
  std::string text;
  text.reserve(source.size());
  std::vector<std::pair<char, size_t>> open;  // the bracket, and the commas inside so far
  const auto word = [&](size_t at, std::string_view wanted) { return source.substr(at, wanted.size()) == wanted; };
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '"') {
      const size_t start = i++;
      while (i < source.size() && source[i] != '"') i += source[i] == '\\' ? 2 : 1;
      text += source.substr(start, std::min(i + 1, source.size()) - start);
      continue;
    }
    size_t skipped = 0;
    for (const std::string_view each : {"-Infinity", "Infinity", "NaN"}) {
      if (skipped == 0 && word(i, each)) skipped = each.size();
    }
    if (skipped > 0) {
      text += "null";
      i += skipped - 1;
      continue;
    }
    text += c;
    if (c == '{' || c == '[') {
      open.emplace_back(c, 0);
      if (open.size() > kMostFieldDepth)
        return Error{fmt::format("the JSON is nested deeper than {} levels", kMostFieldDepth), Place{name}};
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    } else if (c == ',' && !open.empty() && open.back().first == '{' && ++open.back().second > kMostFieldMembers) {
      return Error{fmt::format("an object has more than {} members", kMostFieldMembers), Place{name}};
    }
  }
  return text;
}

}  // namespace

Result<ordered_json> parse_ordered(std::string_view text, const std::string& name) {
  ASSAY_TRY(const std::string clean, cleaned(text, name));
  ordered_json value = ordered_json::parse(clean, nullptr, false);
  if (value.is_discarded()) return Error{"this is not JSON, or it was cut off", Place{name}};
  return value;
}

Fields::Fields(const ordered_json& object, const std::string& file, std::string path)
    : object_(&object), file_(file), path_(std::move(path)) {
  if (!object.is_object())
    error_ = Error{fmt::format("{} is not an object", path_.empty() ? "this" : "'" + path_ + "'"), Place{file_}};
}

std::string Fields::where(const std::string& member) const {
  std::string path = path_;
  if (!member.empty()) path += (path.empty() ? "" : ".") + member;
  return path.empty() ? file_ : file_ + ": " + path;
}

void Fields::complain(const char* name, const char* expected) {
  if (error_) return;
  error_ = Error{fmt::format("'{}{}{}' is not {}", path_, path_.empty() ? "" : ".", name, expected), Place{file_}};
}

const ordered_json* Fields::find(const char* name) {
  asked_.insert(name);
  if (!object_->is_object()) return nullptr;
  const auto found = object_->find(name);
  return found == object_->end() ? nullptr : &*found;
}

bool Fields::has(const char* name) const {
  return object_->is_object() && object_->contains(name);
}

const ordered_json* Fields::any(const char* name) {
  return find(name);
}

std::string Fields::text(const char* name) {
  const ordered_json* const value = find(name);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  if (!error_ && value == nullptr)
    error_ = Error{fmt::format("there is no '{}{}{}'", path_, path_.empty() ? "" : ".", name), Place{file_}};
  complain(name, "a string");
  return "";
}

std::optional<std::string> Fields::maybe_text(const char* name) {
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  complain(name, "a string");
  return std::nullopt;
}

std::optional<double> Fields::maybe_number(const char* name) {
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  complain(name, "a number");
  return std::nullopt;
}

std::optional<int64_t> Fields::maybe_integer(const char* name) {
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    complain(name, "an integer of 64 bits");
    return std::nullopt;
  }
  if (value->is_number_integer()) return value->get<int64_t>();
  complain(name, "an integer");
  return std::nullopt;
}

std::optional<bool> Fields::maybe_truth(const char* name) {
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  complain(name, "true or false");
  return std::nullopt;
}

std::vector<std::string> Fields::texts(const char* name) {
  std::vector<std::string> list;
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return list;
  if (!value->is_array()) complain(name, "a list of strings");
  if (!value->is_array()) return list;
  for (const ordered_json& each : *value) {
    if (each.is_string()) {
      list.push_back(each.get<std::string>());
    } else {
      complain(name, "a list of strings");
    }
  }
  return list;
}

const ordered_json* Fields::maybe_object(const char* name) {
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return nullptr;
  if (value->is_object()) return value;
  complain(name, "an object");
  return nullptr;
}

const ordered_json* Fields::maybe_list(const char* name) {
  const ordered_json* const value = find(name);
  if (value == nullptr || value->is_null()) return nullptr;
  if (value->is_array()) return value;
  complain(name, "a list");
  return nullptr;
}

Result<void> Fields::check() const {
  return error_ ? Result<void>(*error_) : Result<void>();
}

void Fields::leave_rest(std::vector<Lost>& lost) const {
  if (!object_->is_object()) return;
  for (const auto& [name, value] : object_->items()) {
    if (!asked_.contains(name)) lost.push_back({where(name), "nothing here is like this member"});
  }
}

}  // namespace assay::formats
