// SPDX-License-Identifier: MIT
// Calls with sequences, pages, windows and capped scores: which are taken, by which kernels, and what is said of
// others.
#include "serving_call.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "call_check.hpp"
#include "failure.hpp"
#include "sized_call.hpp"

namespace assay::attention::library {
namespace {

using Call = assay_attention_call;
using Append = assay_attention_append_call;

const auto* numbers = reinterpret_cast<const int32_t*>(memory);

// Four sequences of at most 100 queries and 300 keys, (rows, heads, head_dim).
Call packed_call() {
  Call call = sized_call(4);
  for (auto* strides : {&call.query_strides, &call.output_strides}) {
    (*strides)[0] = -1;  // of batches, which packed sequences have not
    (*strides)[1] = 64;
    (*strides)[2] = 8 * 64;
  }
  for (auto* strides : {&call.key_strides, &call.value_strides}) {
    (*strides)[0] = -1;
    (*strides)[1] = 64;
    (*strides)[2] = 2 * 64;
  }
  call.query_starts = call.key_starts = numbers;
  call.total_query_rows = 260;
  return call;
}

// The same keys in pages of 32 rows.
Call paged_call() {
  Call call = packed_call();
  call.key_starts = nullptr;
  call.key_lengths = call.block_table = numbers;
  call.page_rows = 32;
  call.block_table_stride = 10;
  call.key_strides[0] = call.value_strides[0] = 32 * 2 * 64;
  return call;
}

// One batch of 100 queries and 300 keys, without anything of version 300.
Call plain_call() {
  Call call = packed_call();
  call.query_starts = call.key_starts = nullptr;
  call.query_strides[0] = call.output_strides[0] = 100 * 8 * 64;
  call.key_strides[0] = call.value_strides[0] = 300 * 2 * 64;
  return call;
}

Call checked(const Call& call) {
  Call known;
  EXPECT_EQ(check_call(&call, true, known), ASSAY_ATTENTION_OK) << last_failure();
  return known;
}

TEST(ServingCall, TakesSequencesPagesAndLengths) {
  EXPECT_TRUE(is_serving(checked(packed_call())));
  EXPECT_TRUE(is_serving(checked(paged_call())));
  EXPECT_FALSE(is_serving(checked(plain_call())));
  Call lengths = plain_call();
  lengths.key_lengths = numbers;
  lengths.added_keys = 3;
  EXPECT_TRUE(is_serving(checked(lengths)));
  Call capped = plain_call();
  capped.softcap = 30.0f;
  EXPECT_TRUE(is_serving(checked(capped)));
}

// Sequences of one row each still lie one behind the other.
TEST(ServingCall, KeepsTheRowStrideOfPackedSequences) {
  Call call = packed_call();
  call.query_rows = call.key_rows = 1;
  const Call known = checked(call);
  EXPECT_EQ(known.query_strides[2], 8 * 64);
  EXPECT_EQ(known.key_strides[2], 2 * 64);
  EXPECT_EQ(known.output_strides[2], 8 * 64);
}

TEST(ServingCall, WindowsThatAreNoneBecomeNone) {
  struct Case {
    int left, right;
    uint32_t flags;
    bool serving, causal;
  };
  constexpr uint32_t kWindow = ASSAY_ATTENTION_WINDOW;
  constexpr uint32_t kBoth = ASSAY_ATTENTION_WINDOW | ASSAY_ATTENTION_CAUSAL;
  for (const Case& c : std::vector<Case>{{0, 0, 0, false, false},
                                         {-1, -1, kWindow, false, false},
                                         {299, 99, kWindow, false, false},
                                         {298, -1, kWindow, true, false},
                                         {-1, 98, kWindow, true, false},
                                         {-1, 0, kWindow, false, true},
                                         {-1, 5, kBoth, false, true},
                                         {400, 5, kBoth, false, true},
                                         {5, 5, kBoth, true, true},
                                         {0, 0, kWindow, true, true}}) {
    Call call = plain_call();
    call.flags = c.flags;
    call.window_left = c.left;
    call.window_right = c.right;
    const Call known = checked(call);
    EXPECT_EQ(is_serving(known), c.serving) << c.left << " " << c.right << " " << c.flags;
    EXPECT_EQ((known.flags & ASSAY_ATTENTION_CAUSAL) != 0, c.causal) << c.left << " " << c.right << " " << c.flags;
  }
}

TEST(ServingCall, CountsTheKeysOfAWindow) {
  Call call = plain_call();
  EXPECT_EQ(visible_keys(checked(call)), 300);
  call.flags = ASSAY_ATTENTION_WINDOW | ASSAY_ATTENTION_CAUSAL;
  call.window_left = 20;
  EXPECT_EQ(visible_keys(checked(call)), 120);
  call.query_rows = 1;
  EXPECT_EQ(visible_keys(checked(call)), 21);
}

struct ServingMistake {
  std::function<void(Call&)> make;
  int status;
  std::string text;
};

TEST(ServingCall, RefusesMistakesAndNamesThem) {
  const std::vector<ServingMistake> mistakes = {
      {[](Call& c) { c.query_starts = reinterpret_cast<const int32_t*>(memory + 2); }, ASSAY_ATTENTION_INVALID,
       "query_starts starts at no multiple of 4"},
      {[](Call& c) { c.softcap = -1.0f; }, ASSAY_ATTENTION_UNSUPPORTED, "softcap is -1"},
      {[](Call& c) { c.softcap = std::nanf(""); }, ASSAY_ATTENTION_UNSUPPORTED, "softcap is nan"},
      {[](Call& c) { c.added_keys = -1; }, ASSAY_ATTENTION_INVALID, "added_keys is -1"},
      {[](Call& c) { c.added_keys = 301; }, ASSAY_ATTENTION_INVALID, "added_keys is 301"},
      {[](Call& c) { c.key_lengths = nullptr, c.added_keys = 1; }, ASSAY_ATTENTION_INVALID, "no key_lengths"},
      {[](Call& c) { c.page_rows = 24; }, ASSAY_ATTENTION_UNSUPPORTED,
       "page_rows is 24; supported are multiples of 16"},
      {[](Call& c) { c.page_rows = 0; }, ASSAY_ATTENTION_UNSUPPORTED, "page_rows is 0"},
      {[](Call& c) { c.block_table = nullptr; }, ASSAY_ATTENTION_INVALID, "there is no block_table"},
      {[](Call& c) { c.block_table_stride = 9; }, ASSAY_ATTENTION_INVALID, "need 10 numbers for each sequence"},
      {[](Call& c) { c.total_query_rows = 0; }, ASSAY_ATTENTION_INVALID, "total_query_rows is 0"},
      {[](Call& c) { c.key_strides[0] = 12; }, ASSAY_ATTENTION_UNSUPPORTED, "key: the batch stride is 12"},
      {[](Call& c) { c.query_strides[2] = 12; }, ASSAY_ATTENTION_UNSUPPORTED, "query: the row stride is 12"},
  };
  for (const ServingMistake& mistake : mistakes) {
    Call call = paged_call();
    mistake.make(call);
    Call known;
    EXPECT_EQ(check_call(&call, true, known), mistake.status) << mistake.text;
    EXPECT_NE(std::string(last_failure()).find(mistake.text), std::string::npos) << last_failure();
  }
}

TEST(ServingCall, FamilyFollowsTheGpuAndTheQueries) {
  const Call call = checked(paged_call());
  EXPECT_EQ(family_of(call, 80), Family::serving_tiles);
  EXPECT_EQ(family_of(call, 89), Family::serving_tiles);
  EXPECT_EQ(family_of(call, 75), Family::none);
  EXPECT_EQ(family_of(call, 90), Family::serving_streaming);
  Call few_keys = call;
  few_keys.key_rows = 64;
  EXPECT_EQ(family_of(few_keys, 90), Family::serving_tiles);
  Call decoding = call;
  decoding.query_rows = 1;
  EXPECT_EQ(family_of(decoding, 90), Family::serving_split);
  EXPECT_EQ(family_of(decoding, 86), Family::serving_tiles);
  decoding.key_rows = 20;
  EXPECT_EQ(family_of(decoding, 90), Family::serving_split) << "one tile of packed rows, however few the keys";
  decoding.query_rows = 9;
  EXPECT_EQ(family_of(decoding, 90), Family::serving_tiles) << "more rows than a tile and few keys";
}

Append good_append() {
  Append call{};
  call.struct_size = sizeof call;
  call.new_key = call.new_value = memory;
  call.key = call.value = memory + 16;
  for (auto* strides : {&call.new_key_strides, &call.new_value_strides, &call.key_strides, &call.value_strides}) {
    (*strides)[0] = 300 * 2 * 64;
    (*strides)[1] = 64;
    (*strides)[2] = 2 * 64;
  }
  call.batch = 4;
  call.key_heads = 2;
  call.new_rows = 3;
  call.key_rows = 300;
  call.head_dim = 64;
  call.key_lengths = numbers;
  return call;
}

TEST(AppendCall, TakesCachesWithAndWithoutPages) {
  Append known;
  Append call = good_append();
  EXPECT_EQ(check_append(&call, known), ASSAY_ATTENTION_OK) << last_failure();
  call.block_table = numbers;
  call.page_rows = 48;
  call.block_table_stride = 7;
  EXPECT_EQ(check_append(&call, known), ASSAY_ATTENTION_OK) << last_failure();
}

TEST(AppendCall, RefusesMistakesAndNamesThem) {
  const struct {
    std::function<void(Append&)> make;
    int status;
    std::string text;
  } mistakes[] = {
      {[](Append& c) { c.struct_size = 8; }, ASSAY_ATTENTION_INVALID, "struct_size is 8"},
      {[](Append& c) { c.new_rows = 0; }, ASSAY_ATTENTION_INVALID, "new_rows is 0"},
      {[](Append& c) { c.first_row = -1; }, ASSAY_ATTENTION_INVALID, "first_row is -1"},
      {[](Append& c) { c.reserved = 1; }, ASSAY_ATTENTION_UNSUPPORTED, "newer header"},
      {[](Append& c) { c.dtype = 5; }, ASSAY_ATTENTION_UNSUPPORTED, "dtype is 5"},
      {[](Append& c) { c.head_dim = 20; }, ASSAY_ATTENTION_UNSUPPORTED, "head_dim is 20"},
      {[](Append& c) { c.page_rows = 16; }, ASSAY_ATTENTION_INVALID, "no block_table"},
      {[](Append& c) { c.key = nullptr; }, ASSAY_ATTENTION_INVALID, "key is null"},
      {[](Append& c) { c.value_strides[0] = 0; }, ASSAY_ATTENTION_INVALID, "value: the batch stride is 0"},
      {[](Append& c) { c.new_key = memory + 4; }, ASSAY_ATTENTION_UNSUPPORTED, "new_key starts at"},
  };
  Append known;
  for (const auto& mistake : mistakes) {
    Append call = good_append();
    mistake.make(call);
    EXPECT_EQ(check_append(&call, known), mistake.status) << mistake.text;
    EXPECT_NE(std::string(last_failure()).find(mistake.text), std::string::npos) << last_failure();
  }
  EXPECT_EQ(check_append(nullptr, known), ASSAY_ATTENTION_INVALID);
}

}  // namespace
}  // namespace assay::attention::library
