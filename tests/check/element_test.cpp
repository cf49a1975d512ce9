// SPDX-License-Identifier: MIT
#include "check/element.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "tensor_builder.hpp"

namespace assay::check {
namespace {

using spec::DType;

TEST(Element, BytesAreLittleEndian) {
  uint8_t bytes[8] = {};
  encode_element(DType::f32, 1.0, bytes);
  EXPECT_EQ(bytes[3], 0x3f);
  encode_element(DType::i16, -2, bytes);
  EXPECT_EQ(bytes[0], 0xfe);
  EXPECT_EQ(bytes[1], 0xff);
  EXPECT_EQ(decode_element(DType::i16, bytes), -2);
  EXPECT_EQ(decode_element(DType::u16, bytes), 65534);
}

TEST(Element, EveryTypeHoldsSmallIntegers) {
  for (const std::string& name : spec::dtype_names()) {
    const DType type = *spec::dtype_from_name(name);
    for (int value = 0; value <= (type == DType::i4 ? 7 : 8); ++value) EXPECT_EQ(round_to(type, value), value) << name;
    if (spec::is_floating(type) || spec::is_signed_integer(type)) {
      EXPECT_EQ(round_to(type, -7), -7) << name;
    }
  }
}

TEST(Element, IntegersRoundAndSaturate) {
  EXPECT_EQ(round_to(DType::i8, 1000), 127);
  EXPECT_EQ(round_to(DType::i8, -1000), -128);
  EXPECT_EQ(round_to(DType::u8, -5), 0);
  EXPECT_EQ(round_to(DType::i32, 2.5), 2);
  EXPECT_EQ(round_to(DType::i32, 3.5), 4);
  EXPECT_EQ(round_to(DType::i64, 1e30), 0x1.0p63);
  EXPECT_EQ(round_to(DType::u64, std::numeric_limits<double>::infinity()), 0x1.0p64);
  EXPECT_EQ(round_to(DType::i32, std::nan("")), 0);
}

TEST(Element, FloatsKeepInfinityAndNegativeZero) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::e5m2}) {
    EXPECT_TRUE(std::isinf(round_to(type, -std::numeric_limits<double>::infinity())));
    EXPECT_TRUE(std::signbit(round_to(type, -0.0)));
    EXPECT_TRUE(std::isnan(round_to(type, std::nan(""))));
  }
}

TEST(Element, StridedTensorsLeaveGapsAlone) {
  const spec::ResolvedTensor tensor = strided_tensor(DType::u8, {2, 3}, {4, 1});
  std::vector<uint8_t> buffer(7, 0xee);
  encode(tensor, std::vector<double>{1, 2, 3, 4, 5, 6}, buffer);
  EXPECT_EQ(buffer, (std::vector<uint8_t>{1, 2, 3, 0xee, 4, 5, 6}));
  EXPECT_EQ(decode(tensor, buffer), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(element_offsets(tensor), (std::vector<int64_t>{0, 1, 2, 4, 5, 6}));
}

TEST(Element, TransposedTensors) {
  const spec::ResolvedTensor tensor = strided_tensor(DType::f16, {2, 3}, {1, 2});
  std::vector<uint8_t> buffer(12);
  encode(tensor, std::vector<double>{1, 2, 3, 4, 5, 6}, buffer);
  EXPECT_EQ(decode(dense_tensor(DType::f16, {6}), buffer), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(decode(tensor, buffer), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Element, LargeIntegersKeepEveryBit) {
  constexpr uint64_t kOdd = (uint64_t{1} << 60) + 1;
  std::vector<uint8_t> buffer(16);
  for (const DType type : {DType::i64, DType::u64}) {
    const spec::ResolvedTensor tensor = dense_tensor(type, {2});
    encode(tensor, reference::Numbers({0x1p60, 5}, {kOdd, 5}), buffer);
    EXPECT_EQ(decode(tensor, buffer), reference::Numbers({0x1p60, 5}, {kOdd, 5}));
    EXPECT_EQ(element_text(type, buffer.data()), "1152921504606846977");
    encode(tensor, std::vector<double>{7, 5}, buffer);
    EXPECT_EQ(decode(tensor, buffer), reference::Numbers({7, 5})) << "doubles do";
  }
  encode(dense_tensor(DType::i64, {1}), std::vector<double>{-1}, buffer);
  EXPECT_EQ(element_text(DType::i64, buffer.data()), "-1");
  EXPECT_EQ(element_text(DType::u64, buffer.data()), "18446744073709551615");
}

TEST(Element, WhatAKernelSeesOfNumbers) {
  EXPECT_EQ(rounded(DType::i32, std::vector<double>{2.4, 1e12}), reference::Numbers({2, 2147483647}));
  EXPECT_EQ(rounded(DType::i64, std::vector<double>{2.4, 0x1p60}),
            reference::Numbers({2, 0x1p60}, {2, uint64_t{1} << 60}));
  EXPECT_EQ(rounded(DType::i64, std::vector<double>{1e300}).words.front(), ~uint64_t{0} >> 1) << "saturates";
  EXPECT_EQ(rounded(DType::u64, std::vector<double>{-1e300, std::nan(""), 1e300}).words,
            (std::vector<uint64_t>{0, 0, ~uint64_t{0}}));
}

TEST(Element, ScalarsHaveOneElement) {
  const spec::ResolvedTensor tensor = dense_tensor(DType::f32, {});
  std::vector<uint8_t> buffer(4);
  encode(tensor, std::vector<double>{2.5}, buffer);
  EXPECT_EQ(decode(tensor, buffer), (std::vector<double>{2.5}));
}

TEST(Element, IndexOf) {
  EXPECT_EQ(index_of({2, 3, 4}, 23), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(index_of({2, 3, 4}, 5), (std::vector<int64_t>{0, 1, 1}));
  EXPECT_TRUE(index_of({}, 0).empty());
}

TEST(Element, PackedTypesHaveTwoElementsInAByteTheFirstInItsLowHalf) {
  spec::ResolvedTensor tensor = dense_tensor(DType::i4, {4});
  tensor.bytes = 2;
  std::vector<uint8_t> bytes(2, 0xff);
  encode(tensor, std::vector<double>{1, -1, -8, 100}, bytes);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{0xf1, 0x78}));
  EXPECT_EQ(decode(tensor, bytes), (std::vector<double>{1, -1, -8, 7}));
  tensor.dtype = DType::u4;
  EXPECT_EQ(decode(tensor, bytes), (std::vector<double>{1, 15, 8, 7}));
}

TEST(Element, AnEmptyTensorHasNoElements) {
  spec::ResolvedTensor tensor = dense_tensor(DType::f32, {3, 4});
  tensor.dims = {0, 4};
  tensor.elements = tensor.span = tensor.bytes = 0;
  EXPECT_TRUE(decode(tensor, {}).values.empty());
  EXPECT_TRUE(element_offsets(tensor).empty());
}

}  // namespace
}  // namespace assay::check
