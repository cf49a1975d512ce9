// SPDX-License-Identifier: MIT
#include "support/ptx_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/text.hpp"

namespace assay::test {
namespace {

bool is_float_type(const std::string& type) {
  return type == "f32" || type == "f64" || type == "f16" || type == "bf16";
}

// Round to nearest even by way of the double's bits; test values are few, so this is plain rather than quick.
uint64_t narrow(double value, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (exponent_bits + fraction_bits) : 0;
  const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  if (std::isnan(value)) return (uint64_t{1} << (exponent_bits + fraction_bits)) - 1;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | infinity;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double scaled = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  const auto significand = static_cast<uint64_t>(scaled);
  // The sum carries into the exponent by itself; a subnormal has exponent field 0.
  const uint64_t bits = (static_cast<uint64_t>(exponent + bias - 1) << fraction_bits) + significand;
  return sign | std::min(bits, infinity);
}

uint64_t float_bits(const std::string& type, double value) {
  if (type == "f16") return narrow(value, 5, 10);
  if (type == "bf16") return narrow(value, 8, 7);
  if (type == "f32") return narrow(value, 8, 23);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

Result<uint64_t> parse_value(const std::string& type, const std::string& word) {
  char* end = nullptr;
  if (is_float_type(type) && !word.starts_with("0x")) {
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) return Error{"'" + word + "' is no number"};
    return float_bits(type, value);
  }
  const bool negative = word.starts_with('-');
  const uint64_t value = std::strtoull(word.c_str() + (negative ? 1 : 0), &end, 0);
  if (end != word.c_str() + word.size()) return Error{"'" + word + "' is no whole number"};
  return negative ? ~value + 1 : value;
}

void append(std::vector<std::byte>& bytes, uint64_t value, size_t size) {
  const size_t at = bytes.size();
  bytes.resize(at + size);
  std::memcpy(bytes.data() + at, &value, size);
}

Result<void> append_values(const std::string& type, const std::string& word, std::vector<std::byte>& bytes) {
  const size_t size = element_bytes(type);
  if (const size_t dots = word.find(".."); dots != std::string::npos) {
    const long long first = std::atoll(word.substr(0, dots).c_str());
    const long long last = std::atoll(word.substr(dots + 2).c_str());
    for (long long v = first; v <= last; ++v) {
      append(bytes, is_float_type(type) ? float_bits(type, static_cast<double>(v)) : static_cast<uint64_t>(v), size);
    }
    return {};
  }
  const size_t star = word.find('*');
  ASSAY_TRY(const uint64_t value, parse_value(type, word.substr(0, star)));
  const int count = star == std::string::npos ? 1 : std::atoi(word.c_str() + star + 1);
  for (int i = 0; i < count; ++i) append(bytes, value, size);
  return {};
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line, ' ')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

void parse_dimensions(const std::string& word, unsigned (&into)[3]) {
  const auto parts = split(word, ',');
  for (size_t i = 0; i < parts.size() && i < 3; ++i)
    into[i] = static_cast<unsigned>(std::atoi(std::string(parts[i]).c_str()));
}

Result<void> parse_launch(const std::vector<std::string>& words, PtxCase& result) {
  if (words.size() < 2) return Error{"launch needs a kernel"};
  result.kernel = words[1];
  for (size_t i = 2; i + 1 < words.size(); i += 2) {
    if (words[i] == "grid")
      parse_dimensions(words[i + 1], result.grid);
    else if (words[i] == "block")
      parse_dimensions(words[i + 1], result.block);
    else if (words[i] == "shared")
      result.shared_bytes = static_cast<unsigned>(std::atoi(words[i + 1].c_str()));
    else if (words[i] == "device")
      result.device = words[i + 1];
    else
      return Error{"launch does not know '" + words[i] + "'"};
  }
  return {};
}

Result<void> parse_gpu(const std::vector<std::string>& words, const std::string& rest, PtxCase& result) {
  if (words.size() < 3 || words[1] != "skip") return Error{"'gpu' takes 'skip' and a reason"};
  result.gpu_skip = std::string(trim(std::string_view(rest).substr(words[1].size())));
  return {};
}

Result<void> parse_argument(const std::vector<std::string>& words, PtxCase& result) {
  CaseArgument argument;
  std::string keyword = words[0];
  if (const size_t tilde = keyword.find('~'); tilde != std::string::npos) {
    argument.ulp = std::atoi(keyword.c_str() + tilde + 1);
    keyword.resize(tilde);
  }
  using Kind = CaseArgument::Kind;
  argument.kind = keyword == "in"      ? Kind::in
                  : keyword == "out"   ? Kind::out
                  : keyword == "inout" ? Kind::inout
                                       : Kind::scalar;
  if (words.size() < 3) return Error{"'" + words[0] + "' needs a type and values"};
  argument.type = words[1];
  if (element_bytes(argument.type) == 0) return Error{"unknown type '" + argument.type + "'"};
  bool expected = argument.kind == Kind::out;
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "->") {
      expected = true;
      continue;
    }
    ASSAY_CHECK(append_values(argument.type, words[i], expected ? argument.expected : argument.initial));
  }
  result.arguments.push_back(std::move(argument));
  return {};
}

