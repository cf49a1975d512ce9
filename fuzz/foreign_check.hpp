// SPDX-License-Identifier: MIT
// What every reader of foreign files promises: an error in words, or tasks and results that can be written again.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "formats/read_foreign.hpp"
#include "formats/result_json.hpp"
#include "require.hpp"

namespace assay::fuzz {

inline void check_statistics(const formats::Statistics& statistics) {
  for (const auto& value :
       {statistics.mean, statistics.median, statistics.least, statistics.most, statistics.deviation})
    require(!value || (std::isfinite(*value) && *value >= 0));
  for (const double sample : statistics.samples) require(std::isfinite(sample) && sample >= 0);
}

inline void check(const Result<formats::Imported>& read) {
  if (!read.ok()) {
    require(!read.error().message.empty());
    return;
  }
  for (const formats::Lost& each : read->lost) require(!each.why.empty());
  for (const formats::ForeignResult& result : read->results) {
    check_statistics(result.time);
    check_statistics(result.baseline);
    const auto back = formats::result_from_json(to_json(result));
    require(back.ok() && back->status == result.status && back->shape == result.shape);
  }
  for (const std::string& format : formats::writable_formats())
    require(formats::write_foreign(read->results, format, "samples").ok());
}

// The input as a folder: texts between lines that hold "=== NAME" alone; without such lines one file of this name.
inline formats::TextFiles as_files(std::string_view input, const std::string& name) {
  formats::TextFiles files;
  size_t at = 0;
  std::string path = name;
  std::string content;
  while (at <= input.size() && files.size() < 16) {
    const size_t end = std::min(input.find('\n', at), input.size());
    const std::string_view line = input.substr(at, end - at);
    if (line.starts_with("=== ")) {
      if (!content.empty()) files.push_back({path, content});
      path = std::string(line.substr(4));
      content.clear();
    } else {
      content += std::string(line) + "\n";
    }
    at = end + 1;
  }
  files.push_back({path, content});
  return files;
}

}  // namespace assay::fuzz
