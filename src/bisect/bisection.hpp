// SPDX-License-Identifier: MIT
// The search for the first bad one of a row of commits, some of which cannot be judged. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace assay::bisect {

enum class Mark { unknown, good, bad, skipped };

class Bisection {
 public:
  // Commits 0 ... count - 1, the oldest first; the first is known to be good, the last to be bad.
  explicit Bisection(size_t count);

  // The one to look at next: the nearest to the middle that nobody has looked at. Nothing: the search is over.
  std::optional<size_t> next() const;
  void mark(size_t commit, Mark mark);

  size_t last_good() const { return good_; }
  size_t first_bad() const { return bad_; }
  // Those that may be the first bad one: that one, and what was skipped right before it.
  std::vector<size_t> suspects() const;
  size_t steps_left() const;  // about

 private:
  std::vector<Mark> marks_;
  size_t good_ = 0;
  size_t bad_ = 0;
};

}  // namespace assay::bisect
