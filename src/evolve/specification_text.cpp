// SPDX-License-Identifier: MIT
#include "evolve/specification_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/expression.hpp"

namespace assay::evolve {
namespace {

std::string value_text(const std::variant<int64_t, bool>& value) {
  if (const bool* said = std::get_if<bool>(&value)) return *said ? "true" : "false";
  return std::to_string(std::get<int64_t>(value));
}

Result<void> check_constraint(const std::string& text, const std::set<std::string>& tunables) {
  constexpr std::string_view kAllowed = "+-*/%=!<>&|?:(), ._";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kAllowed.find(c) != std::string_view::npos;
  });
  if (!plain) return Error{fmt::format("the constraint '{}' holds characters that no expression has", text)};
  const auto parsed = spec::Expression::parse(text, {});
  if (!parsed) return Error{fmt::format("the constraint '{}': {}", text, parsed.error().message)};
  for (const std::string& name : parsed->names()) {
    if (!tunables.contains(name))
      return Error{fmt::format("the constraint '{}' names '{}', which is no tunable", text, name)};
  }
  return {};
}

struct Section {
  size_t begin = std::string::npos;  // behind the line of its head
  size_t end = 0;
};

Section section_named(const std::string& text, std::string_view head) {
  Section section;
  size_t start = 0;
  while (start < text.size()) {
    const size_t stop = std::min(text.find('\n', start), text.size());
    std::string_view line = trim(std::string_view(text).substr(start, stop - start));
    line = trim(line.substr(0, line.find('#')));
    if (section.begin != std::string::npos && line.starts_with('[') && line.ends_with(']')) {
      section.end = start;
      return section;
    }
    if (line == head) section.begin = std::min(stop + 1, text.size());
    start = stop + 1;
  }
  section.end = text.size();
  return section;
}

}  // namespace

Result<std::string> with_tunables(const OriginalSpecification& original, const std::vector<NewTunable>& tunables,
                                  const std::vector<std::string>& constraints) {
  if (tunables.empty() && constraints.empty()) return original.text;
  std::set<std::string> names = original.tunables;
  std::string lines;
  for (const NewTunable& each : tunables) {
    if (!spec::is_identifier(each.name) || spec::is_reserved_name(each.name) || each.name == "constraints")
      return Error{fmt::format("'{}' cannot be the name of a tunable", each.name)};
    if (original.other_names.contains(each.name) || !names.insert(each.name).second)
      return Error{fmt::format("'{}' is the name of something else already", each.name)};
    std::vector<std::string> values;
    for (const auto& value : each.values) values.push_back(value_text(value));
    lines += fmt::format("{} = [{}]\n", each.name, join(values, ", "));
  }
  std::string quoted;
  for (const std::string& each : constraints) {
    ASSAY_CHECK(check_constraint(each, names));
    quoted += fmt::format("\"{}\", ", each);
  }
  std::string result = original.text;
  if (!result.ends_with('\n')) result += '\n';
  Section section = section_named(result, "[tunable]");
  if (section.begin == std::string::npos) {
    result += "\n[tunable]\n";
    section = {result.size(), result.size()};
  }
  if (!quoted.empty()) {
    // Into the list that is there, or as a list of its own.
    const std::string inside = result.substr(section.begin, section.end - section.begin);
    size_t at = std::string::npos;
    size_t start = 0;
    for (const std::string_view line : split(inside, '\n')) {
      if (trim(line).starts_with("constraints") && line.find('[') != std::string_view::npos) {
        at = section.begin + start + line.find('[') + 1;
        break;
      }
      start += line.size() + 1;
    }
    if (at != std::string::npos) {
      result.insert(at, quoted);
    } else {
      lines += fmt::format("constraints = [{}]\n", quoted);
    }
  }
  result.insert(section.begin, lines);
  return result;
}

std::string with_defaults(const std::string& text, const std::string& configuration) {
  if (configuration.empty() || configuration == "default") return text;
  std::string lines;
  for (const std::string_view part : split(configuration, ',')) {
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos)
      lines += fmt::format("{} = {}\n", part.substr(0, equals), part.substr(equals + 1));
  }
  std::string result = text;
  if (!result.ends_with('\n')) result += '\n';
  const Section section = section_named(result, "[defaults]");
  if (section.begin == std::string::npos) return result + "\n[defaults]\n" + lines;
  return result.replace(section.begin, section.end - section.begin, lines + "\n");
}

}  // namespace assay::evolve
