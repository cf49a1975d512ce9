// SPDX-License-Identifier: MIT
// Walks over configurations and shapes without building lists, so that a check can stop early.
#pragma once

#include <functional>
#include <set>

#include "spec/configuration.hpp"
#include "spec/shape.hpp"

namespace assay::spec {

// The visitor returns false to stop. An error of a constraint or of the visitor ends the walk.
using ConfigurationVisitor = std::function<Result<bool>(const Configuration&)>;
using ShapeVisitor = std::function<Result<bool>(const Shape&)>;

// Legal ones, in the order of configurations(). Where constraints leave next to nothing of very many combinations, it
// ends before all were seen.
Result<void> for_each_configuration(const KernelSpec& spec, const ConfigurationVisitor& visit);
Result<void> for_each_shape(const KernelSpec& spec, const ShapeSet& set, const ShapeVisitor& visit);

// Adds the values of [let] that depend only on what is bound already.
Result<void> bind_lets(const KernelSpec& spec, Bindings& bindings);

// "A=1,B=true" into names and values; `option` names it in messages, `known` are the names that may appear,
// `of_words` those whose value is a word.
Result<Bindings> parse_bindings(std::string_view text, const std::string& option, const std::vector<std::string>& known,
                                const std::set<std::string>& of_words = {});

}  // namespace assay::spec
