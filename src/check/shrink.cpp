// SPDX-License-Identifier: MIT
#include "check/shrink.hpp"

#include <algorithm>
#include <map>

namespace assay::check {
namespace {

// Enumerating more legal values than this costs more than it gives.
constexpr int64_t kMaxEnumerated = 2048;

class Shrinker {
 public:
  Shrinker(const spec::Shape& failing, const std::vector<Domain>& domains,
           const std::function<bool(const spec::Shape&)>& legal, const std::function<bool(const spec::Shape&)>& fails,
           const ShrinkOptions& options)
      : domains_(domains), legal_(legal), fails_(fails), options_(options), best_(failing) {
    known_[failing] = true;
  }

  Shrunk run() {
    bool progress = true;
    while (progress && !exhausted()) {
      progress = false;
      for (const Domain* domain : largest_first()) progress |= reduce(*domain);
    }
    return {best_, evaluations_, !progress && !exhausted_while_asking_};
  }

 private:
  bool exhausted() const { return evaluations_ >= options_.max_evaluations; }

  bool still_fails(const spec::Shape& shape) {
    if (const auto found = known_.find(shape); found != known_.end()) return found->second;
    if (exhausted()) {
      exhausted_while_asking_ = true;
      return false;
    }
    ++evaluations_;
    return known_[shape] = fails_(shape);
  }

  std::vector<const Domain*> largest_first() const {
    std::vector<const Domain*> order;
    for (const Domain& domain : domains_) {
      if (best_.values.contains(domain.name)) order.push_back(&domain);
    }
    std::stable_sort(order.begin(), order.end(), [&](const Domain* a, const Domain* b) {
      return best_.values.at(a->name).as_double() > best_.values.at(b->name).as_double();
    });
    return order;
  }

  spec::Shape with(const Domain& domain, const spec::Value& value) const {
    spec::Shape shape = best_;
    shape.values[domain.name] = value;
    return shape;
  }

  // Smaller values of the dimension with which the shape is legal, smallest first.
  std::vector<spec::Value> smaller_values(const Domain& domain) const {
    std::vector<spec::Value> candidates;
    const spec::Value current = best_.values.at(domain.name);
    if (domain.open && current.is_integer()) {
      for (int64_t value = 1; value < std::min(current.integer(), kMaxEnumerated); ++value)
        candidates.emplace_back(value);
      std::vector<int64_t> sparse;  // beyond that: by halves, and the immediate neighbour
      for (int64_t value = current.integer() - 1; value >= kMaxEnumerated; value /= 2) sparse.push_back(value);
      std::for_each(sparse.rbegin(), sparse.rend(), [&](int64_t value) { candidates.emplace_back(value); });
    } else {
      for (const spec::Value& value : domain.values) {
        if (value < current) candidates.push_back(value);
      }
    }
    std::erase_if(candidates, [&](const spec::Value& value) { return !legal_(with(domain, value)); });
    return candidates;
  }

  // Makes the dimension as small as bisection can; true if it became smaller.
  bool reduce(const Domain& domain) {
    const std::vector<spec::Value> candidates = smaller_values(domain);
    if (candidates.empty()) return false;
    if (still_fails(with(domain, candidates.front()))) return take(domain, candidates.front());
    size_t passing = 0;                  // candidates[passing] passes
    size_t failing = candidates.size();  // candidates[failing] fails; the end stands for the present value
    while (failing - passing > 1) {
      const size_t middle = passing + (failing - passing) / 2;
      (still_fails(with(domain, candidates[middle])) ? failing : passing) = middle;
    }
    return failing < candidates.size() && take(domain, candidates[failing]);
  }

  bool take(const Domain& domain, const spec::Value& value) {
    best_.values[domain.name] = value;
    return true;
  }

  const std::vector<Domain>& domains_;
  const std::function<bool(const spec::Shape&)>& legal_;
  const std::function<bool(const spec::Shape&)>& fails_;
  const ShrinkOptions& options_;
  spec::Shape best_;
  std::map<spec::Shape, bool> known_;
  size_t evaluations_ = 0;
  bool exhausted_while_asking_ = false;
};

}  // namespace

Shrunk shrink(const spec::Shape& failing, const std::vector<Domain>& domains,
              const std::function<bool(const spec::Shape&)>& legal,
              const std::function<bool(const spec::Shape&)>& fails, const ShrinkOptions& options) {
  return Shrinker(failing, domains, legal, fails, options).run();
}

}  // namespace assay::check
