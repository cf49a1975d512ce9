// SPDX-License-Identifier: MIT
#include "evolve/schema.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::evolve {
namespace {

using nlohmann::json;

bool is_of_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr size_t kMost = 60;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  std::string check(const json& schema, const json& value, const std::string& at) const {
    if (schema.contains("$ref")) return check(resolved(schema["$ref"]), value, at);
    for (const auto& each :
         {&Checker::type, &Checker::constant, &Checker::number, &Checker::text, &Checker::list, &Checker::object}) {
      if (std::string wrong = (this->*each)(schema, value, at); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  const json& resolved(const std::string& reference) const {
    return root_.at(json::json_pointer(reference.substr(1)));  // "#/$defs/tunable"
  }

  static std::string wrong(const std::string& at, const std::string& what) {
    return fmt::format("{}: {}", at.empty() ? "/" : at, what);
  }

  std::string type(const json& schema, const json& value, const std::string& at) const {
    const auto found = schema.find("type");
    if (found == schema.end()) return "";
    std::vector<std::string> types;
    if (found->is_string()) {
      types.push_back(*found);
    } else {
      types = found->get<std::vector<std::string>>();
    }
    if (std::ranges::any_of(types, [&](const std::string& each) { return is_of_type(value, each); })) return "";
    return wrong(at, fmt::format("expected {}, found {}", join(types, " or "), shown(value)));
  }

  std::string constant(const json& schema, const json& value, const std::string& at) const {
    if (const auto found = schema.find("const"); found != schema.end() && *found != value)
      return wrong(at, fmt::format("expected {}, found {}", shown(*found), shown(value)));
    const auto choices = schema.find("enum");
    if (choices == schema.end() || std::ranges::find(*choices, value) != choices->end()) return "";
    return wrong(at, fmt::format("expected one of {}, found {}", choices->dump(), shown(value)));
  }

  std::string number(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_number()) return "";
    const auto least = schema.find("minimum");
    if (least != schema.end() && value.get<double>() < least->get<double>())
      return wrong(at, fmt::format("expected at least {}, found {}", shown(*least), shown(value)));
    const auto most = schema.find("maximum");
    if (most != schema.end() && value.get<double>() > most->get<double>())
      return wrong(at, fmt::format("expected at most {}, found {}", shown(*most), shown(value)));
    return "";
  }

  std::string text(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_string()) return "";
    const auto& content = value.get_ref<const std::string&>();
    if (content.size() < schema.value("minLength", size_t{0})) return wrong(at, "is empty");
    if (const size_t most = schema.value("maxLength", content.size()); content.size() > most)
      return wrong(at, fmt::format("has {} bytes, at most {} are allowed", content.size(), most));
    const auto pattern = schema.find("pattern");
    if (pattern == schema.end() || std::regex_match(content, std::regex(pattern->get<std::string>()))) return "";
    return wrong(at, fmt::format("{} does not match {}", shown(value), pattern->get<std::string>()));
  }

  std::string list(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_array()) return "";
    if (value.size() < schema.value("minItems", size_t{0}) || value.size() > schema.value("maxItems", value.size()))
      return wrong(at, fmt::format("has {} elements: too {}", value.size(),
                                   value.size() < schema.value("minItems", size_t{0}) ? "few" : "many"));
    const auto items = schema.find("items");
    if (items == schema.end()) return "";
    for (size_t i = 0; i < value.size(); ++i) {
      if (std::string each = check(*items, value[i], fmt::format("{}/{}", at, i)); !each.empty()) return each;
    }
    return "";
  }

  std::string object(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_object()) return "";
    if (value.size() < schema.value("minProperties", size_t{0})) return wrong(at, "has no members");
    if (value.size() > schema.value("maxProperties", value.size())) return wrong(at, "has too many members");
    if (const auto needed = schema.find("required"); needed != schema.end()) {
      for (const std::string name : *needed) {
        if (!value.contains(name)) return wrong(at, fmt::format("'{}' is missing", name));
      }
    }
    static const json kNone = json::object();
    const auto properties = schema.find("properties");
    const json& known = properties == schema.end() ? kNone : *properties;
    const auto further = schema.find("additionalProperties");
    for (const auto& [name, member] : value.items()) {
      const std::string place = fmt::format("{}/{}", at, name);
      if (known.contains(name)) {
        if (std::string each = check(known[name], member, place); !each.empty()) return each;
      } else if (further != schema.end() && further->is_object()) {
        if (std::string each = check(*further, member, place); !each.empty()) return each;
      } else if (further != schema.end() && *further == false) {
        std::vector<std::string> names;
        for (const auto& [each, unused] : known.items()) names.push_back(each);
        return wrong(place, "there is no such member; known are " + join(names, ", "));
      }
    }
    return "";
  }

  const json& root_;
};

}  // namespace

Result<json> read_document(const std::string& text) {
  constexpr int kDeepest = 64;  // what is written back out is written recursively
  bool shallow = true;
  std::string twice;                        // a member that an object has twice: readers differ in which they take
  std::vector<std::set<std::string>> open;  // the members of each object that is being read
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& value) {
    shallow = shallow && depth <= kDeepest;
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second && twice.empty())
      twice = value.get<std::string>();
    return shallow;
  };
  json document = json::parse(text, watch, false);
  if (!shallow) return Error{fmt::format("nests deeper than {} levels", kDeepest)};
  if (!twice.empty()) return Error{fmt::format("has the member '{}' twice", escape_terminal(twice.substr(0, 80)))};
  if (document.is_discarded())
    return Error{fmt::format("is not one JSON document: '{}'", escape_terminal(text.substr(0, 200)))};
  return document;
}

std::string violation(const json& schema, const json& document) {
  return Checker(schema).check(schema, document, "");
}

const json& schema_named(std::string_view file) {
  static const auto schemas = [] {
    std::map<std::string, json, std::less<>> all;
    for (const EmbeddedFile& each : schema_files()) all.emplace(each.name, json::parse(each.text));
    return all;
  }();
  return schemas.find(file)->second;
}

Result<std::string> validate_document(const std::string& text, const std::string& file) {
  if (trim(text).empty()) return std::string("pass");
  auto read = read_document(text);
  if (!read) return Error{"this " + read.error().message, Place{file}, "docs/schemas describes requests and answers"};
  const json& document = *read;
  if (document.is_object() && document.empty()) return std::string("pass");
  const bool request = document.is_object() && (document.contains("parent") || document.contains("specification"));
  const std::string name = request ? "evolve_request.v1.json" : "evolve_answer.v1.json";
  if (const std::string wrong = violation(schema_named(name), document); !wrong.empty())
    return Error{wrong, Place{file}, "docs/schemas/" + name + " describes it"};
  return std::string(request ? "request" : "answer");
}

}  // namespace assay::evolve
