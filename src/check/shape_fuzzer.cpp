// SPDX-License-Identifier: MIT
#include "check/shape_fuzzer.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "spec/launch.hpp"

namespace assay::check {
namespace {

bool is_prime(int64_t number) {
  if (number < 2) return false;
  for (int64_t divisor = 2; divisor <= number / divisor; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return true;
}

// The nearest prime that is not larger; 1 if there is none.
int64_t prime_up_to(int64_t number) {
  while (number > 1 && !is_prime(number)) --number;
  return std::max<int64_t>(number, 1);
}

}  // namespace

Result<std::vector<int64_t>> tile_edges(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  std::set<int64_t> edges;
  const auto add = [&](int64_t value) {
    if (value >= 2) edges.insert(value);
  };
  for (const auto& [name, value] : configuration.values) {
    if (value.is_integer()) add(value.integer());
  }
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(spec));
  for (const spec::Shape& shape : shapes) {
    bool taken = true;  // this configuration takes this shape
    for (const spec::StageSpec& stage : spec.stages) {
      const auto launch = spec::launch_geometry(spec, stage, configuration, shape);
      taken = taken && launch;
      if (!taken) break;
      for (const uint32_t extent : launch->block) add(extent);
    }
    if (taken) break;
  }
  return std::vector<int64_t>(edges.begin(), edges.end());
}

std::vector<size_t> ShapeFuzzer::open_dimensions() const {
  std::vector<size_t> open;
  for (size_t i = 0; i < domains_.size(); ++i) {
    if (domains_[i].open) open.push_back(i);
  }
  return open;
}

int64_t ShapeFuzzer::draw_edge(int64_t limit) {
  if (edges_.empty()) return 1 + static_cast<int64_t>(random_.below(static_cast<uint64_t>(limit)));
  const int64_t tile = edges_[random_.below(edges_.size())];
  const int64_t multiples = std::max<int64_t>(1, limit / tile);
  const int64_t multiple = 1 + static_cast<int64_t>(random_.below(static_cast<uint64_t>(multiples)));
  return tile * multiple - 1 + static_cast<int64_t>(random_.below(3));
}

int64_t ShapeFuzzer::draw(int64_t limit) {
  const auto bound = static_cast<uint64_t>(limit);
  int64_t value = 1;
  switch (random_.below(5)) {
    case 0:
    case 1:
      value = draw_edge(limit);
      break;
    case 2:
      value = (int64_t{1} << random_.below(static_cast<uint64_t>(std::bit_width(bound)))) - 1 +
              static_cast<int64_t>(random_.below(3));
      break;
    case 3:
      value = prime_up_to(1 + static_cast<int64_t>(random_.below(std::min<uint64_t>(bound, 1u << 20))));
      break;
    default:
      value = 1 + static_cast<int64_t>(random_.below(bound));
      break;
  }
  return std::clamp<int64_t>(value, 1, limit);
}

spec::Shape ShapeFuzzer::next(const std::function<bool(const spec::Shape&)>& affordable) {
  spec::Shape shape;
  for (const Domain& domain : domains_) {
    if (domain.open) {
      shape.values[domain.name] = draw(domain.limit);
    } else if (!domain.values.empty()) {
      shape.values[domain.name] = domain.values[random_.below(domain.values.size())];
    }
  }
  const std::vector<size_t> open = open_dimensions();
  if (open.empty()) return shape;
  const std::string& focus = domains_[open[turn_++ % open.size()]].name;
  while (!affordable(shape)) {
    std::string largest = focus;
    for (const size_t i : open) {
      const std::string& name = domains_[i].name;
      const int64_t value = shape.values.at(name).integer();
      if (name != focus && value > 1 && (largest == focus || value > shape.values.at(largest).integer()))
        largest = name;
    }
    const int64_t value = shape.values.at(largest).integer();
    if (value == 1) break;
    shape.values[largest] = draw(value / 2);  // drawn again, so that it still tends to lie at an edge
  }
  return shape;
}

}  // namespace assay::check
