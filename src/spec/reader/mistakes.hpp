// SPDX-License-Identifier: MIT
// The mistakes of a specification: a reader notes each and goes on, so that one run tells them all.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay::spec {

class Mistakes {
 public:
  void add(Error mistake);  // once, if the same is said again about the same place
  void add(const Place& place, const std::string& message, std::string hint = {});

  // What the result holds; a mistake is noted.
  template <class T>
  std::optional<T> take(Result<T> result) {
    if (result) return std::move(result).value();
    add(std::move(result).error());
    return std::nullopt;
  }
  bool take(Result<void> result) {
    if (!result) add(std::move(result).error());
    return result.ok();
  }

  bool none() const { return all_.empty(); }
  size_t count() const { return all_.size(); }
  const std::vector<Error>& all() const { return all_; }

  // All of them as one error, in the order of the file: the place is that of the first, every other one has a line of
  // its own in the message. There is at least one.
  Error together() const;

 private:
  std::vector<Error> all_;
};

}  // namespace assay::spec
