// SPDX-License-Identifier: MIT
// Which calls the attention library takes, and what it says about those that it does not.
#include "call_check.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "../hopper/choice.hpp"
#include "failure.hpp"
#include "sized_call.hpp"

namespace assay::attention::library {
namespace {

using Call = assay_attention_call;

// Two batches, eight heads on two key heads, 100 queries, 300 keys.
Call good_call() {
  Call call = sized_call(2);
  for (auto* strides : {&call.query_strides, &call.output_strides}) {
    (*strides)[0] = 8 * 100 * 64;
    (*strides)[1] = 100 * 64;
    (*strides)[2] = 64;
  }
  for (auto* strides : {&call.key_strides, &call.value_strides}) {
    (*strides)[0] = 2 * 300 * 64;
    (*strides)[1] = 300 * 64;
    (*strides)[2] = 64;
  }
  return call;
}

TEST(CallCheck, TakesAGoodCall) {
  const Call call = good_call();
  Call known;
  EXPECT_EQ(check_call(&call, true, known), ASSAY_ATTENTION_OK) << last_failure();
  EXPECT_EQ(known.key, call.key);
  EXPECT_EQ(known.value_strides[1], call.value_strides[1]);
  EXPECT_EQ(known.key_rows, call.key_rows);
  EXPECT_EQ(known.scale, call.scale);
}

TEST(CallCheck, TakesEveryHeadSizeAndLengthThatItPromises) {
  for (int head_dim = 8; head_dim <= 256; head_dim += 8) {
    for (int rows : {1, 2, 63, 64, 65, 1 << 20}) {
      Call call = good_call();
      call.head_dim = head_dim;
      call.query_rows = call.key_rows = rows;
      for (auto* strides : {&call.query_strides, &call.key_strides, &call.value_strides, &call.output_strides}) {
        (*strides)[0] = int64_t{8} * rows * head_dim;
        (*strides)[1] = int64_t{rows} * head_dim;
        (*strides)[2] = head_dim;
      }
      Call known;
      EXPECT_EQ(check_call(&call, true, known), ASSAY_ATTENTION_OK) << last_failure();
    }
  }
}

struct Mistake {
  const char* name;
  std::function<void(Call&)> make;
  int status;
  std::string text;
};

TEST(CallCheck, RefusesMistakesAndNamesThem) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<Mistake> mistakes = {
      {"no struct_size", [](Call& c) { c.struct_size = 0; }, ASSAY_ATTENTION_INVALID, "struct_size is 0"},
      {"short struct", [](Call& c) { c.struct_size -= 4; }, ASSAY_ATTENTION_INVALID,
       "sizeof(assay_attention_call), 240"},
      {"absurd struct_size", [](Call& c) { c.struct_size = 1u << 30; }, ASSAY_ATTENTION_INVALID, "struct_size"},
      {"flags", [](Call& c) { c.flags = 8; }, ASSAY_ATTENTION_UNSUPPORTED, "flags are 0x8"},
      {"dtype", [](Call& c) { c.dtype = 2; }, ASSAY_ATTENTION_UNSUPPORTED, "dtype is 2"},
      {"negative dtype", [](Call& c) { c.dtype = -1; }, ASSAY_ATTENTION_UNSUPPORTED, "dtype is -1"},
      {"scale 0", [](Call& c) { c.scale = 0.0f; }, ASSAY_ATTENTION_UNSUPPORTED, "scale is 0"},
      {"scale negative", [](Call& c) { c.scale = -1.0f; }, ASSAY_ATTENTION_UNSUPPORTED, "scale is -1"},
      {"scale infinite", [=](Call& c) { c.scale = infinity; }, ASSAY_ATTENTION_UNSUPPORTED, "scale is inf"},
      {"scale NaN", [](Call& c) { c.scale = std::nanf(""); }, ASSAY_ATTENTION_UNSUPPORTED, "scale is nan"},
      {"batch", [](Call& c) { c.batch = 0; }, ASSAY_ATTENTION_INVALID, "batch is 0"},
      {"query_heads", [](Call& c) { c.query_heads = -8; }, ASSAY_ATTENTION_INVALID, "query_heads is -8"},
      {"key_heads", [](Call& c) { c.key_heads = 0; }, ASSAY_ATTENTION_INVALID, "key_heads is 0"},
      {"uneven heads", [](Call& c) { c.key_heads = 3; }, ASSAY_ATTENTION_INVALID,
       "(8) is no multiple of key_heads (3)"},
      {"more key heads", [](Call& c) { c.key_heads = 16; }, ASSAY_ATTENTION_INVALID, "no multiple"},
      {"query_rows", [](Call& c) { c.query_rows = 0; }, ASSAY_ATTENTION_INVALID, "query_rows is 0"},
      {"key_rows", [](Call& c) { c.key_rows = (1 << 30) + 1; }, ASSAY_ATTENTION_INVALID, "key_rows is 1073741825"},
      {"head_dim 0", [](Call& c) { c.head_dim = 0; }, ASSAY_ATTENTION_INVALID, "head_dim is 0"},
      {"head_dim 12", [](Call& c) { c.head_dim = 12; }, ASSAY_ATTENTION_UNSUPPORTED, "head_dim is 12"},
      {"head_dim 264", [](Call& c) { c.head_dim = 264; }, ASSAY_ATTENTION_UNSUPPORTED, "multiples of 8 up to 256"},
      {"too much", [](Call& c) { c.batch = 1 << 30; }, ASSAY_ATTENTION_UNSUPPORTED, "split the batch"},
      {"null query", [](Call& c) { c.query = nullptr; }, ASSAY_ATTENTION_INVALID, "query is null"},
      {"null output", [](Call& c) { c.output = nullptr; }, ASSAY_ATTENTION_INVALID, "output is null"},
      {"odd address", [](Call& c) { c.value = memory + 8; }, ASSAY_ATTENTION_UNSUPPORTED, "value starts at"},
      {"odd stride", [](Call& c) { c.key_strides[2] = 68; }, ASSAY_ATTENTION_UNSUPPORTED, "key: the row stride is 68"},
      {"negative stride", [](Call& c) { c.query_strides[1] = -64; }, ASSAY_ATTENTION_UNSUPPORTED, "head stride is -64"},
      {"far stride", [](Call& c) { c.query_strides[0] = int64_t{1} << 39; }, ASSAY_ATTENTION_UNSUPPORTED,
       "batch stride"},
      {"output on itself", [](Call& c) { c.output_strides[1] = 0; }, ASSAY_ATTENTION_INVALID, "overwrite each other"},
      {"odd log_sum_exp", [](Call& c) { c.log_sum_exp = reinterpret_cast<float*>(memory + 2); },
       ASSAY_ATTENTION_INVALID, "log_sum_exp"},
  };
  for (const Mistake& mistake : mistakes) {
    Call call = good_call();
    mistake.make(call);
    Call known;
    EXPECT_EQ(check_call(&call, true, known), mistake.status) << mistake.name;
    EXPECT_NE(std::string(last_failure()).find(mistake.text), std::string::npos)
        << mistake.name << ": " << last_failure();
  }
  Call known;
  EXPECT_EQ(check_call(nullptr, true, known), ASSAY_ATTENTION_INVALID);
}

TEST(CallCheck, NeedsNoTensorsForAQuestion) {
  Call call = good_call();
  call.query = call.key = call.value = nullptr;
  call.output = nullptr;
  Call known;
  EXPECT_EQ(check_call(&call, false, known), ASSAY_ATTENTION_OK) << last_failure();
}

TEST(CallCheck, StridesOfSizeOneDoNotMatter) {
  Call call = good_call();
  call.batch = 1;
  call.query_rows = 1;
  call.query_strides[0] = 7;
  call.query_strides[2] = -3;
  call.output_strides[0] = 0;
  Call known;
  ASSERT_EQ(check_call(&call, true, known), ASSAY_ATTENTION_OK) << last_failure();
  EXPECT_EQ(known.query_strides[0] % 8, 0);
  EXPECT_GT(known.query_strides[2], 0);
  EXPECT_GT(known.output_strides[0], 0);
  EXPECT_EQ(known.query_strides[1], call.query_strides[1]);
}

// A caller with the header of version 200, whose struct ended before the sequences.
TEST(CallCheck, TakesTheFirstVersionsStruct) {
  Call call = good_call();
  call.struct_size = 176;  // python/assay_attention/library.py has the same number
  call.softcap = -1.0f;    // not the caller's any more
  call.query_starts = reinterpret_cast<const int32_t*>(memory + 1);
  Call known;
  ASSERT_EQ(check_call(&call, true, known), ASSAY_ATTENTION_OK) << last_failure();
  EXPECT_EQ(known.softcap, 0.0f);
  EXPECT_EQ(known.query_starts, nullptr);
}

// A caller with a newer header: more fields than this library knows, which count only if they say something.
TEST(CallCheck, TakesLongerStructsWhoseRestIsZero) {
  struct {
    Call call;
    int64_t newer[2];
  } longer{good_call(), {0, 0}};
  longer.call.struct_size = sizeof longer;
  Call known;
  EXPECT_EQ(check_call(&longer.call, true, known), ASSAY_ATTENTION_OK) << last_failure();
  longer.newer[1] = 1;
  EXPECT_EQ(check_call(&longer.call, true, known), ASSAY_ATTENTION_UNSUPPORTED);
  EXPECT_NE(std::string(last_failure()).find("newer header"), std::string::npos);
}

TEST(CallCheck, FamilyFollowsTheGpuAndTheCall) {
  const Call call = good_call();
  for (int capability : {80, 86, 87, 89}) EXPECT_EQ(family_of(call, capability), Family::warp) << capability;
  EXPECT_EQ(family_of(call, 90), Family::hopper);
  for (int capability : {0, 70, 75, 100, 103, 120}) EXPECT_EQ(family_of(call, capability), Family::none) << capability;

  const auto family_after = [&](void (*change)(Call&)) {
    Call changed = call;
    change(changed);
    return family_of(changed, 90);
  };
  EXPECT_EQ(family_after([](Call& c) { c.head_dim = 256; }), Family::hopper);
  EXPECT_EQ(family_after([](Call& c) { c.head_dim = 8; }), Family::hopper);
  EXPECT_EQ(family_after([](Call& c) { c.key_strides[1] = 0; }), Family::warp);
  EXPECT_EQ(family_after([](Call& c) { c.batch = 70000; }), Family::warp);
  EXPECT_EQ(family_after([](Call& c) { c.output_strides[2] = 0; }), Family::warp);
}

TEST(CallCheck, FamilyFollowsTheNumberOfKeys) {
  const auto family = [](int head_dim, int keys, uint32_t flags = 0) {
    Call call = good_call();
    call.head_dim = head_dim;
    call.key_rows = keys;
    call.flags = flags;
    return family_of(call, 90);
  };
  EXPECT_EQ(family(64, 64), Family::warp);
  EXPECT_EQ(family(64, 65), Family::hopper);
  EXPECT_EQ(family(128, 65), Family::warp);
  EXPECT_EQ(family(128, 129), Family::hopper);
  EXPECT_EQ(family(192, 65), Family::hopper);
  EXPECT_EQ(family(192, 64), Family::warp);
  EXPECT_EQ(family(192, 64, ASSAY_ATTENTION_CAUSAL), Family::warp);
}

TEST(CallCheck, FamilyFollowsTheNumberOfShortSequences) {
  Call call = good_call();  // of eight heads
  call.key_rows = 60;
  call.batch = hopper::kLeastPairsOfShortKeys / 8;
  EXPECT_EQ(family_of(call, 90), Family::hopper) << "few keys, but many pairs";
  EXPECT_EQ(family_of_long_queries(call, 132, false), Family::hopper) << "more tiles than multiprocessors";
  EXPECT_EQ(family_of(call, 80), Family::warp);
  call.key_strides[1] = 0;
  EXPECT_EQ(family_of(call, 90), Family::warp) << "what TMA cannot copy";
  call = good_call();
  call.key_rows = 60;
  call.batch = 132 / 8;
  EXPECT_EQ(family_of(call, 90), Family::warp) << "few tiles";
  ++call.batch;
  EXPECT_EQ(family_of(call, 90), Family::hopper) << "one more than multiprocessors";
}

TEST(CallCheck, UnknownGpusAreNamed) {
  EXPECT_EQ(fail_no_kernels(120), ASSAY_ATTENTION_NO_KERNEL);
  EXPECT_NE(std::string(last_failure()).find("12.0"), std::string::npos);
}

TEST(Failure, LongTextIsCut) {
  EXPECT_EQ(fail(4, "%s", std::string(2000, 'x').c_str()), 4);
  EXPECT_EQ(std::string(last_failure()), std::string(511, 'x'));
}

// The Python package packs the struct by hand: "=II5Q12q7if".
TEST(CallLayout, HasNoPadding) {
  EXPECT_EQ(sizeof(Call), 2 * 4 + 5 * 8 + 12 * 8 + 7 * 4 + 4u + 4 * 8 + 8 + 6 * 4);
  EXPECT_EQ(offsetof(Call, query), 8u);
  EXPECT_EQ(offsetof(Call, query_strides), 48u);
  EXPECT_EQ(offsetof(Call, batch), 144u);
  EXPECT_EQ(offsetof(Call, scale), 172u);
  EXPECT_EQ(offsetof(Call, query_starts), 176u);  // the first version's size
  EXPECT_EQ(offsetof(Call, softcap), 236u);
  EXPECT_EQ(sizeof(assay_attention_append_call), 192u);
}

}  // namespace
}  // namespace assay::attention::library
