// SPDX-License-Identifier: MIT
#include "spec/parameter_layout.hpp"

#include <algorithm>

namespace assay::spec {
namespace {

struct Extent {
  size_t bytes = 0;
  size_t alignment = 1;
};

Extent extent_of(const ResolvedArgument& argument) {
  constexpr size_t kTensorMapAlignment = 64;
  if (const ResolvedScalar* scalar = argument.scalar()) return {scalar->encoded.size(), scalar->encoded.size()};
  if (argument.tensor_map() != nullptr) return {kTensorMapBytes, kTensorMapAlignment};
  return {kPointerBytes, kPointerBytes};
}

size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

namespace {

// Adds arguments one after the other.
class LayoutMaker {
 public:
  explicit LayoutMaker(size_t arguments) { layout_.positions.resize(arguments); }

  void add(const ResolvedArgument& argument, size_t index) {
    if (argument.structure.empty() || argument.structure != structure_) {
      close();
      structure_ = argument.structure;
      layout_.parameters.push_back({structure_.empty() ? argument.name : structure_, 0});
    }
    const Extent extent = extent_of(argument);
    ParameterLayout::Parameter& parameter = layout_.parameters.back();
    const size_t offset = argument.at ? static_cast<size_t>(*argument.at) : round_up(end_, extent.alignment);
    end_ = offset + extent.bytes;
    parameter.bytes = std::max(parameter.bytes, end_);
    alignment_ = std::max(alignment_, extent.alignment);
    if (argument.structure_bytes) given_bytes_ = static_cast<size_t>(*argument.structure_bytes);
    layout_.positions[index] = {layout_.parameters.size() - 1, offset};
  }

  ParameterLayout finish() && {
    close();
    return std::move(layout_);
  }

 private:
  // A structure's size is a multiple of its strictest alignment, unless the specification gives it.
  void close() {
    if (!structure_.empty()) {
      size_t& bytes = layout_.parameters.back().bytes;
      bytes = given_bytes_ ? std::max(bytes, *given_bytes_) : round_up(bytes, alignment_);
    }
    alignment_ = 1;
    end_ = 0;
    given_bytes_.reset();
  }

  ParameterLayout layout_;
  std::string structure_;  // of the last parameter; empty: it is none
  size_t alignment_ = 1;
  size_t end_ = 0;  // of the last field
  std::optional<size_t> given_bytes_;
};

}  // namespace

ParameterLayout parameter_layout(const std::vector<ResolvedArgument>& arguments) {
  LayoutMaker maker(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].passed) maker.add(arguments[i], i);
  }
  return std::move(maker).finish();
}

ParameterLayout parameter_layout(const std::vector<ResolvedArgument>& arguments,
                                 const std::vector<std::string>& names) {
  LayoutMaker maker(arguments.size());
  for (const std::string& name : names) {
    const auto found = std::ranges::find(arguments, name, &ResolvedArgument::name);
    if (found != arguments.end()) maker.add(*found, static_cast<size_t>(found - arguments.begin()));
  }
  return std::move(maker).finish();
}

}  // namespace assay::spec
