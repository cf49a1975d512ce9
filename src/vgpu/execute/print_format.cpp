// SPDX-License-Identifier: MIT
#include "vgpu/execute/print_format.hpp"

#include <cstdio>
#include <string_view>

namespace assay::vgpu {
namespace {

constexpr size_t kLongestString = 8192;
constexpr int kWidest = 512;  // a field of a kernel's printf is not wider than this

// One "%..." of the format.
struct Conversion {
  std::string flags;
  int width = -1;
  int precision = -1;
  bool star_width = false;
  bool star_precision = false;
  bool is_long = false;  // l, ll, z, j, t: 64 bits
  char letter = 0;
  size_t length = 0;  // of its text
};

Conversion parse_conversion(std::string_view text) {
  Conversion c;
  size_t i = 1;
  const auto at = [&] { return i < text.size() ? text[i] : '\0'; };
  const auto number = [&] {
    int value = 0;
    while (at() >= '0' && at() <= '9') value = std::min(kWidest, value * 10 + (text[i++] - '0'));
    return value;
  };
  while (std::string_view("-+ #0").find(at()) != std::string_view::npos && at() != '\0') c.flags += text[i++];
  if (at() == '*')
    c.star_width = true, ++i;
  else if (at() >= '0' && at() <= '9')
    c.width = number();
  if (at() == '.') {
    ++i;
    c.precision = 0;
    if (at() == '*')
      c.star_precision = true, ++i;
    else
      c.precision = number();
  }
  while (std::string_view("hlLzjt").find(at()) != std::string_view::npos && at() != '\0')
    c.is_long |= text[i] != 'h', ++i;
  c.letter = at();
  c.length = i + 1;
  return c;
}

class Arguments {
 public:
  Arguments(const ByteReader& reader, uint64_t buffer) : reader_(reader), next_(buffer) {}

  template <class T>
  T take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    reader_.read(next_, &value, sizeof value);
    next_ += sizeof value;
    ++count_;
    return value;
  }
  int count() const { return count_; }

 private:
  const ByteReader& reader_;
  uint64_t next_;
  int count_ = 0;
};

template <class T>
std::string format_value(const Conversion& c, const char* length, T value) {
  std::string pattern = "%" + c.flags + "*";
  if (c.precision >= 0) pattern += ".*";
  pattern += length;
  pattern += c.letter;
  char text[1024];
  const int width = c.width < 0 ? 0 : c.width;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int count =
      c.precision >= 0 ? std::snprintf(text, sizeof text, pattern.c_str(), width, std::min(c.precision, kWidest), value)
                       : std::snprintf(text, sizeof text, pattern.c_str(), width, value);
#pragma GCC diagnostic pop
  return count < 0 ? std::string() : std::string(text, std::min(static_cast<size_t>(count), sizeof text - 1));
}

std::string convert(const Conversion& given, const ByteReader& reader, Arguments& arguments) {
  Conversion c = given;
  const auto star = [&] { return std::min(kWidest, arguments.take<int32_t>()); };
  if (c.star_width) {
    c.width = star();
    if (c.width < 0) c.flags += '-', c.width = std::min(kWidest, -c.width);
  }
  if (c.star_precision) c.precision = star();
  switch (c.letter) {
    case 'd':
    case 'i':
      return c.is_long ? format_value(c, "ll", static_cast<long long>(arguments.take<int64_t>()))
                       : format_value(c, "", arguments.take<int32_t>());
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return c.is_long ? format_value(c, "ll", static_cast<unsigned long long>(arguments.take<uint64_t>()))
                       : format_value(c, "", arguments.take<uint32_t>());
    case 'c':
      return format_value(c, "", arguments.take<int32_t>());
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return format_value(c, "", arguments.take<double>());
    case 'p': {
      char text[32];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(arguments.take<uint64_t>()));
      return text;
    }
    case 's':
      return format_value(c, "", read_string(reader, arguments.take<uint64_t>()).c_str());
    default:
      return {};
  }
}

}  // namespace

std::string read_string(const ByteReader& reader, uint64_t address) {
  std::string text;
  char c = 0;
  while (text.size() < kLongestString && reader.read(address + text.size(), &c, 1) && c != '\0') text += c;
  return text;
}

PrintResult print_format(const ByteReader& reader, uint64_t format_address, uint64_t buffer) {
  const std::string format = read_string(reader, format_address);
  Arguments arguments(reader, buffer);
  PrintResult result;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      result.text += format[i++];
    } else if (i + 1 < format.size() && format[i + 1] == '%') {
      result.text += '%';
      i += 2;
    } else {
      const Conversion conversion = parse_conversion(std::string_view(format).substr(i));
      result.text += convert(conversion, reader, arguments);
      i += conversion.length;
    }
  }
  result.arguments = arguments.count();
  return result;
}

}  // namespace assay::vgpu
