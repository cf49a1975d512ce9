// SPDX-License-Identifier: MIT
// One name for a result, where a format has room for nothing else: contender, shape and configuration.
#pragma once

#include <string>

#include "formats/foreign.hpp"

namespace assay::formats {

inline std::string result_name(const ForeignResult& result, char separator) {
  std::string name = result.contender;
  if (!result.contender.starts_with(result.task) && !result.task.empty()) name = result.task + separator + name;
  if (!result.shape.empty()) name += separator + result.shape;
  if (!result.configuration.empty()) name += separator + result.configuration;
  return name;
}

}  // namespace assay::formats
