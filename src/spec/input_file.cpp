// SPDX-License-Identifier: MIT
#include "spec/input_file.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxHead = uint64_t{100} << 20;  // as the safetensors library has it

Result<std::string> read_part(std::ifstream& file, uint64_t bytes) {
  std::string part(bytes, '\0');
  if (bytes > 0 && !file.read(part.data(), static_cast<std::streamsize>(bytes))) return Error{"it ends in its head"};
  return part;
}

uint64_t little_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

// The text behind 'key': in the Python dictionary of a .npy file, up to the comma or bracket that ends it.
std::string value_of(const std::string& head, const std::string& key) {
  size_t at = head.find("'" + key + "'");
  if (at == std::string::npos) return "";
  at = head.find(':', at);
  if (at == std::string::npos) return "";
  ++at;
  size_t end = at;
  for (int depth = 0; end < head.size() && (depth > 0 || (head[end] != ',' && head[end] != '}')); ++end) {
    if (head[end] == '(') ++depth;
    if (head[end] == ')') --depth;
  }
  return std::string(trim(head.substr(at, end - at)));
}

Result<InputFile> read_npy(std::ifstream& file, uint64_t size) {
  static const std::map<std::string, std::string> kTypes{
      {"f2", "f16"}, {"f4", "f32"}, {"f8", "f64"}, {"i1", "i8"},  {"i2", "i16"},  {"i4", "i32"}, {"i8", "i64"},
      {"u1", "u8"},  {"u2", "u16"}, {"u4", "u32"}, {"u8", "u64"}, {"b1", "bool"}, {"c8", "c64"}, {"c16", "c128"}};
  ASSAY_TRY(const std::string magic, read_part(file, 8));
  if (!magic.starts_with("\x93NUMPY")) return Error{"it does not begin as a .npy file does"};
  const bool old = magic[6] == 1;
  ASSAY_TRY(const std::string length, read_part(file, old ? 2 : 4));
  const uint64_t head_bytes = little_endian(length);
  if (head_bytes > kMaxHead) return Error{"its head is longer than any"};
  ASSAY_TRY(const std::string head, read_part(file, head_bytes));
  InputFile found;
  found.offset = 8 + length.size() + head_bytes;
  found.bytes = size - found.offset;
  const std::string type = value_of(head, "descr");  // '<f4'
  const auto known = type.size() >= 5 ? kTypes.find(type.substr(2, type.size() - 3)) : kTypes.end();
  if (known == kTypes.end() || type[1] == '>')
    return Error{fmt::format("its elements are {}, which is no type of a tensor", type)};
  found.dtype = known->second;
  if (value_of(head, "fortran_order") != "False")
    return Error{"it is in Fortran's order; expected that of C (numpy.ascontiguousarray)"};
  const std::string shape = value_of(head, "shape");  // (2, 3)
  for (const std::string_view part : split(std::string_view(shape).substr(0, shape.find(')')), ',')) {
    const std::string_view digits = trim(part.starts_with('(') ? part.substr(1) : part);
    if (digits.empty()) continue;
    int64_t extent = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9' || extent > (int64_t{1} << 55))
        return Error{fmt::format("its shape is {}", shape)};
      extent = 10 * extent + (digit - '0');
    }
    found.shape.push_back(extent);
  }
  return found;
}

