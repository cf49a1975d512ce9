// SPDX-License-Identifier: MIT
#include "measure/input_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "check/element.hpp"
#include "fake_contender.hpp"

namespace assay::measure {
namespace {

InputSet make(const ProblemFolder& folder, uint64_t seed, const std::string& name, Draw draw = Draw::as_specified) {
  static ScratchFiles scratch(1 << 20);
  auto set = InputSet::make(folder.problem(), seed, scratch, name, draw);
  EXPECT_TRUE(set.ok()) << (set ? "" : to_string(set.error()));
  return set ? std::move(*set) : InputSet();
}

TEST(InputSet, has_the_same_bytes_for_the_same_seed) {
  const ProblemFolder folder;
  const InputSet one = make(folder, 3, "one");
  const InputSet again = make(folder, 3, "again");
  const InputSet other = make(folder, 4, "other");
  ASSERT_EQ(one.files.size(), 1u) << "the output is no input";
  EXPECT_EQ(one.seed, 3u);
  EXPECT_EQ(one.hashes, again.hashes);
  EXPECT_NE(one.hashes, other.hashes);
  EXPECT_EQ(*read_file(one.files.at("x")), *read_file(again.files.at("x")));
  EXPECT_EQ(read_file(one.files.at("x"))->size(), 8u * 12 * 4);
  EXPECT_EQ(one.hashes.at("x"), content_hash(*read_file(one.files.at("x"))));
}

TEST(InputSet, gives_a_reference_what_the_kernel_sees) {
  const ProblemFolder folder;
  const InputSet set = make(folder, 3, "one");
  const auto values = set.values(folder.problem());
  ASSERT_TRUE(values.ok());
  ASSERT_EQ(values->at("x").values.size(), 96u);
  const spec::ResolvedTensor& tensor = *folder.problem().inputs()[0]->tensor();
  std::string encoded(static_cast<size_t>(tensor.bytes), '\0');
  check::encode(tensor, values->at("x"), std::span(reinterpret_cast<uint8_t*>(encoded.data()), encoded.size()));
  EXPECT_EQ(encoded, *read_file(set.files.at("x")));
}

TEST(InputSet, draws_constant_fills_at_random_only_on_demand) {
  const ProblemFolder folder(layer_norm_toml());
  const auto specified = make(folder, 3, "specified").values(folder.problem());
  const auto drawn = make(folder, 3, "drawn", Draw::random_floats).values(folder.problem());
  ASSERT_TRUE(specified.ok() && drawn.ok());
  EXPECT_EQ(specified->at("weight"), std::vector<double>(8, 1.0));
  EXPECT_EQ(specified->at("bias"), std::vector<double>(8, 0.0));
  EXPECT_EQ(drawn->at("x"), specified->at("x")) << "a fill that is random already stays";
  for (const char* name : {"weight", "bias"}) {
    const std::vector<double>& values = drawn->at(name).values;
    EXPECT_NE(*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())) << name;
  }
}

TEST(InputSet, leaves_integers_of_a_constant_fill_alone) {
  std::string toml = row_sum_toml();
  toml.replace(toml.find("dtype = \"f32\""), 13, "dtype = \"i32\"");
  toml.replace(toml.find("fill = \"normal\""), 15, "fill = \"ones\"");
  const ProblemFolder folder(toml);
  EXPECT_EQ(make(folder, 3, "one").hashes, make(folder, 3, "two", Draw::random_floats).hashes);
}

TEST(InputSet, cannot_be_made_where_nothing_can_be_written) {
  const ProblemFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/proc", 1);
  ScratchFiles nowhere(std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(InputSet::make(folder.problem(), 3, nowhere, "set").ok());
  old.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old.c_str(), 1);
}

TEST(ReadTensor, wants_exactly_as_many_bytes_as_the_tensor_has) {
  const ProblemFolder folder;
  const spec::ResolvedArgument& tensor = *folder.problem().outputs()[0];
  const auto right = read_tensor(folder.folder().write("right.bin", std::string(32, 'a')), tensor);
  ASSERT_TRUE(right.ok());
  EXPECT_EQ(*right, std::vector<uint8_t>(32, 'a'));
  for (const size_t size : {size_t{0}, size_t{31}, size_t{33}}) {
    const auto wrong = read_tensor(folder.folder().write("wrong.bin", std::string(size, 'a')), tensor);
    ASSERT_FALSE(wrong.ok()) << size;
    EXPECT_TRUE(mentions(wrong.error().message, std::to_string(size) + " bytes, expected 32")) << wrong.error().message;
  }
  EXPECT_FALSE(read_tensor(folder.folder().path() / "missing.bin", tensor).ok());
}

}  // namespace
}  // namespace assay::measure
