// SPDX-License-Identifier: MIT
#include "spec/resolved_argument.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "sample_spec.hpp"

namespace assay::spec {
namespace {

TEST(ResolvedArgument, TensorsAndScalars) {
  const KernelSpec spec = sample_spec();
  const auto arguments =
      resolve_arguments(spec, *default_configuration(spec), *parse_shape(spec, "S=3,D=64,dtype=bf16,causal=1"));
  ASSERT_TRUE(arguments.ok()) << to_string(arguments.error());
  ASSERT_EQ(arguments->size(), 5u);

  const ResolvedTensor& q = *(*arguments)[0].tensor();
  EXPECT_EQ(q.dtype, DType::bf16);
  EXPECT_EQ(q.dims, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(q.strides, (std::vector<int64_t>{72, 1}));
  EXPECT_EQ(q.elements, 192);
  EXPECT_EQ(q.span, 2 * 72 + 64);
  EXPECT_EQ(q.bytes, 2 * (2 * 72 + 64));
  EXPECT_EQ(q.fill.kind, FillKind::uniform);
  EXPECT_EQ(q.fill.low, 0);
  EXPECT_EQ(q.fill.high, 64);

  const ResolvedTensor& table = *(*arguments)[1].tensor();
  EXPECT_EQ(table.fill.kind, FillKind::constant);
  EXPECT_EQ(table.fill.value, 3);

  const ResolvedTensor& o = *(*arguments)[2].tensor();
  EXPECT_EQ(o.role, Role::output);
  EXPECT_EQ(o.strides, (std::vector<int64_t>{64, 1}));
  EXPECT_EQ(o.bytes, 4 * 192);

  const ResolvedScalar& scale = *(*arguments)[3].scalar();
  EXPECT_EQ(scale.type, DType::f32);
  EXPECT_EQ(scale.value, Value(0.125));
  float encoded = 0;
  ASSERT_EQ(scale.encoded.size(), sizeof encoded);
  std::memcpy(&encoded, scale.encoded.data(), sizeof encoded);
  EXPECT_EQ(encoded, 0.125f);

  const ResolvedScalar& causal = *(*arguments)[4].scalar();
  EXPECT_TRUE(causal.is_bool);
  EXPECT_EQ(causal.encoded, std::vector<uint8_t>{1});
}

TEST(ResolvedArgument, BroadcastStridesAreAllowedForInputs) {
  KernelSpec spec = sample_spec();
  auto& table = std::get<TensorSpec>(spec.arguments[1].kind);
  table.strides = {Expression::constant(0, {})};
  const auto arguments = resolve_arguments(spec, *default_configuration(spec), *first_shape(spec));
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ((*arguments)[1].tensor()->span, 1);
  EXPECT_EQ((*arguments)[1].tensor()->bytes, 4);
  EXPECT_EQ((*arguments)[1].tensor()->elements, 512);
}

TEST(ResolvedArgument, OverflowIsAnErrorNotAWrap) {
  KernelSpec spec = sample_spec();
  auto& table = std::get<TensorSpec>(spec.arguments[1].kind);
  for (const int64_t size : {INT64_MAX, INT64_MAX / 2, int64_t{1} << 47}) {
    table.shape = {Expression::constant(size, {}), Expression::constant(size, {})};
    EXPECT_FALSE(resolve_arguments(spec, *default_configuration(spec), *first_shape(spec)).ok()) << size;
    table.shape = {Expression::constant(size, {})};
    EXPECT_FALSE(resolve_arguments(spec, *default_configuration(spec), *first_shape(spec)).ok()) << size;
  }
}

TEST(ResolvedArgument, TensorMap) {
  KernelSpec spec = sample_spec();
  TensorMapSpec map;
  map.of = "q";
  map.box = {Expression::constant(16, {}), Expression::constant(64, {})};
  map.swizzle = 128;
  spec.arguments[3].kind = map;
  const auto arguments = resolve_arguments(spec, *default_configuration(spec), *first_shape(spec));
  ASSERT_TRUE(arguments.ok()) << to_string(arguments.error());
  const ResolvedTensorMap& resolved = *(*arguments)[3].tensor_map();
  EXPECT_EQ(resolved.of, 0u);
  EXPECT_EQ(resolved.box, (std::vector<int64_t>{16, 64}));
  EXPECT_EQ(resolved.element_strides, (std::vector<int64_t>{1, 1}));
}

TEST(ResolvedArgument, TensorMapOfPixels) {
  KernelSpec spec = sample_spec();
  const auto number = [](int64_t value) { return Expression::constant(Value(value), {}); };
  auto& tensor = std::get<TensorSpec>(spec.arguments[0].kind);
  tensor.shape = {number(2), number(5), number(64)};
  tensor.strides.clear();
  TensorMapSpec map;
  map.of = "q";
  map.im2col = Im2colSpec{{}, {number(-1)}, {number(-1)}, number(64), number(128)};
  spec.arguments[3].kind = map;
  const auto resolve = [&] { return resolve_arguments(spec, *default_configuration(spec), *first_shape(spec)); };
  const auto refusal = [&](auto change) {
    auto& im2col = *std::get<TensorMapSpec>(spec.arguments[3].kind).im2col;
    const Im2colSpec before = im2col;
    change(im2col);
    const auto arguments = resolve();
    im2col = before;
    return arguments ? std::string("accepted") : arguments.error().message;
  };
  const auto arguments = resolve();
  ASSERT_TRUE(arguments.ok()) << to_string(arguments.error());
  const ResolvedTensorMap& resolved = *(*arguments)[3].tensor_map();
  ASSERT_TRUE(resolved.im2col);
  EXPECT_TRUE(resolved.box.empty());
  EXPECT_EQ(resolved.im2col->lower, (std::vector<int64_t>{-1}));
  EXPECT_EQ(resolved.im2col->pixels, 128);
  EXPECT_EQ(resolved.element_strides, (std::vector<int64_t>{1, 1, 1}));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {refusal([&](Im2colSpec& m) { m.lower = {number(-32769)}; }), "lower corner 1 of argument"},
      {refusal([&](Im2colSpec& m) { m.upper = {number(32768)}; }), "expected -32768 to 32767"},
      {refusal([&](Im2colSpec& m) { m.channels = number(257); }), "expected 1 to 256"},
      {refusal([&](Im2colSpec& m) { m.channels = number(4); }), "a pixel of argument"},
      {refusal([&](Im2colSpec& m) { m.pixels = number(1025); }), "expected 1 to 1024"},
  };
  for (const auto& [message, expected] : cases)
    EXPECT_NE(message.find(expected), std::string::npos) << message << ", expected " << expected;
}

}  // namespace
}  // namespace assay::spec