Result<InputFile> read_safetensors(std::ifstream& file, uint64_t size, const std::string& tensor) {
  static const std::map<std::string, std::string> kTypes{
      {"F16", "f16"},   {"BF16", "bf16"},    {"F32", "f32"},      {"F64", "f64"}, {"I8", "i8"},   {"I16", "i16"},
      {"I32", "i32"},   {"I64", "i64"},      {"U8", "u8"},        {"U16", "u16"}, {"U32", "u32"}, {"U64", "u64"},
      {"BOOL", "bool"}, {"F8_E4M3", "e4m3"}, {"F8_E5M2", "e5m2"}, {"C64", "c64"}};
  ASSAY_TRY(const std::string length, read_part(file, 8));
  const uint64_t head_bytes = little_endian(length);
  if (head_bytes > kMaxHead || head_bytes + 8 > size) return Error{"its head is longer than the file"};
  ASSAY_TRY(const std::string text, read_part(file, head_bytes));
  const nlohmann::json head = nlohmann::json::parse(text, nullptr, false);
  if (!head.is_object()) return Error{"its head is no JSON"};
  const auto entry = head.find(tensor);
  if (entry == head.end()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : head.items()) {
      if (name != "__metadata__") names.push_back(name);
    }
    return Error{fmt::format("it has no tensor \"{}\"", tensor), {}, suggestion(tensor, names, "it has")};
  }
  try {
    InputFile found;
    const auto known = kTypes.find(entry->at("dtype").get<std::string>());
    if (known == kTypes.end())
      return Error{
          fmt::format("its elements are {}, which is no type of a tensor", entry->at("dtype").get<std::string>())};
    found.dtype = known->second;
    found.shape = entry->at("shape").get<std::vector<int64_t>>();
    const auto range = entry->at("data_offsets").get<std::vector<uint64_t>>();
    if (range.size() != 2 || range[0] > range[1] || range[1] > size - 8 - head_bytes)
      return Error{"its head points behind its end"};
    found.offset = 8 + head_bytes + range[0];
    found.bytes = range[1] - range[0];
    return found;
  } catch (const nlohmann::json::exception& problem) {
    return Error{fmt::format("its head is not understood: {}", problem.what())};
  }
}

std::string type_name(const ResolvedTensor& tensor) {
  if (tensor.is_bool) return "bool";
  if (tensor.is_complex) return tensor.dtype == DType::f32 ? "c64" : "c128";
  return std::string(name(tensor.dtype));
}

}  // namespace

Result<InputFile> read_input_head(const fs::path& file, const std::string& tensor) {
  std::error_code failed;
  const uint64_t size = fs::file_size(file, failed);
  std::ifstream stream(file, std::ios::binary);
  if (failed || !stream) return Error{"it cannot be read"};
  if (file.extension() == ".npy") return read_npy(stream, size);
  if (file.extension() == ".safetensors") return read_safetensors(stream, size, tensor);
  return InputFile{.raw = true, .dtype = "", .shape = {}, .offset = 0, .bytes = size};
}

Result<InputFile> check_input_file(const fs::path& folder, const std::string& argument, const ResolvedTensor& tensor) {
  const Fill& fill = tensor.fill;
  auto found = read_input_head(folder / fill.file, fill.tensor);
  const std::string what = fmt::format("the file \"{}\" of argument \"{}\"", fill.file, argument);
  if (!found) {
    return mistake(fill.file_place, fmt::format("{} does not serve: {}", what, found.error().message),
                   found.error().hint);
  }
  const auto elements = static_cast<uint64_t>(tensor.elements);
  const uint64_t needed =
      elements * static_cast<uint64_t>(size_bytes(tensor.dtype)) / (is_packed(tensor.dtype) ? 2 : 1);
  if (found->raw) {
    const auto skipped = static_cast<uint64_t>(fill.offset);
    found->offset = skipped;
    if (skipped <= found->bytes && needed <= found->bytes - skipped) return found;
    return mistake(fill.file_place,
                   fmt::format("{} is too short: it has {} bytes; expected at least {} ({} elements of {}{})", what,
                               found->bytes, skipped + needed, elements, type_name(tensor),
                               skipped > 0 ? fmt::format(" behind {} bytes", skipped) : ""));
  }
  if (found->dtype != type_name(tensor)) {
    return mistake(fill.file_place, fmt::format("{} holds {}; expected {}", what, found->dtype, type_name(tensor)));
  }
  std::vector<int64_t> wanted = tensor.dims;
  if (tensor.is_complex) wanted.pop_back();
  const bool same_rank = found->shape.size() == wanted.size();
  const bool same_rows = same_rank && std::equal(wanted.begin() + 1, wanted.end(), found->shape.begin() + 1);
  if (!same_rows || found->shape.front() < wanted.front()) {
    return mistake(fill.file_place,
                   fmt::format("{} {}: its shape is [{}]; expected [{}]{}", what,
                               same_rows ? "is too short" : "does not serve", fmt::join(found->shape, ", "),
                               fmt::join(wanted, ", "), same_rows ? ", or a larger first dimension" : ""));
  }
  if (found->bytes < needed) {
    return mistake(fill.file_place, fmt::format("{} is too short: it has {} bytes of elements; expected {}", what,
                                                found->bytes, needed));
  }
  return found;
}

}  // namespace assay::spec
