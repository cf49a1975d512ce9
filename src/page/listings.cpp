// SPDX-License-Identifier: MIT
#include "page/listings.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "base/file.hpp"
#include "base/repository.hpp"
#include "base/text.hpp"
#include "page/drawing.hpp"
#include "report/source_text.hpp"

namespace assay::page {
namespace {

constexpr int kWholeFile = 2000;  // lines; of longer files only what is near a counter or a finding
constexpr int kContext = 6;
constexpr size_t kMostFiles = 12;
constexpr size_t kMostAssembly = 6000;  // lines of PTX

// What tells most of where time goes, in this order; others follow by name.
constexpr std::string_view kTelling[] = {
    "ptx_instructions",       "global_load_sectors",         "global_store_sectors",
    "async_copy_sectors",     "shared_load_wavefronts",      "shared_store_wavefronts",
    "shared_copy_wavefronts", "shared_load_bank_conflicts",  "shared_store_bank_conflicts",
    "tensor_instructions",    "local_load_sectors",          "local_store_sectors",
    "divergent_branches",     "ptx_thread_instructions_off", "barriers"};

std::vector<std::string> counters_of(const ProfiledCase& profiled) {
  std::set<std::string> present;
  for (const ProfiledLine& line : profiled.lines) {
    for (const auto& [name, value] : line.counters) {
      if (value > 0 && name.find('.') == std::string::npos) present.insert(name);
    }
  }
  std::vector<std::string> order;
  for (const std::string_view name : kTelling) {
    if (present.erase(std::string(name)) > 0) order.emplace_back(name);
  }
  order.insert(order.end(), present.begin(), present.end());
  return order;
}

double value_of(const CounterValues& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

Text note_of(const ReportedFinding& finding) {
  Text text = {{finding.kind, Span::Kind::strong, Tone::bad}, {": " + finding.message}};
  if (!finding.place.empty()) text.push_back({"; first " + finding.place});
  if (!finding.allocation.empty()) text.push_back({", " + finding.allocation});
  if (finding.occurrences > 1) text.push_back({fmt::format("; {} times", grouped(finding.occurrences))});
  return text;
}

Text note_of(const DiagnosedCase& about, const DiagnosedFinding& finding) {
  return {{finding.title, Span::Kind::strong, Tone::warning},
          {fmt::format(": {}; at most -{} at {}", finding.evidence, time_text(finding.cap_us), about.attempt.shape)}};
}

class Builder {
 public:
  explicit Builder(const Content& content) : content_(content) {}

  Listings build() {
    const ProfiledCase* profiled = content_.profiled.empty() ? nullptr : &content_.profiled.back();
    if (profiled != nullptr) {
      result_.counters = counters_of(*profiled);
      result_.attempt = profiled->attempt.id;
      result_.entry = profiled->entry;
    }
    for (const std::string& file : files(profiled)) {
      if (result_.files.size() == kMostFiles) break;
      list(file, profiled);
    }
    if (profiled != nullptr) translate(*profiled);
    return std::move(result_);
  }

 private:
  // Those with findings first, then by what their lines cost.
  std::vector<std::string> files(const ProfiledCase* profiled) const {
    std::map<std::string, double> cost;
    for (const ReportedFinding& finding : content_.findings) {
      if (!finding.file.empty() && finding.line > 0) cost[finding.file] += 1e18;
    }
    if (!content_.diagnosed.empty()) {
      for (const DiagnosedFinding& finding : content_.diagnosed.back().findings) {
        if (!finding.file.empty() && finding.line > 0) cost[finding.file] += finding.cap_us;
      }
    }
    for (const ProfiledLine& line : profiled != nullptr ? profiled->lines : std::vector<ProfiledLine>()) {
      if (!line.file.empty() && line.line > 0) cost[line.file] += value_of(line.counters, "ptx_instructions");
    }
    std::vector<std::string> order;
    for (const auto& [file, sum] : cost) order.push_back(file);
    std::ranges::stable_sort(order, [&](const std::string& a, const std::string& b) { return cost[a] > cost[b]; });
    return order;
  }

  void list(const std::string& file, const ProfiledCase* profiled) {
    const auto text = report::source_file(file, content_.source_root);
    if (!text) {
      result_.not_here.push_back(file);
      return;
    }
    ListedFile listed;
    listed.listing.id = fmt::format("source{}", result_.files.size());
    listed.listing.file = file;
    listed.listing.counter = result_.counters.empty() ? "" : result_.counters.front();
    double most = 0;
    for (const ProfiledLine& line : profiled != nullptr ? profiled->lines : std::vector<ProfiledLine>()) {
      if (line.file != file || line.line <= 0) continue;
      for (const auto& [name, value] : line.counters) listed.counters[line.line][name] += value;
    }
    if (profiled != nullptr) {
      for (const ProfiledLine& line : profiled->lines)
        most = std::max(most, value_of(line.counters, listed.listing.counter));
    }
    std::map<int, std::vector<Text>> notes;
    for (const ReportedFinding& finding : content_.findings) {
      if (finding.file == file) notes[finding.line].push_back(note_of(finding));
    }
    if (!content_.diagnosed.empty()) {
      const DiagnosedCase& newest = content_.diagnosed.back();
      for (const DiagnosedFinding& finding : newest.findings) {
        if (finding.file == file) notes[finding.line].push_back(note_of(newest, finding));
      }
    }
    std::vector<std::string_view> lines = split(*text, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    const auto of_interest = [&](int number) {
      const auto near = [&](const auto& map) {
        const auto found = map.lower_bound(number - kContext);
        return found != map.end() && found->first <= number + kContext;
      };
      return static_cast<int>(lines.size()) <= kWholeFile || near(listed.counters) || near(notes);
    };
    int skipped = 0;
    const auto close_gap = [&] {
      if (skipped > 0)
        listed.listing.lines.push_back(
            {.number = 0, .text = counted(static_cast<uint64_t>(skipped), "line") + " without counts"});
      skipped = 0;
    };
    for (int number = 1; number <= static_cast<int>(lines.size()); ++number) {
      if (!of_interest(number)) {
        ++skipped;
        continue;
      }
      close_gap();
      ListedLine line;
      line.number = number;
      line.text = std::string(lines[static_cast<size_t>(number) - 1]);
      if (!line.text.empty() && line.text.back() == '\r') line.text.pop_back();
      if (const auto found = listed.counters.find(number); found != listed.counters.end()) {
        const double value = value_of(found->second, listed.listing.counter);
        if (value > 0) line.count = grouped(value);
        line.heat = most > 0 ? value / most : 0;
      }
      if (const auto found = notes.find(number); found != notes.end()) line.notes = found->second;
      listed.listing.lines.push_back(std::move(line));
    }
    close_gap();
    result_.files.push_back(std::move(listed));
  }

  ListedFile* listed_as(const std::string& file) {
    const auto found =
        std::ranges::find_if(result_.files, [&](const ListedFile& listed) { return listed.listing.file == file; });
    return found == result_.files.end() ? nullptr : &*found;
  }

  // The body of the entry, cut where the source line changes (.loc FILE LINE COLUMN).
  void translate(const ProfiledCase& profiled) {
    const std::filesystem::path path = profiled.ptx;
    if (path.extension() != ".ptx") return;
    const auto text = read_file(path, size_t{64} << 20);
    if (!text) return;
    const std::vector<std::string_view> lines = split(*text, '\n');
    std::map<int, std::string> names;
    const SourceNames shown(content_.kernel_folder.empty() ? std::filesystem::path(".") : content_.kernel_folder);
    for (const std::string_view line : lines) {
      const std::string_view word = trim(line);
      if (!word.starts_with(".file")) continue;
      const size_t open = word.find('"');
      const size_t close = word.rfind('"');
      int number = 0;
      const std::string_view digits = trim(word.substr(5));
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (open != close) names[number] = shown.shown(std::string(word.substr(open + 1, close - open - 1)));
    }
    bool inside = false;
    Assembly::Piece piece;
    const auto flush = [&] {
      if (!piece.text.empty()) result_.assembly.pieces.push_back(piece);
      piece.text.clear();
    };
    for (const std::string_view line : lines) {
      if (!inside) {
        inside = line.find(".entry " + profiled.entry + "(") != std::string_view::npos ||
                 line.ends_with(".entry " + profiled.entry);
        if (!inside) continue;
      }
      const std::string_view word = trim(line);
      if (word.starts_with(".loc")) {
        flush();
        locate(word, names, piece);
        continue;
      }
      if (!word.empty()) {
        piece.text += std::string(line) + "\n";
        ++result_.assembly_lines;
      }
      if (line.starts_with("}")) break;
      if (result_.assembly_lines >= kMostAssembly) break;
    }
    flush();
    merge();
  }

  void locate(std::string_view word, const std::map<int, std::string>& names, Assembly::Piece& piece) {
    int file = 0;
    int line = 0;
    const char* end = word.data() + word.size();
    const char* at = word.data() + 4;
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    at = std::from_chars(at, end, file).ptr;
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    std::from_chars(at, end, line);
    piece.listing.clear();
    piece.line = line;
    const auto name = names.find(file);
    ListedFile* listed = name == names.end() ? nullptr : listed_as(name->second);
    if (listed == nullptr) return;
    for (ListedLine& each : listed->listing.lines) {
      if (each.number != line || line == 0) continue;
      each.translated = true;
      piece.listing = listed->listing.id;
    }
  }

  // Neighbours of one line are one piece.
  void merge() {
    std::vector<Assembly::Piece> merged;
    for (Assembly::Piece& piece : result_.assembly.pieces) {
      if (!merged.empty() && merged.back().listing == piece.listing &&
          (merged.back().line == piece.line || piece.listing.empty())) {
        merged.back().text += piece.text;
      } else {
        merged.push_back(std::move(piece));
      }
    }
    result_.assembly.pieces = std::move(merged);
  }

  const Content& content_;
  Listings result_;
};

}  // namespace

std::string Listings::anchor(const std::string& file, int line) const {
  for (const ListedFile& listed : files) {
    if (listed.listing.file != file) continue;
    for (const ListedLine& each : listed.listing.lines) {
      if (each.number == line && line > 0) return fmt::format("{}L{}", listed.listing.id, line);
    }
  }
  return "";
}

Listings make_listings(const Content& content) {
  if (content.kind == SubjectKind::period && content.title == kAllKernels) return {};  // of no single kernel
  return Builder(content).build();
}

}  // namespace assay::page