// "16,64" as numbers, the last one first.
template <class Number>
Result<std::vector<Number>> parse_inward(const std::string& word, uint64_t most) {
  std::vector<Number> numbers;
  for (const std::string_view part : split(word, ',')) {
    char* end = nullptr;
    const std::string digits(part);
    const uint64_t value = std::strtoull(digits.c_str(), &end, 10);
    if (digits.empty() || *end != '\0' || value == 0 || value > most)
      return Error{"'" + word + "': each must be 1 to " + std::to_string(most)};
    numbers.insert(numbers.begin(), static_cast<Number>(value));
  }
  return numbers;
}

// "-1,0", the last one first.
Result<std::vector<int>> parse_corner(const std::string& word) {
  std::vector<int> numbers;
  for (const std::string_view part : split(word, ',')) {
    char* end = nullptr;
    const std::string digits(part);
    const int64_t value = std::strtoll(digits.c_str(), &end, 10);
    if (digits.empty() || *end != '\0' || value < INT16_MIN || value > INT16_MAX)
      return Error{"'" + word + "': each must be a number of 16 bits"};
    numbers.insert(numbers.begin(), static_cast<int>(value));
  }
  return numbers;
}

Result<void> parse_map_word(const std::string& name, const std::string& value, CaseArgument& argument) {
  constexpr uint64_t kLongest = 0xffffffff, kWidestBox = 256, kLongestStep = 8, kMostPixels = 1024;
  CaseMap& map = argument.map;
  if (name == "dims") {
    ASSAY_TRY(map.dims, parse_inward<uint64_t>(value, kLongest));
  } else if (name == "pitch") {
    ASSAY_TRY(const auto pitch, parse_inward<uint64_t>(value, kLongest));
    map.pitch = pitch.front();
  } else if (name == "box") {
    ASSAY_TRY(map.box, parse_inward<uint32_t>(value, kWidestBox));
  } else if (name == "lower") {
    ASSAY_TRY(map.lower, parse_corner(value));
  } else if (name == "upper") {
    ASSAY_TRY(map.upper, parse_corner(value));
  } else if (name == "channels") {
    ASSAY_TRY(map.box, parse_inward<uint32_t>(value, kWidestBox));
  } else if (name == "pixels") {
    ASSAY_TRY(const auto pixels, parse_inward<uint32_t>(value, kMostPixels));
    map.pixels = pixels.front();
  } else if (name == "steps") {
    ASSAY_TRY(map.steps, parse_inward<uint32_t>(value, kLongestStep));
  } else if (name == "swizzle") {
    map.swizzle = value == "32" ? 1 : value == "64" ? 2 : value == "128" ? 3 : 0;
    if (map.swizzle == 0) return Error{"a swizzle has 32, 64 or 128 bytes, not '" + value + "'"};
  } else if (name == "fill") {
    if (value != "nan" || !is_float_type(argument.type)) return Error{"'fill' takes 'nan', for floating types"};
    map.fill_nan = true;
  } else {
    return Error{"map does not know '" + name + "'"};
  }
  return {};
}

