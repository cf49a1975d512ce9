// SPDX-License-Identifier: MIT
// Problems for the tests in few words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "reference/problem.hpp"

namespace assay::reference {

class ProblemBuilder {
 public:
  ProblemBuilder& input(const std::string& name, Shape shape, std::vector<double> values) {
    problem_.inputs[name] = Tensor{name, std::move(shape), std::move(values)};
    return *this;
  }
  ProblemBuilder& normal(const std::string& name, const Shape& shape, uint64_t seed) {
    Random random(seed);
    std::vector<double> values(static_cast<size_t>(element_count(shape).value_or(0)));
    for (double& value : values) value = random.normal();
    return input(name, shape, std::move(values));
  }
  ProblemBuilder& output(const std::string& name, Shape shape) {
    problem_.output_shapes[name] = std::move(shape);
    return *this;
  }
  ProblemBuilder& scalar(const std::string& name, double value) {
    problem_.scalars[name] = value;
    return *this;
  }
  ProblemBuilder& variable(const std::string& name, double value) {
    problem_.variables[name] = value;
    return *this;
  }
  const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

}  // namespace assay::reference
