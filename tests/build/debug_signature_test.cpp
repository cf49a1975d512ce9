// SPDX-License-Identifier: MIT
// Structures as the compiler laid them out: what each source of debug/ says of itself, and what its debug information
// says. The sources are such that their text alone does not tell.
#include "build/debug_signature.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "base/file.hpp"
#include "base/random.hpp"
#include "build/kernel_signature.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

const fs::path kDebugSources = fs::path(ASSAY_SOURCE_DIR) / "tests/build/debug";

std::string text_of(const fs::path& path) {
  const auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << to_string(text.error());
  return text.ok() ? *text : std::string();
}

// "out f32 at 8, pointer": one line for each VALUE of the source.
std::vector<std::string> truth_of(const std::string& source) {
  static const std::regex kValue(R"(\n(VALUE|POINTER|CONST_POINTER)\((\w+), (\w+), (\d+),)");
  std::vector<std::string> lines;
  for (std::sregex_iterator found(source.begin(), source.end(), kValue), end; found != end; ++found) {
    const std::string kind = (*found)[1];
    lines.push_back(fmt::format("{} {} at {}{}{}", (*found)[2].str(), (*found)[3].str(), (*found)[4].str(),
                                kind == "VALUE" ? "" : ", pointer", kind == "CONST_POINTER" ? " to const" : ""));
  }
  return lines;
}

std::vector<std::string> found_in(const KernelSignature& signature) {
  std::vector<std::string> lines;
  for (const SignatureValue& value : signature.parameters.at(0).values)
    lines.push_back(fmt::format("{} {} at {}{}{}", value.name, value.dtype.empty() ? "none" : value.dtype, value.offset,
                                value.pointer ? ", pointer" : "", value.constant ? " to const" : ""));
  return lines;
}

KernelSignature read_one(const std::string& ptx, const std::string& source) {
  const auto read = kernel_signatures(ptx, "kernel.ptx", source);
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  return read.ok() && read->size() == 1 ? read->front() : KernelSignature();
}

std::string without_sections(const std::string& ptx) {
  return ptx.substr(0, ptx.find("\t.section"));
}

std::vector<fs::path> sources() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(kDebugSources)) {
    if (entry.path().extension() == ".cu") all.push_back(entry.path());
  }
  return all;
}

TEST(DebugSignature, StructuresAreAsTheCompilerLaidThemOut) {
  size_t text_is_wrong = 0;
  for (const fs::path& path : sources()) {
    const std::string source = text_of(path);
    const std::string ptx = text_of(fs::path(path).replace_extension(".ptx"));
    const KernelSignature signature = read_one(ptx, source);
    ASSERT_FALSE(signature.parameters.empty()) << path;
    EXPECT_TRUE(signature.from_debug_information) << path;
    const std::vector<std::string> truth = truth_of(source);
    EXPECT_GE(truth.size(), 4u) << path;
    EXPECT_EQ(found_in(signature), truth) << path;
    const KernelSignature by_text = read_one(without_sections(ptx), source);
    EXPECT_FALSE(by_text.from_debug_information) << path;
    EXPECT_EQ(by_text.missing, std::vector<std::string>{"there is no debug information"}) << path;
    if (found_in(by_text) != truth) ++text_is_wrong;
  }
  EXPECT_GE(text_is_wrong, 8u) << "sources whose text tells it all show nothing here";
}

TEST(DebugSignature, APointerToNumbersInAStructureCountsThem) {
  const KernelSignature signature = read_one(text_of(kDebugSources / "elements.ptx"), "");
  std::map<std::string, SignatureValue> values;
  for (const SignatureValue& value : signature.parameters.at(0).values) values[value.name] = value;
  EXPECT_EQ(values["particles"].vector, 4u);
  EXPECT_EQ(values["weights"].vector, 1u);
  EXPECT_EQ(values["list"].type, "Node*") << "a list has pointers inside: no element of ours";
}

TEST(DebugSignature, ChoicesAreNoSizes) {
  const KernelSignature signature = read_one(text_of(kDebugSources / "enumerations.ptx"), "");
  const std::vector<SignatureValue>& values = signature.parameters.at(0).values;
  EXPECT_TRUE(values.at(0).enumeration && values.at(1).enumeration && !values.at(2).enumeration);
}

