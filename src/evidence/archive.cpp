// SPDX-License-Identifier: MIT
#include "evidence/archive.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <zlib.h>

#include "base/scratch_folder.hpp"
#include "base/text.hpp"

namespace assay::evidence {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTarBlock = 512;
constexpr size_t kLongestPath = 200;
constexpr size_t kLongestName = 100;  // of a ustar header; what is longer is parted at a slash

// A header of the ustar format (POSIX.1): numbers in octal digits, a sum over all bytes.
struct Header {
  std::array<char, kTarBlock> bytes{};

  void text(size_t at, size_t size, std::string_view value) {
    std::memcpy(bytes.data() + at, value.data(), std::min(size, value.size()));
  }
  void number(size_t at, size_t size, uint64_t value) { text(at, size, fmt::format("{:0{}o}", value, size - 1)); }
  void finish() {
    text(148, 8, "        ");
    unsigned sum = 0;
    for (const char byte : bytes) sum += static_cast<unsigned char>(byte);
    text(148, 8, fmt::format("{:06o}", sum));
    bytes[154] = '\0';
  }
};

Result<std::string> entry_of(const std::string& path, const std::string& content, int64_t time_s) {
  Header header;
  std::string prefix, name = path;
  if (name.size() > kLongestName) {
    const size_t slash = path.find('/', path.size() - kLongestName - 1);
    if (slash == path.npos || slash > 155) return Error{fmt::format("the name '{}' is too long for an archive", path)};
    prefix = path.substr(0, slash);
    name = path.substr(slash + 1);
  }
  header.text(0, 100, name);
  header.number(100, 8, 0644);
  header.number(108, 8, 0);
  header.number(116, 8, 0);
  header.number(124, 12, content.size());
  header.number(136, 12, static_cast<uint64_t>(std::max<int64_t>(time_s, 0)));
  header.bytes[156] = '0';
  header.text(257, 6, std::string_view("ustar\0", 6));
  header.text(263, 2, "00");
  header.text(345, 155, prefix);
  header.finish();
  std::string entry(header.bytes.data(), kTarBlock);
  entry += content;
  entry.resize((entry.size() + kTarBlock - 1) / kTarBlock * kTarBlock, '\0');
  return entry;
}

Error cannot(const char* what, const fs::path& path, const std::string& why) {
  return Error{fmt::format("cannot {}: {}", what, why), Place{path.string()}, "choose another place with --out",
               ExitCode::environment};
}

}  // namespace

bool is_safe(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath || path.front() == '/') return false;
  return std::ranges::all_of(split(path, '/'), [](std::string_view part) {
    return !part.empty() && part != "." && part != ".." &&
           std::ranges::none_of(part, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f || c == '\\'; });
  });
}

Result<std::string> tar_of(const std::vector<PackedFile>& files, const std::string& root, int64_t time_s) {
  std::string archive;
  for (const PackedFile& file : files) {
    ASSAY_TRY(const std::string entry, entry_of(root + "/" + file.path, file.content, time_s));
    archive += entry;
  }
  return archive + std::string(2 * kTarBlock, '\0');
}

Result<std::string> gzip_of(std::string_view content) {
  z_stream stream{};
  const Error problem{"zlib cannot compress", {}, {}, ExitCode::internal};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return problem;
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = content.size() > UINT32_MAX ? Z_BUF_ERROR : deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return problem;
  return packed;
}

Result<void> write_folder(const std::vector<PackedFile>& files, const fs::path& folder) {
  std::error_code problem;
  if (fs::exists(folder, problem) && !fs::is_empty(folder, problem))
    return Error{"this folder is not empty", Place{folder.string()}, "name a new one with --out"};
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  fs::create_directories(parent, problem);
  if (problem) return cannot("make this folder", parent, problem.message());
  // Beside its place first: somebody who looks there never sees half of it.
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make_in(parent));
  const fs::path built = scratch.path() / "folder";
  for (const PackedFile& file : files) {
    const fs::path path = built / file.path;
    fs::create_directories(path.parent_path(), problem);
    std::ofstream out(path, std::ios::binary);
    out.write(file.content.data(), static_cast<std::streamsize>(file.content.size()));
    out.close();
    if (!out.good()) return cannot("write this file", path, std::strerror(errno));
  }
  if (fs::is_directory(folder, problem)) fs::remove(folder, problem);
  fs::rename(built, folder, problem);
  if (problem) return cannot("make this folder", folder, problem.message());
  return {};
}

}  // namespace assay::evidence
