// SPDX-License-Identifier: MIT
// Compares the virtual GPU's arithmetic with what a GPU printed (tests/gpu/tensor_truth.cu, which describes the
// format, and edge_truth.cu): tests/vgpu/semantics/truth_h200*.txt, or the file that ASSAY_TRUTH_FILE names.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "truth_operations.hpp"
#include "vgpu/semantics/float8.hpp"
#include "vgpu/semantics/half.hpp"
#include "vgpu/semantics/tensor.hpp"

namespace assay::vgpu::semantics::truth {
namespace {

std::vector<std::string> truth_paths() {
  const char* chosen = std::getenv("ASSAY_TRUTH_FILE");
  if (chosen != nullptr) return {chosen};
  const std::string folder = ASSAY_SOURCE_DIR "/tests/vgpu/semantics/";
  return {folder + "truth_h200.txt", folder + "truth_h200_edges.txt"};
}

// Disagreements per name, the first few in full.
class Tally {
 public:
  void count(const std::string& name, bool agrees, const std::string& detail) {
    Entry& entry = entries_[name];
    ++entry.compared;
    if (agrees) return;
    ++entry.wrong;
    if (entry.wrong <= 6) entry.details += "\n    " + detail;
  }
  void expect_none_wrong() const {
    for (const auto& [name, entry] : entries_)
      EXPECT_EQ(entry.wrong, 0u) << name << ": " << entry.wrong << " of " << entry.compared << " differ"
                                 << entry.details;
    EXPECT_FALSE(entries_.empty()) << "nothing to compare in the file";
  }

 private:
  struct Entry {
    size_t compared = 0, wrong = 0;
    std::string details;
  };
  std::map<std::string, Entry> entries_;
};

std::vector<uint64_t> parse_hex(const std::string& text, size_t digits) {
  std::vector<uint64_t> values;
  for (size_t i = 0; i + digits <= text.size(); i += digits)
    values.push_back(std::stoull(text.substr(i, digits), nullptr, 16));
  return values;
}

std::string hex(uint64_t value) {
  std::ostringstream out;
  out << std::hex << value;
  return out.str();
}

// --- matrices -------------------------------------------------------------------------------------------------------

struct MatrixCase {
  std::string name, kind;
  int m = 0, n = 0, k = 0;
  std::string text[4];  // a, b, c, d
};

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream in(name);
  for (std::string part; std::getline(in, part, '.');) parts.push_back(part);
  return parts;
}

float operand_value(const std::string& type, uint64_t bits) {
  if (type == "f16") return to_float(f16{static_cast<uint16_t>(bits)});
  if (type == "bf16") return to_float(bf16{static_cast<uint16_t>(bits)});
  if (type == "e4m3") return to_float(e4m3{static_cast<uint8_t>(bits)});
  if (type == "e5m2") return to_float(e5m2{static_cast<uint8_t>(bits)});
  return float_of(static_cast<uint32_t>(bits));
}

TensorOperand operand_of(const std::string& type) {
  if (type == "f16") return TensorOperand::f16;
  if (type == "bf16") return TensorOperand::bf16;
  if (type == "e4m3") return TensorOperand::e4m3;
  if (type == "e5m2") return TensorOperand::e5m2;
  return TensorOperand::tf32;
}

size_t digits_of(const std::string& type) {
  if (type == "f64") return 16;
  if (type == "f16" || type == "bf16") return 4;
  if (type == "e4m3" || type == "e5m2" || type == "s8" || type == "u8") return 2;
  return 8;
}

std::vector<uint64_t> multiply_floats(const MatrixCase& x, const std::vector<std::string>& types) {
  const auto values = [](const std::string& text, const std::string& type) {
    std::vector<float> result;
    for (const uint64_t bits : parse_hex(text, digits_of(type))) result.push_back(operand_value(type, bits));
    return result;
  };
  const bool half = types[0] == "f16";
  const auto a = values(x.text[0], types[1]), b = values(x.text[1], types[2]), c = values(x.text[2], types[3]);
  std::vector<float> d(c.size());
  const DotUnit unit = dot_unit(TensorArchitecture::hopper, TensorInstruction::mma, operand_of(types[1]),
                                operand_of(types[2]), half, x.k);
  multiply_accumulate(unit, x.m, x.n, x.k, a.data(), b.data(), c.data(), d.data());
  std::vector<uint64_t> result;
  for (const float value : d) result.push_back(half ? to_f16<Rounding::rn>(value).bits : bits_of(value));
  return result;
}

std::vector<uint64_t> multiply_doubles(const MatrixCase& x) {
  const auto values = [](const std::string& text) {
    std::vector<double> result;
    for (const uint64_t bits : parse_hex(text, 16)) result.push_back(double_of(bits));
    return result;
  };
  const auto a = values(x.text[0]), b = values(x.text[1]), c = values(x.text[2]);
  std::vector<double> d(c.size());
  multiply_accumulate(x.m, x.n, x.k, a.data(), b.data(), c.data(), d.data());
  std::vector<uint64_t> result;
  for (const double value : d) result.push_back(bits_of(value));
  return result;
}

std::vector<uint64_t> multiply_integers(const MatrixCase& x, const std::vector<std::string>& types, bool satfinite) {
  const auto values = [](const std::string& text, const std::string& type) {
    std::vector<int32_t> result;
    for (const uint64_t bits : parse_hex(text, digits_of(type)))
      result.push_back(type == "s8" ? static_cast<int8_t>(bits) : static_cast<int32_t>(static_cast<uint32_t>(bits)));
    return result;
  };
  const auto a = values(x.text[0], types[1]), b = values(x.text[1], types[2]), c = values(x.text[2], types[3]);
  std::vector<int32_t> d(c.size());
  multiply_accumulate(x.m, x.n, x.k, a.data(), b.data(), c.data(), d.data(), satfinite);
  std::vector<uint64_t> result;
  for (const int32_t value : d) result.push_back(static_cast<uint32_t>(value));
  return result;
}

void compare_matrices(const MatrixCase& x, Tally& tally) {
  std::vector<std::string> types = split(x.name);
  const bool satfinite = types[0] == "satfinite";
  if (satfinite) types.erase(types.begin());
  ASSERT_EQ(types.size(), 4u) << x.name;
  const std::vector<uint64_t> expected = parse_hex(x.text[3], digits_of(types[0]));
  const std::vector<uint64_t> got = types[0] == "f64"   ? multiply_doubles(x)
                                    : types[0] == "s32" ? multiply_integers(x, types, satfinite)
                                                        : multiply_floats(x, types);
  ASSERT_EQ(expected.size(), got.size()) << x.name;
  const std::string name = x.name + " k" + std::to_string(x.k) + " " + x.kind;
  for (size_t i = 0; i < got.size(); ++i)
    tally.count(name, got[i] == expected[i],
                "element " + std::to_string(i) + ": GPU " + hex(expected[i]) + ", ours " + hex(got[i]));
}

void compare_tensor_cores(const std::string& path) {
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is not there; the programs in tests/gpu make it on a GPU";
  Tally tally;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("mma ", 0) != 0) continue;
    MatrixCase x;
    std::istringstream head(line.substr(4));
    head >> x.name >> x.m >> x.n >> x.k >> x.kind;
    for (std::string& text : x.text) {
      ASSERT_TRUE(std::getline(file, line) && line.size() > 2);
      text = line.substr(2);
    }
    compare_matrices(x, tally);
  }
  tally.expect_none_wrong();
}

