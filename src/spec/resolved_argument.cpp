// SPDX-License-Identifier: MIT
#include "spec/resolved_argument.hpp"

#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/scalar_encoding.hpp"

namespace assay::spec {

namespace {

// Buffers beyond this are a mistake in an expression, not a wish.
constexpr int64_t kMaxBytes = int64_t{1} << 46;

class Resolver {
 public:
  Resolver(const KernelSpec& spec, const Bindings& scope) : spec_(spec), scope_(scope) {}

  Result<ResolvedArgument> resolve(const ArgumentSpec& argument) const {
    ResolvedArgument result;
    result.name = argument.name;
    result.structure = argument.structure;
    result.passed = argument.passed;
    if (const TensorSpec* tensor = argument.tensor()) {
      ASSAY_TRY(result.kind, resolve(*tensor, argument));
    } else if (const ScalarSpec* scalar = argument.scalar()) {
      ASSAY_TRY(result.kind, resolve(*scalar, argument));
    } else {
      ASSAY_TRY(result.kind, resolve(*argument.tensor_map(), argument));
    }
    return result;
  }

 private:
  std::string with() const { return scope_.empty() ? "" : " with " + to_string(scope_); }

  struct ElementType {
    DType dtype = DType::u8;
    bool is_bool = false;
  };

  Result<ElementType> element_type(const TemplateText& text, const ArgumentSpec& argument, bool allow_bool) const {
    ASSAY_TRY(const std::string name, text.expand(scope_));
    if (const auto dtype = dtype_from_name(name)) return ElementType{*dtype, false};
    if (allow_bool && name == "bool") return ElementType{DType::u8, true};
    return mistake(text.place(), fmt::format("the type of argument \"{}\" becomes \"{}\"{}; expected one of {}",
                                             argument.name, name, with(), join(dtype_names(), ", ")));
  }

  Result<std::vector<int64_t>> integers(const std::vector<Expression>& expressions, int64_t lowest, int64_t highest,
                                        std::string_view what, const ArgumentSpec& argument) const {
    std::vector<int64_t> result;
    for (size_t i = 0; i < expressions.size(); ++i) {
      ASSAY_TRY(const int64_t number, expressions[i].evaluate_integer(scope_));
      if (number < lowest || number > highest) {
        const std::string limit =
            highest == INT64_MAX ? fmt::format("at least {}", lowest) : fmt::format("{} to {}", lowest, highest);
        return mistake(expressions[i].place(),
                       fmt::format("{} {} of argument \"{}\" is {} (\"{}\"{}); expected {}", what, i + 1, argument.name,
                                   number, expressions[i].text(), with(), limit));
      }
      result.push_back(number);
    }
    return result;
  }

  Result<ResolvedTensor> resolve(const TensorSpec& tensor, const ArgumentSpec& argument) const {
    ResolvedTensor result;
    result.role = tensor.role;
    ASSAY_TRY(const ElementType type, element_type(tensor.dtype, argument, false));
    result.dtype = type.dtype;
    ASSAY_TRY(result.dims, integers(tensor.shape, 1, INT64_MAX, "dimension", argument));
    ASSAY_TRY(result.strides, integers(tensor.strides, 0, INT64_MAX, "stride", argument));

    const size_t rank = result.dims.size();
    const bool dense = result.strides.empty();
    if (dense) result.strides.resize(rank);
    bool overflow = false;
    result.elements = 1;
    int64_t last = 0;  // the index of the last element
    for (size_t i = rank; i-- > 0;) {
      if (dense) result.strides[i] = result.elements;
      int64_t reach = 0;
      overflow = overflow || __builtin_mul_overflow(result.dims[i] - 1, result.strides[i], &reach) ||
                 __builtin_add_overflow(last, reach, &last) ||
                 __builtin_mul_overflow(result.elements, result.dims[i], &result.elements);
      if (!dense && result.strides[i] == 0 && result.dims[i] > 1 && tensor.role != Role::input) {
        return mistake(tensor.strides[i].place(),
                       fmt::format("stride {} of argument \"{}\" is 0; expected elements of an "
                                   "output not to share memory",
                                   i + 1, argument.name));
      }
    }
    // The number of elements counts too: strides of 0 make many elements of few bytes.
    if (overflow || last >= kMaxBytes / size_bytes(result.dtype) || result.elements > kMaxBytes) {
      return mistake(
          tensor.shape.front().place(),
          fmt::format("argument \"{}\" is too large{}; expected at most {} bytes", argument.name, with(), kMaxBytes));
    }
    result.span = last + 1;
    result.bytes = result.span * size_bytes(result.dtype);
    ASSAY_TRY(result.fill, resolve(tensor.fill, result.dtype, argument));
    return result;
  }

