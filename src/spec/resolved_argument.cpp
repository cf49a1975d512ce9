// SPDX-License-Identifier: MIT
#include "spec/resolved_argument.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/parameter_layout.hpp"
#include "spec/resolved_texture.hpp"
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
    result.at = argument.at;
    result.structure_bytes = argument.structure_bytes;
    result.global = argument.global;
    result.passed = argument.passed;
    if (const TensorSpec* tensor = argument.tensor()) {
      ASSAY_TRY(result.kind, resolve(*tensor, argument));
    } else if (const ScalarSpec* scalar = argument.scalar()) {
      ASSAY_TRY(result.kind, resolve(*scalar, argument));
    } else if (const TensorMapSpec* map = argument.tensor_map()) {
      ASSAY_TRY(result.kind, resolve(*map, argument));
    } else if (const ViewSpec* view = argument.view()) {
      ASSAY_TRY(const int64_t offset, element_offset(view->offset, 1, argument, view->of));
      ASSAY_TRY(result.kind, pointer(view->of, offset));
    } else if (const TextureSpec* texture = argument.texture()) {
      const ArgumentSpec& of = *spec_.find_argument(texture->of);
      ASSAY_TRY(const ResolvedTensor texels, resolve(*of.tensor(), of));
      ASSAY_TRY(ResolvedTexture resolved, resolve_texture(*texture, argument.name, texels, with()));
      resolved.of = static_cast<size_t>(&of - spec_.arguments.data());
      ASSAY_CHECK(resolve_levels(*texture, argument, texels, resolved));
      result.kind = std::move(resolved);
    } else {
      ASSAY_TRY(result.kind, resolve(*argument.pointers(), argument));
    }
    return result;
  }

 private:
  Result<void> resolve_levels(const TextureSpec& texture, const ArgumentSpec& argument, ResolvedTensor before,
                              ResolvedTexture& resolved) const {
    if (!texture.mipmap) return {};
    for (size_t i = 0; i < texture.mipmap->levels.size(); ++i) {
      const ArgumentSpec& level = *spec_.find_argument(texture.mipmap->levels[i]);
      ASSAY_TRY(const ResolvedTensor tensor, resolve(*level.tensor(), level));
      ASSAY_CHECK(check_level(texture, argument.name, i, before, tensor, with()));
      resolved.levels.push_back(static_cast<size_t>(&level - spec_.arguments.data()));
      before = tensor;
    }
    return {};
  }

  std::string with() const { return scope_.empty() ? "" : " with " + to_string(scope_); }

  struct ElementType {
    DType dtype = DType::u8;
    bool is_bool = false;
    bool is_complex = false;
  };

  Result<ElementType> element_type(const TemplateText& text, const ArgumentSpec& argument) const {
    ASSAY_TRY(const std::string name, text.expand(scope_));
    const bool of_tensor = argument.tensor() != nullptr;
    const auto dtype = dtype_from_name(name);
    if (dtype && (of_tensor || !is_packed(*dtype))) return ElementType{*dtype, false, false};
    if (name == "bool") return ElementType{DType::u8, true, false};
    if (of_tensor && name == "c64") return ElementType{DType::f32, false, true};
    if (of_tensor && name == "c128") return ElementType{DType::f64, false, true};
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
    ASSAY_TRY(const ElementType type, element_type(tensor.dtype, argument));
    result.dtype = type.dtype;
    result.is_bool = type.is_bool;
    result.is_complex = type.is_complex;
    ASSAY_TRY(result.dims, integers(tensor.shape, 0, INT64_MAX, "dimension", argument));
    ASSAY_TRY(result.strides, integers(tensor.strides, 0, INT64_MAX, "stride", argument));

    const bool dense = result.strides.empty();
    if (is_packed(result.dtype)) ASSAY_CHECK(check_packed(result, tensor, argument));
    // A complex number is a pair of real ones, for references and comparisons too.
    if (result.is_complex) {
      for (int64_t& stride : result.strides) {
        if (__builtin_mul_overflow(stride, int64_t{2}, &stride)) return too_large(tensor, argument);
      }
      if (!dense) result.strides.push_back(1);
      result.dims.push_back(2);
    }
    const size_t rank = result.dims.size();
    if (dense) result.strides.resize(rank);
    bool overflow = false;
    result.elements = 1;
    int64_t last = 0;  // the index of the last element
    for (size_t i = rank; i-- > 0;) {
      if (dense) result.strides[i] = result.elements;
      int64_t reach = 0;
      overflow = overflow ||
                 __builtin_mul_overflow(std::max<int64_t>(0, result.dims[i] - 1), result.strides[i], &reach) ||
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
    if (overflow || last >= kMaxBytes / size_bytes(result.dtype) || result.elements > kMaxBytes)
      return too_large(tensor, argument);
    result.span = result.elements == 0 ? 0 : last + 1;
    result.bytes = result.span * size_bytes(result.dtype) / (is_packed(result.dtype) ? 2 : 1);
    ASSAY_TRY(result.fill, resolve(tensor.fill, result, argument));
    return result;
  }

  Error too_large(const TensorSpec& tensor, const ArgumentSpec& argument) const {
    return mistake(
        tensor.shape.front().place(),
        fmt::format("argument \"{}\" is too large{}; expected at most {} bytes", argument.name, with(), kMaxBytes));
  }

  // Two elements of one row share a byte: rows must be whole bytes, one behind the other.
  Result<void> check_packed(const ResolvedTensor& tensor, const TensorSpec& written,
                            const ArgumentSpec& argument) const {
    if (!tensor.strides.empty()) {
      return mistake(written.strides.front().place(),
                     fmt::format("argument \"{}\" has strides and packed elements ({}); "
                                 "expected a dense tensor",
                                 argument.name, name(tensor.dtype)));
    }
    if (tensor.dims.back() % 2 == 0) return {};
    return mistake(
        written.shape.back().place(),
        fmt::format("the last dimension of argument \"{}\" is {}{}; expected an even number, since {} has two "
                    "elements in a byte",
                    argument.name, tensor.dims.back(), with(), name(tensor.dtype)));
  }

  // Elements of the tensor before the pointer; the last of `count` pointers must still lie in it, or just behind it.
  Result<int64_t> element_offset(const std::optional<Expression>& expression, int64_t count,
                                 const ArgumentSpec& argument, const std::string& of) const {
    if (!expression) return int64_t{0};
    ASSAY_TRY(const int64_t offset, expression->evaluate_integer(scope_));
    ASSAY_TRY(const ResolvedTensor tensor, resolve(*spec_.find_argument(of)->tensor(), *spec_.find_argument(of)));
    const int64_t span = tensor.is_complex ? tensor.span / 2 : tensor.span;
    int64_t last = 0;
    if (offset >= 0 && !__builtin_mul_overflow(offset, std::max<int64_t>(1, count - 1), &last) && last <= span)
      return offset;
    const std::string far = count > 1 ? fmt::format("{} times {}", count - 1, offset) : std::to_string(offset);
    return mistake(expression->place(),
                   fmt::format("argument \"{}\" points {} elements into \"{}\" (\"{}\"{}); expected 0 to {}",
                               argument.name, far, of, expression->text(), with(), span));
  }

  Result<ResolvedView> pointer(const std::string& of, int64_t elements) const {
    const ArgumentSpec* const target = spec_.find_argument(of);
    ASSAY_TRY(const ElementType type, element_type(target->tensor()->dtype, *target));
    const int64_t bytes =
        elements * size_bytes(type.dtype) * (type.is_complex ? 2 : 1) / (is_packed(type.dtype) ? 2 : 1);
    return ResolvedView{static_cast<size_t>(target - spec_.arguments.data()), bytes};
  }

  Result<ResolvedPointers> resolve(const PointersSpec& pointers, const ArgumentSpec& argument) const {
    constexpr int64_t kMost = int64_t{1} << 24;
    ResolvedPointers result;
    if (!pointers.count) {
      for (const std::string& of : pointers.of) {
        ASSAY_TRY(const ResolvedView view, pointer(of, 0));
        result.to.push_back(view);
      }
      return result;
    }
    ASSAY_TRY(const std::vector<int64_t> count, integers({*pointers.count}, 0, kMost, "count", argument));
    ASSAY_TRY(const int64_t step, element_offset(pointers.step, count[0], argument, pointers.of.front()));
    ASSAY_TRY(const ResolvedView first, pointer(pointers.of.front(), step));
    for (int64_t i = 0; i < count[0]; ++i) result.to.push_back({first.of, i * first.offset_bytes});
    return result;
  }

  Result<Fill> resolve(const FillSpec& fill, const ResolvedTensor& tensor, const ArgumentSpec& argument) const {
    Fill result;
    result.kind = fill.kind;
    result.file = fill.file;
    result.tensor = fill.tensor;
    result.file_place = fill.file_place;
    if (!is_floating(tensor.dtype)) {
      const bool small = is_packed(tensor.dtype);
      result.low = small && tensor.dtype == DType::i4 ? -8 : 0;
      result.high = tensor.is_bool ? 2 : !small ? 100 : tensor.dtype == DType::i4 ? 8 : 16;
      if (tensor.is_bool && fill.kind == FillKind::normal) result.kind = FillKind::uniform;
    }
    const auto read = [&](const std::optional<Expression>& expression, double& target) -> Result<void> {
      if (!expression) return {};
      ASSAY_TRY(target, expression->evaluate_real(scope_));
      return {};
    };
    double offset = 0;
    ASSAY_CHECK(read(fill.mean, result.mean));
    ASSAY_CHECK(read(fill.deviation, result.deviation));
    ASSAY_CHECK(read(fill.low, result.low));
    ASSAY_CHECK(read(fill.high, result.high));
    ASSAY_CHECK(read(fill.value, result.value));
    if (fill.value) {
      ASSAY_TRY(const Value value, fill.value->evaluate(scope_));
      if (value.is_integer()) result.whole = value.integer();
    }
    ASSAY_CHECK(read(fill.total, result.total));
    ASSAY_CHECK(read(fill.density, result.density));
    ASSAY_CHECK(read(fill.offset, offset));
    result.offset = static_cast<int64_t>(offset);
    result.bounded = fill.low.has_value() || fill.high.has_value();
    const auto wrong = [&](const std::optional<Expression>& expression, std::string_view what, double value,
                           std::string_view expected) {
      return mistake(expression->place(), fmt::format("\"{}\" of argument \"{}\" is {}{}; expected {}", what,
                                                      argument.name, value, with(), expected));
    };
    if (result.deviation < 0) return wrong(fill.deviation, "deviation", result.deviation, "zero or more");
    if (result.density < 0 || result.density > 1) return wrong(fill.density, "density", result.density, "0 to 1");
    if (result.total < 0) return wrong(fill.total, "total", result.total, "zero or more");
    if (offset < 0 || offset > 0x1p53) return wrong(fill.offset, "offset", offset, "zero or more");
    if (result.kind == FillKind::permutation && !is_floating(tensor.dtype) && !is_packed(tensor.dtype)) {
      const int bits = 8 * size_bytes(tensor.dtype) - (is_signed_integer(tensor.dtype) ? 1 : 0);
      if (bits < 31 && tensor.dims.back() > int64_t{1} << bits)
        return mistake(argument.place,
                       fmt::format("argument \"{}\" is a permutation of {} numbers{}; expected at most "
                                   "{}, which {} can hold",
                                   argument.name, tensor.dims.back(), with(), int64_t{1} << bits, name(tensor.dtype)));
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
    ASSAY_TRY(const ElementType type, element_type(scalar.type, argument));
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

  // The driver keeps all corners in 16 bits.
  Result<ResolvedIm2col> resolve(const Im2colSpec& im2col, const ArgumentSpec& argument) const {
    constexpr int64_t kMostChannels = 256;
    constexpr int64_t kMostPixels = 1024;
    const int64_t reach = im2col.lower.size() == 1 ? 32768 : im2col.lower.size() == 2 ? 128 : 16;
    ResolvedIm2col result;
    ASSAY_TRY(result.lower, integers(im2col.lower, -reach, reach - 1, "lower corner", argument));
    ASSAY_TRY(result.upper, integers(im2col.upper, -reach, reach - 1, "upper corner", argument));
    ASSAY_TRY(const auto channels, integers({im2col.channels}, 1, kMostChannels, "number of channels", argument));
    ASSAY_TRY(const auto pixels, integers({im2col.pixels}, 1, kMostPixels, "number of pixels", argument));
    result.channels = channels.front();
    result.pixels = pixels.front();
    return result;
  }

  Result<ResolvedTensorMap> resolve(const TensorMapSpec& map, const ArgumentSpec& argument) const {
    constexpr int64_t kMaxBox = 256;
    constexpr int64_t kMaxStride = 8;
    ResolvedTensorMap result;
    result.of = static_cast<size_t>(spec_.find_argument(map.of) - spec_.arguments.data());
    ASSAY_TRY(result.box, integers(map.box, 1, kMaxBox, "box dimension", argument));
    ASSAY_TRY(result.element_strides, integers(map.element_strides, 1, kMaxStride, "element stride", argument));
    const TensorSpec& tensor = *spec_.arguments[result.of].tensor();
    if (result.element_strides.empty()) result.element_strides.assign(tensor.shape.size(), 1);
    if (map.im2col) {
      ASSAY_TRY(result.im2col, resolve(*map.im2col, argument));
    }
    result.swizzle = map.swizzle;
    result.interleave = map.interleave;
    result.l2_promotion = map.l2_promotion;
    result.out_of_bounds_nan = map.out_of_bounds_nan;

    ASSAY_TRY(const ElementType type, element_type(tensor.dtype, spec_.arguments[result.of]));
    const int64_t row_bytes = (map.im2col ? result.im2col->channels : result.box.back()) * size_bytes(type.dtype);
    if (map.interleave == 0 && (row_bytes % 16 != 0 || (map.swizzle != 0 && row_bytes > map.swizzle))) {
      return mistake(map.im2col ? map.im2col->channels.place() : map.box.back().place(),
                     fmt::format("{} of argument \"{}\" has {} bytes{}; expected a multiple of 16{}",
                                 map.im2col ? "a pixel" : "a row of the box", argument.name, row_bytes, with(),
                                 map.swizzle != 0 ? fmt::format(", at most {} for this swizzle", map.swizzle) : ""));
    }
    return result;
  }

  const KernelSpec& spec_;
  const Bindings& scope_;
};

}  // namespace

namespace {

// Members of one structure lie apart, and in it.
Result<void> check_structures(const KernelSpec& spec, const std::vector<ResolvedArgument>& arguments) {
  const ParameterLayout layout = parameter_layout(arguments);
  const auto bytes_of = [&](size_t i) -> size_t {
    if (const ResolvedScalar* scalar = arguments[i].scalar()) return scalar->encoded.size();
    return arguments[i].tensor_map() != nullptr ? kTensorMapBytes : kPointerBytes;
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].structure.empty() || !layout.positions[i]) continue;
    const ParameterLayout::Position& here = *layout.positions[i];
    for (size_t j = 0; j < arguments.size(); ++j) {
      if (!layout.positions[j] || layout.positions[j]->parameter != here.parameter) continue;
      const size_t end = layout.positions[j]->offset + bytes_of(j);
      if (arguments[i].structure_bytes && static_cast<int64_t>(end) > *arguments[i].structure_bytes)
        return mistake(spec.arguments[i].place,
                       fmt::format("structure \"{}\" has {} bytes, and its member \"{}\" ends at {}; expected at least "
                                   "that many",
                                   arguments[i].structure, *arguments[i].structure_bytes, arguments[j].name, end));
      if (j < i && here.offset < end && layout.positions[j]->offset < here.offset + bytes_of(i))
        return mistake(
            spec.arguments[i].place,
            fmt::format("member \"{}\" of structure \"{}\" lies at byte {}, in \"{}\", which has bytes {} to "
                        "{}; expected members that lie apart",
                        arguments[i].name, arguments[i].structure, here.offset, arguments[j].name,
                        layout.positions[j]->offset, end - 1));
    }
  }
  return {};
}

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
  ASSAY_CHECK(check_structures(spec, result));
  return result;
}

}  // namespace assay::spec
