// SPDX-License-Identifier: MIT
#include "formats/json_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <zlib.h>

#include "base/file.hpp"

namespace assay::formats {
namespace {

constexpr int kMostDepth = 64;

// One pass over the text: strings are skipped, words that JSON lacks are replaced, depth is bounded, and the place
// behind the last complete entry is kept with what would close the text there.
struct Scan {
  std::string text;
  bool too_deep = false;
  bool complete = false;
  size_t good_end = 0;
  std::string closing;
};

Scan scan(std::string_view source, int entry_depth) {
  Scan result;
  result.text.reserve(source.size());
  std::string open;  // the brackets that are open, as what closes them
  const auto word = [&](size_t at, std::string_view wanted) { return source.substr(at, wanted.size()) == wanted; };
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '"') {
      const size_t start = i++;
      while (i < source.size() && source[i] != '"') i += source[i] == '\\' ? 2 : 1;
      result.text += source.substr(start, std::min(i + 1, source.size()) - start);
      continue;
    }
    if (c == '-' && word(i, "-Infinity")) {
      result.text += "null";
      i += 8;
      continue;
    }
    if (c == 'I' && word(i, "Infinity")) {
      result.text += "null";
      i += 7;
      continue;
    }
    if (c == 'N' && word(i, "NaN")) {
      result.text += "null";
      i += 2;
      continue;
    }
    result.text += c;
    if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
      if (open.size() > kMostDepth) result.too_deep = true;
      if (result.too_deep) return result;
    } else if (c == '}' || c == ']') {
      if (open.empty()) return result;
      open.pop_back();
      if (static_cast<int>(open.size()) == entry_depth) {
        result.good_end = result.text.size();
        result.closing.assign(open.rbegin(), open.rend());
      }
      result.complete = open.empty();
    }
  }
  return result;
}

}  // namespace

Result<std::string> decompress_gzip(std::string_view compressed, size_t limit_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return Error{"zlib cannot start", {}, {}, ExitCode::internal};
  std::string text;
  std::string piece(size_t{1} << 16, '\0');
  size_t fed = 0;
  int state = Z_OK;
  while (state == Z_OK || state == Z_BUF_ERROR) {
    if (stream.avail_in == 0 && fed < compressed.size()) {
      const size_t part = std::min<size_t>(compressed.size() - fed, size_t{1} << 20);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + fed));
      stream.avail_in = static_cast<uInt>(part);
      fed += part;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const size_t made = piece.size() - stream.avail_out;
    text.append(piece, 0, made);
    if (text.size() > limit_bytes) {
      inflateEnd(&stream);
      return Error{fmt::format("decompressed, it is larger than {} MiB", limit_bytes >> 20)};
    }
    // Nothing came out and nothing is left to go in: the file was cut off. What there is may still be of use.
    if (made == 0 && stream.avail_in == 0 && fed == compressed.size() && state != Z_STREAM_END) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END && state != Z_OK && state != Z_BUF_ERROR && text.empty())
    return Error{"this is not gzip, or it is damaged"};
  return text;
}

namespace {

// Some editors and spreadsheets put one in front of UTF-8.
std::string without_byte_order_mark(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

}  // namespace

Result<std::string> read_text(const std::filesystem::path& path) {
  ASSAY_TRY(std::string content, read_file(path));
  if (content.size() < 2 || content[0] != '\x1f' || content[1] != '\x8b') return without_byte_order_mark(content);
  auto text = decompress_gzip(content);
  if (!text) return Error{text.error().message, {path.string()}, "", ExitCode::usage};
  return without_byte_order_mark(*std::move(text));
}

Result<ParsedJson> parse_json(std::string_view text, const std::string& name, int entry_depth) {
  Scan scanned = scan(text, entry_depth);
  const Place place{name};
  if (scanned.too_deep) return Error{fmt::format("the JSON is nested deeper than {} levels", kMostDepth), place};
  if (scanned.complete) {
    nlohmann::json value = nlohmann::json::parse(scanned.text, nullptr, false);
    if (!value.is_discarded()) return ParsedJson{std::move(value), false};
    return Error{"this is not JSON", place};
  }
  if (scanned.good_end == 0) return Error{"this is not JSON, or it was cut off before its first entry", place};
  scanned.text.resize(scanned.good_end);
  nlohmann::json value = nlohmann::json::parse(scanned.text + scanned.closing, nullptr, false);
  if (value.is_discarded()) return Error{"this is not JSON", place};
  return ParsedJson{std::move(value), true};
}

}  // namespace assay::formats
