// SPDX-License-Identifier: MIT
#include "spec/open_points.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::spec {
namespace {

void collect(const std::filesystem::path& file, std::vector<Open>& points) {
  const auto content = read_file(file, size_t{1} << 20);
  if (!content) return;
  int number = 0;
  for (const std::string_view line : split(*content, '\n')) {
    ++number;
    for (const std::string_view mark : {"# open:", "// open:"}) {
      const size_t at = line.find(mark);
      if (at == std::string_view::npos) continue;
      points.push_back(
          {Place{file.string(), number, static_cast<int>(at) + 1}, std::string(trim(line.substr(at + mark.size())))});
      break;
    }
  }
}

}  // namespace

std::vector<Open> open_points(const KernelSpec& spec) {
  std::vector<Open> points;
  collect(spec.file, points);
  for (const std::filesystem::path& file : spec.named_files()) {
    const std::string ending = file.extension().string();
    if (ending == ".cpp" || ending == ".py") collect(spec.folder / file, points);
  }
  return points;
}

Error still_open(const std::vector<Open>& points) {
  std::string message =
      fmt::format("{} still open:", points.size() == 1 ? "one point is" : fmt::format("{} points are", points.size()));
  for (const Open& point : points) message += fmt::format("\n  {}: {}", to_string(point.place), point.text);
  return Error{message,
               {},
               "answer each and remove its comment; assay sanitize judges the kernel without them",
               ExitCode::usage};
}

}  // namespace assay::spec
