// SPDX-License-Identifier: MIT
#include "formats/open_metrics.hpp"

#include <fmt/format.h>
#include <set>

#include "base/escape.hpp"

namespace assay::formats {

std::string escape_label(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

Written write_open_metrics(const std::vector<ForeignResult>& results) {
  Written written;
  std::string times;
  std::string counts;
  std::set<std::string> seen;  // a series may stand there once
  for (const ForeignResult& result : results) {
    const std::string labels =
        fmt::format("kernel=\"{}\",contender=\"{}\",shape=\"{}\",configuration=\"{}\",device=\"{}\",protocol=\"{}\"",
                    escape_label(result.task), escape_label(result.contender), escape_label(result.shape),
                    escape_label(result.configuration), escape_label(result.device), escape_label(result.protocol));
    if (!result.time.any()) {
      written.lost.push_back({labels, fmt::format("it has no time ({})", name(result.status))});
      continue;
    }
    if (!seen.insert(labels).second) {
      written.lost.push_back({labels, "the same labels stand there already: the older one is written"});
      continue;
    }
    const auto add = [&](const char* quantile, const std::optional<double>& us) {
      if (us) times += fmt::format("assay_time_seconds{{{},quantile=\"{}\"}} {}\n", labels, quantile, *us / 1e6);
    };
    add("0", result.time.least);
    add("0.25", result.time.lower);
    add("0.5", result.time.median);
    add("0.75", result.time.upper);
    add("1", result.time.most);
    if (result.time.mean)
      times += fmt::format("assay_time_seconds{{{},statistic=\"mean\"}} {}\n", labels, *result.time.mean / 1e6);
    if (result.time.count) counts += fmt::format("assay_samples{{{}}} {}\n", labels, *result.time.count);
    if (!result.time.samples.empty()) written.lost.push_back({labels, "the samples: quantiles stand for them"});
  }
  written.text =
      "# TYPE assay_time_seconds gauge\n# UNIT assay_time_seconds seconds\n"
      "# HELP assay_time_seconds Time of one call on the GPU.\n" +
      times + "# TYPE assay_samples gauge\n# HELP assay_samples Samples behind the quantiles.\n" + counts + "# EOF\n";
  return written;
}

}  // namespace assay::formats
