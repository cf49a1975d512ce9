// SPDX-License-Identifier: MIT
#include "page/content.hpp"

#include <fmt/format.h>

#include "page/drawing.hpp"

namespace assay::page {
namespace {

using ledger::Kind;

std::string quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+") ==
          std::string::npos &&
      !word.empty())
    return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The command of a kind that takes a kernel; "": the attempt does not hold its request.
std::string_view command_name(Kind kind) {
  switch (kind) {
    case Kind::measure:
      return "bench";
    case Kind::build:
    case Kind::sanitize:
    case Kind::check:
    case Kind::profile:
    case Kind::run:
    case Kind::suite:
      return to_string(kind);
    default:
      return "";
  }
}

}  // namespace

const gpu::GpuModel* model_of(const std::string& device, const std::string& gpu_name) {
  constexpr std::string_view kVirtual = "vgpu:";
  if (device.starts_with(kVirtual)) return gpu::find_model(std::string_view(device).substr(kVirtual.size()));
  if (gpu_name.empty()) return nullptr;
  for (const gpu::GpuModel& model : gpu::all_models()) {
    if (model.name.starts_with(gpu_name) || gpu_name.starts_with(model.name)) return &model;
  }
  return nullptr;
}

std::string command_of(const ledger::Attempt& attempt) {
  const std::string_view name = command_name(attempt.kind);
  if (name.empty() || attempt.specification.empty()) return "";
  std::string command = fmt::format("assay {} {}", name, quoted(attempt.specification));
  const bool whole_kernel = attempt.kind == Kind::build || attempt.kind == Kind::suite;
  if (!whole_kernel && attempt.configuration.find('=') != std::string::npos)
    command += " --config " + quoted(attempt.configuration);
  const bool one_shape = attempt.kind == Kind::measure || attempt.kind == Kind::profile;
  if (one_shape && !attempt.shape.empty()) command += " --shape " + quoted(attempt.shape);
  if (!attempt.device.empty()) command += " --device " + quoted(attempt.device.substr(0, attempt.device.find(' ')));
  if (attempt.kind != Kind::build && attempt.kind != Kind::measure) command += fmt::format(" --seed {}", attempt.seed);
  return command;
}

std::string time_text(double us) {
  if (us < 1000) return short_number(us) + " us";
  return us < 1e6 ? short_number(us / 1e3) + " ms" : short_number(us / 1e6) + " s";
}

}  // namespace assay::page