// The driver's rules, so that a case which breaks them is not found out on a GPU only.
Result<void> check_map(CaseMap& map, const std::string& type) {
  constexpr uint64_t kAlignment = 16;
  constexpr size_t kMostDimensions = 5;
  const size_t rank = map.dims.size();
  if (rank == 0 || rank > kMostDimensions) return Error{"map needs one to five 'dims'"};
  if (map.steps.empty()) map.steps.assign(rank, 1);
  if (map.pixels != 0) {
    if (rank < 3 || map.box.size() != 1 || map.lower.size() != rank - 2 || map.upper.size() != rank - 2)
      return Error{"im2col needs 'channels' and, of all dimensions but two, 'lower' and 'upper'"};
    map.box.resize(rank, 1);
  } else if (!map.lower.empty() || !map.upper.empty()) {
    return Error{"'lower' and 'upper' need 'pixels'"};
  }
  if (map.box.size() != rank || map.steps.size() != rank) return Error{"'dims', 'box' and 'steps' differ in number"};
  if (map.steps[0] != 1) return Error{"the contiguous dimension has no steps"};
  uint64_t bytes = element_bytes(type);
  if (map.box[0] * bytes % kAlignment != 0) return Error{"a row of the box must be a multiple of 16 bytes"};
  if (map.swizzle != 0 && map.box[0] * bytes != kAlignment << map.swizzle)
    return Error{"a row of the box must have the swizzle's size"};
  for (const uint64_t size : map.dims) {
    map.strides.push_back(bytes);
    if (map.strides.size() > 1 && bytes % kAlignment != 0)
      return Error{"a row of the tensor must be a multiple of 16 bytes"};
    bytes *= size;
    if (map.strides.size() == 1 && map.pitch != 0) {
      if (map.pitch < bytes) return Error{"a row of the tensor is longer than its 'pitch'"};
      bytes = map.pitch;
    }
  }
  return {};
}

Result<void> parse_map(const std::vector<std::string>& words, PtxCase& result) {
  CaseArgument argument;
  argument.kind = CaseArgument::Kind::map;
  if (words.size() < 3 || words.size() % 2 == 0) return Error{"'map' needs a parameter, a type and pairs of words"};
  const auto at = static_cast<size_t>(std::atoi(words[1].c_str()));
  if (at >= result.arguments.size() || !result.arguments[at].has_buffer())
    return Error{"parameter " + words[1] + " is no buffer of an earlier line"};
  argument.map.buffer = at;
  argument.type = words[2];
  if (element_bytes(argument.type) == 0) return Error{"unknown type '" + argument.type + "'"};
  for (size_t i = 3; i < words.size(); i += 2) ASSAY_CHECK(parse_map_word(words[i], words[i + 1], argument));
  ASSAY_CHECK(check_map(argument.map, argument.type));
  result.arguments.push_back(std::move(argument));
  return {};
}

Result<void> parse_texture_word(const std::string& name, const std::string& value, CaseTexture& texture) {
  constexpr uint64_t kLargest = 1 << 16;
  if (name == "dims") {
    ASSAY_TRY(texture.dims, parse_inward<uint32_t>(value, kLargest));
  } else if (name == "channels") {
    texture.channels = static_cast<uint32_t>(std::atoi(value.c_str()));
  } else if (name == "filter") {
    texture.linear = value == "linear";
  } else if (name == "address") {
    texture.address = value;
  } else if (name == "coordinates") {
    texture.normalised = value == "normalised";
  } else if (name == "read") {
    texture.fraction = value == "fraction";
  } else if (name == "border") {
    texture.border = std::strtof(value.c_str(), nullptr);
  } else {
    return Error{"a texture does not know '" + name + "'"};
  }
  return {};
}

Result<void> parse_texture(const std::vector<std::string>& words, PtxCase& result) {
  CaseArgument argument;
  argument.kind = words[0] == "surface" ? CaseArgument::Kind::surface : CaseArgument::Kind::texture;
  if (words.size() < 4) return Error{"'" + words[0] + "' needs a shape, a type, dims and values"};
  argument.texture.shape = words[1];
  argument.type = words[2];
  if (element_bytes(argument.type) == 0) return Error{"unknown type '" + argument.type + "'"};
  size_t at = 3;
  for (; at + 1 < words.size() && words[at] != "values"; at += 2)
    ASSAY_CHECK(parse_texture_word(words[at], words[at + 1], argument.texture));
  bool expected = false;
  for (++at; at < words.size(); ++at) {
    if (words[at] == "->") {
      expected = true;
    } else {
      ASSAY_CHECK(append_values(argument.type, words[at], expected ? argument.expected : argument.initial));
    }
  }
  size_t bytes = element_bytes(argument.type) * argument.texture.channels;
  for (const uint32_t size : argument.texture.dims) bytes *= size;
  if (argument.initial.size() != bytes) return Error{"the values do not fill the " + words[0]};
  result.arguments.push_back(std::move(argument));
  return {};
}

