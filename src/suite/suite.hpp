// SPDX-License-Identifier: MIT
// What a suite file says, as far as it is known without its kernels; docs/suite_toml.md describes the format.
// plan.hpp turns it into things to measure.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/value.hpp"

namespace assay::suite {

inline constexpr size_t kMaxKernels = 1'000;  // [[kernel]] tables
inline constexpr size_t kMaxItems = 20'000;   // things to measure, in all

// A string of the file and where it stands.
struct Word {
  std::string text;
  Place place;
};

// How every item of a kernel is measured: the options of assay bench.
struct Measuring {
  std::string protocol = "graph";
  std::string cache = "warm";
  size_t sets = 4;
  size_t samples = 100;  // at least
  size_t most_samples = 1200;
  double budget_s = 20;  // of each shape
  double width = 0.008;  // half the interval of the ratio

  bool operator==(const Measuring&) const = default;
};

struct Dimension {
  std::string name;
  Place place;
  std::vector<spec::Value> values;  // one, unless it is an axis of a grid
  std::vector<Place> value_places;
};

struct ShapeTable {
  Place place;
  std::vector<Dimension> dimensions;
};

// One of: a set of the kernel's specification, a list of shapes, a grid.
struct ShapeChoice {
  std::optional<Word> set;
  std::vector<ShapeTable> list;
  std::optional<ShapeTable> grid;
};

struct Dtypes {
  Place place;
  std::vector<spec::DType> types;  // empty: as the shapes say
};

// [[kernel]]
struct KernelEntry {
  Place place;
  Word folder;                       // as written
  std::vector<Word> configurations;  // "default", "all", "NAME=value,..."
  ShapeChoice shapes;
  Dtypes dtypes;
  std::optional<Word> candidate;  // a [baseline.NAME] that takes the kernel's place
  std::vector<Word> baselines;
  Measuring measuring;
};

struct Suite {
  std::filesystem::path file;
  std::filesystem::path folder;  // what the file's paths are relative to
  std::string name;
  std::string description;
  std::vector<KernelEntry> kernels;
};

Result<Suite> load(const std::filesystem::path& file);
Result<Suite> parse(std::string_view text, const std::string& file_name, const std::filesystem::path& folder);

}  // namespace assay::suite
