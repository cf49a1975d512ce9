// SPDX-License-Identifier: MIT
// What a tuning found, for programs: which configuration for which shape; and for other tuners' tools.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "formats/kernel_tuner_cache.hpp"
#include "formats/t4.hpp"
#include "work/tune_details.hpp"

namespace assay::work {
namespace {

using nlohmann::ordered_json;

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(name.begin(), '_');
  return name;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool is_number(const spec::Value& value) {
  return value.is_integer() || value.is_boolean();
}

// In C: numbers as they are, everything else as a string.
std::string c_type(const spec::Value& value) {
  return is_number(value) ? "long long" : "const char*";
}
std::string c_value(const spec::Value& value) {
  if (value.is_boolean()) return value.boolean() ? "1" : "0";
  return is_number(value) ? to_string(value) : "\"" + to_string(value) + "\"";
}
std::string c_value(const tune::ParameterValue& value) {
  return value.number ? fmt::format("{}", static_cast<int64_t>(*value.number)) : "\"" + value.text + "\"";
}
ordered_json json_value(const spec::Value& value) {
  if (value.is_boolean()) return value.boolean();
  if (value.is_integer()) return value.integer();
  return to_string(value);
}
ordered_json json_value(const tune::ParameterValue& value) {
  if (value.text == "true" || value.text == "false") return value.text == "true";
  if (value.number) return static_cast<int64_t>(*value.number);
  return value.text;
}

ordered_json shape_json(const spec::Shape& shape) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : shape.values) object[name] = json_value(value);
  return object;
}

ordered_json configuration_json(const tune::Space& space, size_t configuration) {
  ordered_json object = ordered_json::object();
  for (size_t p = 0; p < space.width(); ++p)
    object[space.parameters()[p].name] = json_value(space.value(configuration, p));
  return object;
}

// A struct with the dimensions of the shape and the tunables, and a table of them.
std::string to_header(const TuneReport& report) {
  const TuneDetails& details = *report.details;
  const std::string name = identifier(report.kernel);
  std::string text = fmt::format(
      "// Which configuration of {} for which shape, found by assay tune on {} ({}).\n#ifndef {}_TUNED_H\n#define "
      "{}_TUNED_H\n\n"
      "struct {}_tuned {{\n  // the shape\n",
      report.kernel, details.run.device, report.quantity, upper(name), upper(name), name);
  for (const auto& [dimension, value] : details.shapes.front().values)
    text += fmt::format("  {} {};\n", c_type(value), identifier(dimension));
  text += "  // the configuration\n";
  for (const tune::Parameter& parameter : details.space.parameters())
    text += fmt::format("  {} {};\n", parameter.numeric() ? "long long" : "const char*", identifier(parameter.name));
  text += fmt::format("}};\n\nstatic const struct {}_tuned {}_tuned_table[] = {{\n", name, name);
  for (size_t i = 0; i < details.shapes.size(); ++i) {
    std::string row;
    for (const auto& [dimension, value] : details.shapes[i].values) row += c_value(value) + ", ";
    for (size_t p = 0; p < details.space.width(); ++p)
      row += c_value(details.space.value(details.winners[i], p)) + ", ";
    text += fmt::format("    {{{}}},\n", row.substr(0, row.size() - 2));
  }
  text += fmt::format("}};\nenum {{ {}_tuned_count = {} }};\n\n#endif\n", name, details.shapes.size());
  return text;
}

std::string toml_table(const ordered_json& object) {
  std::string text;
  for (const auto& [key, value] : object.items())
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value.dump());
  return "{ " + text + " }";
}

std::string to_toml(const TuneReport& report) {
  const TuneDetails& details = *report.details;
  std::string text = fmt::format(
      "# Found by assay tune: which configuration for which shape.\nkernel   = {}\ndevice   = {}\nquantity = {}\nunit  "
      "   = {}\n",
      ordered_json(report.kernel).dump(), ordered_json(details.run.device).dump(), ordered_json(report.quantity).dump(),
      ordered_json(report.unit).dump());
  for (size_t i = 0; i < details.shapes.size(); ++i)
    text += fmt::format("\n[[choice]]\nshape         = {}\nconfiguration = {}\nvalue         = {}\n",
                        toml_table(shape_json(details.shapes[i])),
                        toml_table(configuration_json(details.space, details.winners[i])),
                        ordered_json(report.winners[i].value).dump());
  return text;
}

std::string to_choices_json(const TuneReport& report) {
  const TuneDetails& details = *report.details;
  ordered_json document{{"kernel", report.kernel},
                        {"device", details.run.device},
                        {"quantity", report.quantity},
                        {"unit", report.unit},
                        {"choices", ordered_json::array()}};
  for (size_t i = 0; i < details.shapes.size(); ++i)
    document["choices"].push_back({{"shape", shape_json(details.shapes[i])},
                                   {"configuration", configuration_json(details.space, details.winners[i])},
                                   {"value", report.winners[i].value}});
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<std::string> export_tuning(const TuneReport& report, const std::string& format) {
  if (!report.details) return Error{"there is nothing to export"};
  if (format == "t4") return formats::to_t4(report.details->run);
  if (format == "kernel_tuner") return formats::to_kernel_tuner_cache(report.details->run);
  if (format != "header" && format != "toml" && format != "json")
    return Error{fmt::format("there is no format '{}'", format), {}, "formats: header, toml, json, t4, kernel_tuner"};
  if (report.winners.empty()) return Error{"no configuration was found that could be exported"};
  if (format == "header") return to_header(report);
  return format == "toml" ? to_toml(report) : to_choices_json(report);
}

}  // namespace assay::work
