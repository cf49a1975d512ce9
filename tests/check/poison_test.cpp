// SPDX-License-Identifier: MIT
#include "check/poison.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "check/element.hpp"
#include "tensor_builder.hpp"

namespace assay::check {
namespace {

using spec::DType;

std::vector<uint8_t> poisoned(const spec::ResolvedTensor& tensor, Poison poison) {
  std::vector<uint8_t> buffer(static_cast<size_t>(tensor.bytes));
  fill_with_poison(tensor.dtype, poison, buffer);
  return buffer;
}

TEST(Poison, IsNanForFloatsAndNeverTheSameTwice) {
  for (const std::string& name : spec::dtype_names()) {
    const DType type = *spec::dtype_from_name(name);
    const auto nan = poison_pattern(type, Poison::nan);
    const auto a5 = poison_pattern(type, Poison::a5);
    const auto ff = poison_pattern(type, Poison::ff);
    if (spec::is_floating(type)) {
      EXPECT_TRUE(std::isnan(decode_element(type, nan.data()))) << name;
      EXPECT_TRUE(std::isnan(decode_element(type, ff.data()))) << name;
    }
    EXPECT_NE(ff, a5);
    EXPECT_NE(std::vector<uint8_t>(nan.begin(), nan.begin() + spec::size_bytes(type)),
              std::vector<uint8_t>(a5.begin(), a5.begin() + spec::size_bytes(type)))
        << name;
  }
}

TEST(Poison, FindsExactlyWhatWasNotWritten) {
  const spec::ResolvedTensor tensor = dense_tensor(DType::f16, {2, 3});
  std::vector<uint8_t> first = poisoned(tensor, Poison::nan), second = poisoned(tensor, Poison::a5);
  for (const size_t position : {0u, 2u, 3u, 5u}) {
    encode_element(DType::f16, 1.0, first.data() + 2 * position);
    encode_element(DType::f16, 1.0, second.data() + 2 * position);
  }
  EXPECT_EQ(unwritten(tensor, first, second), (std::vector<int64_t>{1, 4}));
  const std::vector<uint8_t> bytes = poisoned(tensor, Poison::ff);
  EXPECT_EQ(unwritten(tensor, bytes, second, Poison::ff), (std::vector<int64_t>{1, 4}));
  EXPECT_TRUE(unwritten(tensor, bytes, second).empty()) << "another pattern";
}

TEST(Poison, AValueThatLooksLikePoisonOnceIsWritten) {
  const spec::ResolvedTensor tensor = dense_tensor(DType::i32, {2});
  std::vector<uint8_t> first = poisoned(tensor, Poison::nan);
  std::vector<uint8_t> second = first;  // the kernel really wrote 0x5a5a5a5a
  EXPECT_EQ(still_poisoned(tensor, first, Poison::nan).size(), 2u);
  EXPECT_TRUE(unwritten(tensor, first, second).empty());
}

TEST(Poison, FindsWritesBetweenElements) {
  const spec::ResolvedTensor tensor = strided_tensor(DType::f32, {2, 2}, {4, 1});
  std::vector<uint8_t> buffer = poisoned(tensor, Poison::nan);
  encode(tensor, std::vector<double>{1, 2, 3, 4}, buffer);
  EXPECT_EQ(first_written_gap(tensor, buffer, Poison::nan), std::nullopt);
  buffer[13] = 0;
  EXPECT_EQ(first_written_gap(tensor, buffer, Poison::nan), 13);
}

}  // namespace
}  // namespace assay::check