// Each byte of the sections replaced or the sections cut off: an error or another reading, never a crash.
TEST(DebugSignature, DamagedInformationIsSurvived) {
  const std::string ptx = text_of(kDebugSources / "unions_and_arrays.ptx");
  const std::string source = text_of(kDebugSources / "unions_and_arrays.cu");
  const size_t begin = ptx.find("\t.section");
  Random random(17);
  size_t fell_back = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string damaged = ptx;
    for (uint64_t change = 0; change <= random.next() % 3; ++change) {
      const size_t at = begin + random.next() % (damaged.size() - begin);
      if (damaged[at] >= '0' && damaged[at] <= '9') damaged[at] = static_cast<char>('0' + random.next() % 10);
    }
    const auto read = kernel_signatures(damaged, "kernel.ptx", source);
    if (read.ok() && !read->empty() && !read->front().from_debug_information) ++fell_back;
  }
  EXPECT_GT(fell_back, 0u);
}

std::string with_info(const std::string& abbreviations, const std::string& information) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 8 .b8 k_0[8])\n{\n  ret;\n}\n"
         ".section .debug_abbrev\n{\n" +
         abbreviations + "\n}\n.section .debug_info\n{\n" + information + "\n}\n";
}

// A unit with a function k that takes one parameter of the type at `type`, and the entries of `types` behind it. Tags:
// 1 unit, 2 function, 3 parameter, 4 typedef, 5 structure of 8 bytes, 6 member at 0.
std::string unit(const std::string& types, int type) {
  const std::string abbreviations =
      ".b8 1,17,1,0,0, 2,46,1,3,8,0,0, 3,5,0,3,8,73,19,0,0, 4,22,0,73,19,0,0, 5,19,1,11,11,0,0, "
      "6,13,0,3,8,73,19,56,11,0,0,"
      "0";
  const std::string body = fmt::format(".b8 1\n.b8 2,107,0\n.b8 3,112,0\n.b32 {}\n.b8 0\n{}\n.b8 0", type, types);
  size_t bytes = 7 + 1 + 3 + 3 + 4 + 1 + 1;
  size_t at = 0;
  while ((at = types.find(".b32", at)) != std::string::npos) {
    bytes += 4;
    ++at;
  }
  for (at = types.find(".b8"); at != std::string::npos; at = types.find(".b8", at + 1))
    bytes += 1 + static_cast<size_t>(std::count(
                     types.begin() + static_cast<std::ptrdiff_t>(at),
                     types.begin() + static_cast<std::ptrdiff_t>(std::min(types.find('\n', at), types.size())), ','));
  return with_info(abbreviations, fmt::format(".b32 {}\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8\n{}", bytes, body));
}

constexpr int kTypes = 11 + 1 + 3 + 3 + 4 + 1;  // where the types of unit() begin

TEST(DebugSignature, TypesThatNeverEndFallBack) {
  // A typedef of itself; a structure that holds itself.
  const KernelSignature loop = read_one(unit(fmt::format(".b8 4\n.b32 {}", kTypes), kTypes), "");
  ASSERT_EQ(loop.missing.size(), 1u);
  EXPECT_NE(loop.missing[0].find("p has 8 bytes in PTX and no size in the debug information"), std::string::npos)
      << loop.missing[0];
  const KernelSignature nested =
      read_one(unit(fmt::format(".b8 5,8\n.b8 6,109,0\n.b32 {}\n.b8 0\n.b8 0", kTypes), kTypes), "");
  ASSERT_EQ(nested.missing.size(), 1u);
  EXPECT_NE(nested.missing[0].find("the members of p () are not described"), std::string::npos) << nested.missing[0];
}

TEST(DebugSignature, WhatItDoesNotTellIsSaid) {
  const std::string ptx = text_of(kDebugSources / "aligned.ptx");
  std::string other = ptx;
  other.replace(other.find("kernel_param_0[64]"), 18, "kernel_param_0[32]");
  const KernelSignature size = read_one(other, "");
  EXPECT_EQ(size.missing, std::vector<std::string>{"p has 32 bytes in PTX and 64 in the debug information"});
  other = ptx;
  other.replace(other.find(".entry kernel"), 13, ".entry kernal");
  EXPECT_EQ(read_one(other, "").missing,
            std::vector<std::string>{"the debug information does not describe this kernel"});
  other = ptx.substr(0, ptx.rfind("\t.section")) + "\n";
  other = other.substr(0, other.rfind(".b8", other.size() - 200)) + "\n}\n";
  const KernelSignature cut = read_one(other, "");
  ASSERT_EQ(cut.missing.size(), 1u);
  EXPECT_NE(cut.missing[0].find("the debug information cannot be read: byte 0 of .debug_info"), std::string::npos)
      << cut.missing[0];
}

}  // namespace
}  // namespace assay::build