  Result<Fill> resolve(const FillSpec& fill, DType dtype, const ArgumentSpec& argument) const {
    Fill result;
    result.kind = fill.kind;
    if (!is_floating(dtype)) {
      result.low = 0;
      result.high = 100;
    }
    const auto read = [&](const std::optional<Expression>& expression, double& target) -> Result<void> {
      if (!expression) return {};
      ASSAY_TRY(target, expression->evaluate_real(scope_));
      return {};
    };
    ASSAY_CHECK(read(fill.mean, result.mean));
    ASSAY_CHECK(read(fill.deviation, result.deviation));
    ASSAY_CHECK(read(fill.low, result.low));
    ASSAY_CHECK(read(fill.high, result.high));
    ASSAY_CHECK(read(fill.value, result.value));
    if (result.deviation < 0) {
      return mistake(fill.deviation->place(),
                     fmt::format("\"deviation\" of argument \"{}\" is {}; expected zero or more", argument.name,
                                 result.deviation));
    }
    if (result.low >= result.high) {
      const Place& place = fill.high ? fill.high->place() : fill.low->place();
      return mistake(place, fmt::format("\"low\" of argument \"{}\" is {} and \"high\" is {}; expected low < high",
                                        argument.name, result.low, result.high));
    }
    return result;
  }

  Result<ResolvedScalar> resolve(const ScalarSpec& scalar, const ArgumentSpec& argument) const {
    ResolvedScalar result;
    ASSAY_TRY(const ElementType type, element_type(scalar.type, argument, true));
    result.is_bool = type.is_bool;
    result.type = type.dtype;
    if (result.is_bool) {
      ASSAY_TRY(const bool flag, scalar.value.evaluate_condition(scope_));
      result.value = Value(int64_t{flag});
    } else if (is_floating(result.type)) {
      ASSAY_TRY(const double number, scalar.value.evaluate_real(scope_));
      result.value = Value(number);
    } else {
      ASSAY_TRY(const int64_t number, scalar.value.evaluate_integer(scope_));
      result.value = Value(number);
    }
    auto encoded = encode(result.value, result.type);
    if (!encoded) {
      return mistake(scalar.value.place(),
                     fmt::format("argument \"{}\" is {} (\"{}\"{}), which {} cannot hold", argument.name,
                                 to_string(result.value), scalar.value.text(), with(), name(result.type)));
    }
    result.encoded = std::move(*encoded);
    return result;
  }

  Result<ResolvedTensorMap> resolve(const TensorMapSpec& map, const ArgumentSpec& argument) const {
    constexpr int64_t kMaxBox = 256;
    constexpr int64_t kMaxStride = 8;
    ResolvedTensorMap result;
    result.of = static_cast<size_t>(spec_.find_argument(map.of) - spec_.arguments.data());
    ASSAY_TRY(result.box, integers(map.box, 1, kMaxBox, "box dimension", argument));
    ASSAY_TRY(result.element_strides, integers(map.element_strides, 1, kMaxStride, "element stride", argument));
    if (result.element_strides.empty()) result.element_strides.assign(result.box.size(), 1);
    result.swizzle = map.swizzle;
    result.interleave = map.interleave;
    result.l2_promotion = map.l2_promotion;
    result.out_of_bounds_nan = map.out_of_bounds_nan;

    const TensorSpec& tensor = *spec_.arguments[result.of].tensor();
    ASSAY_TRY(const ElementType type, element_type(tensor.dtype, spec_.arguments[result.of], false));
    const int64_t row_bytes = result.box.back() * size_bytes(type.dtype);
    if (map.interleave == 0 && (row_bytes % 16 != 0 || (map.swizzle != 0 && row_bytes > map.swizzle))) {
      return mistake(map.box.back().place(),
                     fmt::format("a row of the box of argument \"{}\" has {} bytes{}; expected a multiple of 16{}",
                                 argument.name, row_bytes, with(),
                                 map.swizzle != 0 ? fmt::format(", at most {} for this swizzle", map.swizzle) : ""));
    }
    return result;
  }

  const KernelSpec& spec_;
  const Bindings& scope_;
};

}  // namespace

Result<std::vector<ResolvedArgument>> resolve_arguments(const KernelSpec& spec, const Configuration& configuration,
                                                        const Shape& shape) {
  ASSAY_TRY(const Bindings scope, bind(spec, configuration, shape));
  const Resolver resolver(spec, scope);
  std::vector<ResolvedArgument> result;
  for (const ArgumentSpec& argument : spec.arguments) {
    ASSAY_TRY(ResolvedArgument resolved, resolver.resolve(argument));
    result.push_back(std::move(resolved));
  }
  return result;
}

}  // namespace assay::spec
