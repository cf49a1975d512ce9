// SPDX-License-Identifier: MIT
// Walks over configurations and shapes without building lists, so that a check can stop early.
#pragma once

#include <functional>

#include "spec/configuration.hpp"
#include "spec/shape.hpp"

namespace assay::spec {

// The visitor returns false to stop. An error of a constraint or of the visitor ends the walk.
using ConfigurationVisitor = std::function<Result<bool>(const Configuration&)>;
using ShapeVisitor = std::function<Result<bool>(const Shape&)>;

Result<void> for_each_configuration(const KernelSpec& spec, const ConfigurationVisitor& visit);
Result<void> for_each_shape(const KernelSpec& spec, const ShapeSet& set, const ShapeVisitor& visit);

// Adds the values of [let] that depend only on what is bound already.
Result<void> bind_lets(const KernelSpec& spec, Bindings& bindings);

// "A=1,B=true" into names and values; `option` names it in messages, `known` are the names that may appear.
Result<Bindings> parse_bindings(std::string_view text, const std::string& option,
                                const std::vector<std::string>& known);

}  // namespace assay::spec
