// SPDX-License-Identifier: MIT
// Which checks watch a launch: one value, from the request to the engine. The names are those of the registry in
// vgpu/observe; here they are only words.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::gpu {

inline constexpr std::string_view kMemcheck = "memcheck";

class CheckSet {
 public:
  CheckSet() = default;
  CheckSet(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) add(name);
  }

  void add(std::string_view name) { names_.emplace(name); }
  void remove(std::string_view name) {
    if (const auto found = names_.find(name); found != names_.end()) names_.erase(found);
  }
  bool contains(std::string_view name) const { return names_.contains(name); }
  bool empty() const { return names_.empty(); }
  const std::set<std::string, std::less<>>& names() const { return names_; }
  bool operator==(const CheckSet&) const = default;

 private:
  std::set<std::string, std::less<>> names_;
};

// What a verdict looked at, and what it did not: classes of defects, in words.
struct Coverage {
  std::vector<std::string> checks;  // that ran, by name
  std::vector<std::string> checked;
  std::vector<std::string> not_checked;
};

}  // namespace assay::gpu