TEST(Truth, TensorCores) {
  for (const std::string& path : truth_paths()) compare_tensor_cores(path);
}

// --- scalars --------------------------------------------------------------------------------------------------------

double as_number(int type, uint64_t bits) {
  switch (type) {
    case 16:
      return to_float(f16{static_cast<uint16_t>(bits)});
    case 17:
      return to_float(bf16{static_cast<uint16_t>(bits)});
    case 32:
      return float_of(static_cast<uint32_t>(bits));
    default:
      return double_of(bits);
  }
}

bool near_enough(const Bound& bound, uint64_t gpu, uint64_t ours) {
  if (gpu == ours) return true;
  if (bound.type == 0) return false;
  const double x = as_number(bound.type, gpu), y = as_number(bound.type, ours);
  if (!std::isfinite(x) || !std::isfinite(y) || x == 0.0 || y == 0.0) {
    return std::fabs(x - y) <= bound.absolute;  // special values must agree, but a zero may be a tiny number
  }
  const double last_place = bound.type == 32 ? 0x1p-149 : bound.type == 16 ? 0x1p-24 : 0.0;
  return std::fabs(x - y) <= std::max({bound.absolute, bound.relative * std::fabs(y), 2 * last_place});
}

// The ISA bounds sin and cos only up to 100 pi.
bool has_bound(const std::string& name, uint64_t operand) {
  const bool trigonometric = name.rfind("sin.", 0) == 0 || name.rfind("cos.", 0) == 0;
  const float x = float_of(static_cast<uint32_t>(operand));
  return !trigonometric || !(std::fabs(x) > 314.0f) || std::isinf(x);
}

void compare_scalars(const std::string& path) {
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is not there; the programs in tests/gpu make it on a GPU";
  Tally tally;
  std::string name;
  size_t arity = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("mma ", 0) == 0) {
      for (int i = 0; i < 4; ++i) std::getline(file, line);
      continue;
    }
    std::istringstream in(line);
    if (line.rfind("op ", 0) == 0) {
      std::string word;
      in >> word >> name >> arity;
      ASSERT_TRUE(operations().contains(name)) << "no answer to " << name;
      continue;
    }
    std::vector<uint64_t> words;
    for (std::string word; in >> word;) words.push_back(std::stoull(word, nullptr, 16));
    ASSERT_EQ(words.size(), arity + 1) << line;
    const uint64_t gpu = words.back();
    words.back() = 0;
    words.resize(3);
    const Operation& operation = operations().at(name);
    if (!has_bound(name, words[0])) continue;
    const uint64_t ours = operation.evaluate(words[0], words[1], words[2]);
    tally.count(name, near_enough(operation.bound, gpu, ours), line + ", ours " + hex(ours));
  }
  tally.expect_none_wrong();
}

TEST(Truth, Scalars) {
  for (const std::string& path : truth_paths()) compare_scalars(path);
}

}  // namespace
}  // namespace assay::vgpu::semantics::truth