// Distance in representable values of the type, for values of one sign or zero.
int64_t ordered(const std::string& type, uint64_t bits) {
  const int width = static_cast<int>(element_bytes(type)) * 8;
  const uint64_t sign = uint64_t{1} << (width - 1);
  return (bits & sign) != 0 ? -static_cast<int64_t>(bits & ~sign) : static_cast<int64_t>(bits);
}

}  // namespace

size_t element_bytes(const std::string& type) {
  if (type == "u8" || type == "s8" || type == "b8") return 1;
  if (type == "u16" || type == "s16" || type == "b16" || type == "f16" || type == "bf16") return 2;
  if (type == "u32" || type == "s32" || type == "b32" || type == "f32") return 4;
  if (type == "u64" || type == "s64" || type == "b64" || type == "f64") return 8;
  return 0;
}

Result<PtxCase> read_ptx_case(const std::string& path) {
  PtxCase result;
  result.file = path;
  // Read plainly: the program that runs cases on a GPU is built from this file and little else.
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"cannot read the file", Place{path}};
  std::ostringstream content;
  content << file.rdbuf();
  result.text = content.str();
  int number = 0;
  for (const std::string_view line : split(result.text, '\n')) {
    ++number;
    if (!line.starts_with("//!")) continue;
    const auto words = words_of(line.substr(3));
    if (words.empty()) continue;
    Result<void> parsed;
    const std::string rest(trim(line.substr(line.find(words[0]) + words[0].size())));
    if (words[0] == "launch")
      parsed = parse_launch(words, result);
    else if (words[0] == "error")
      result.error = rest;
    else if (words[0] == "gpu")
      parsed = parse_gpu(words, rest, result);
    else if (words[0] == "printed")
      result.printed = replace_all(rest, "\\n", "\n");
    else if (words[0] == "fault") {
      result.fault = words.size() > 1 ? words[1] : "";
      const size_t after = rest.find(' ');
      result.fault_text = after == std::string::npos ? "" : std::string(trim(std::string_view(rest).substr(after)));
    } else if (words[0].starts_with("in") || words[0].starts_with("out") || words[0] == "scalar")
      parsed = parse_argument(words, result);
    else if (words[0] == "map")
      parsed = parse_map(words, result);
    else if (words[0] == "texture" || words[0] == "surface")
      parsed = parse_texture(words, result);
    else
      parsed = Error{"unknown test line '" + words[0] + "'"};
    if (!parsed) return Error{parsed.error().message, Place{path, number, 1}};
  }
  return result;
}

std::string compare_values(const CaseArgument& argument, const std::byte* got, int most) {
  const size_t size = element_bytes(argument.type);
  std::string differences;
  int count = 0;
  for (size_t at = 0; at + size <= argument.expected.size(); at += size) {
    uint64_t want = 0;
    uint64_t have = 0;
    std::memcpy(&want, argument.expected.data() + at, size);
    std::memcpy(&have, got + at, size);
    if (want == have) continue;
    if (argument.ulp > 0 && std::llabs(ordered(argument.type, want) - ordered(argument.type, have)) <= argument.ulp)
      continue;
    if (++count > most) continue;
    char text[128];
    std::snprintf(text, sizeof text, "%selement %zu (%s): expected 0x%llx, got 0x%llx", count > 1 ? "; " : "",
                  at / size, argument.type.c_str(), static_cast<unsigned long long>(want),
                  static_cast<unsigned long long>(have));
    differences += text;
  }
  if (count > most && most > 1) differences += "; " + std::to_string(count - most) + " more";
  return differences;
}

}  // namespace assay::test
