// SPDX-License-Identifier: MIT
#include "learn/step.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace assay::learn {
namespace {

using nlohmann::json;

constexpr size_t kMostSteps = 10'000;

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

// [3, 4]: from 3 to 4 per cent; the middle counts.
std::optional<double> middle_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array() || found->size() != 2) return std::nullopt;
  if (!(*found)[0].is_number() || !(*found)[1].is_number()) return std::nullopt;
  const double middle = ((*found)[0].get<double>() + (*found)[1].get<double>()) / 2;
  return middle >= 0 && middle < 100 ? std::optional(middle) : std::nullopt;
}

// Times before and after; factors over one other kernel, before and after; or per cent of the time.
std::optional<double> ratio_of(const json& outcome) {
  if (!outcome.is_object()) return std::nullopt;
  const auto before = number_of(outcome, "before_us"), after = number_of(outcome, "after_us");
  if (before && after) return *before / *after;
  const auto lead_before = number_of(outcome, "before_x"), lead_after = number_of(outcome, "after_x");
  if (lead_before && lead_after) return *lead_after / *lead_before;
  if (const auto less = middle_of(outcome, "less_percent")) return 1 / (1 - *less / 100);
  if (const auto more = middle_of(outcome, "more_percent")) return 1 / (1 + *more / 100);
  return std::nullopt;
}

}  // namespace

Result<Step> step_of(const json& origin, const json& step) {
  if (!origin.is_object() || !step.is_object()) return Error{"a step is an object"};
  Step made;
  made.kernel = text_of(origin, "kernel");
  if (const std::string own = text_of(step, "kernel"); !own.empty()) made.kernel = own;
  made.device = text_of(origin, "device");
  made.name = text_of(step, "name");
  made.change = text_of(step, "change");
  made.expected = text_of(step, "expected");
  made.came = text_of(step, "came");
  made.profiled = step.value("profiled", json(false)) == json(true);
  made.kept = step.value("kept", json(true)) == json(true);
  if (made.kernel.empty() || made.device.empty() || made.name.empty() || made.change.empty())
    return Error{fmt::format("step '{}' lacks its kernel, device, name or change", made.name)};
  const auto outcomes = step.find("outcomes");
  if (outcomes == step.end()) return made;
  if (!outcomes->is_array()) return Error{fmt::format("step '{}': outcomes are a list", made.name)};
  for (const json& outcome : *outcomes) {
    const std::optional<double> ratio = ratio_of(outcome);
    if (!ratio)
      return Error{fmt::format("step '{}': outcome {} has no figures", made.name, made.ratios.size() + 1),
                   {},
                   "before_us and after_us, before_x and after_x, or less_percent or more_percent: [low, high]"};
    made.ratios.push_back(*ratio);
  }
  return made;
}

Result<StepFile> read_steps(std::string_view text, const std::string& file) {
  const json document = json::parse(text, nullptr, false);
  const Place place{file, 1, 1};
  if (!document.is_object() || document.value("assay_steps", json(0)) != json(1) || !document.contains("steps") ||
      !document["steps"].is_array())
    return Error{"this is no file of steps", place, "it has \"assay_steps\": 1 and a list \"steps\""};
  if (document["steps"].size() > kMostSteps) return Error{"more than ten thousand steps", place};
  StepFile read;
  for (const char* fact : {"kernel", "device", "date", "versions", "command"}) {
    const std::string value = text_of(document, fact);
    if (value.empty()) return Error{fmt::format("figures without their '{}' cannot be believed", fact), place};
    read.origin[fact] = value;
  }
  for (const json& entry : document["steps"]) {
    if (const auto step = step_of(read.origin, entry); !step) {
      Error error = step.error();
      error.place = place;
      return error;
    }
    read.steps.push_back(entry);
  }
  return read;
}

}  // namespace assay::learn
