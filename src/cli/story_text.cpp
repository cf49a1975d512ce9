// SPDX-License-Identifier: MIT
#include "cli/story_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "ledger/time_text.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;
using report::Colour;

constexpr double kMargin = 0.01;  // nearer to 1 is a tie, as in assay learn
constexpr size_t kShown = 60;

std::string duration(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string shortened(const std::string& text) {
  std::string shown = escape_terminal(text);
  if (shown.size() <= kShown) return shown;
  size_t end = kShown - 3;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) --end;
  return shown.substr(0, end) + "...";
}

std::string brought_text(const work::Chapter& chapter) {
  if (chapter.brought) return fmt::format("{:.3f}x", *chapter.brought);
  return chapter.times_us.empty() ? "" : "first time";
}

Colour brought_colour(const work::Chapter& chapter) {
  if (!chapter.brought) return Colour::none;
  if (*chapter.brought > 1 + kMargin) return Colour::green;
  return *chapter.brought < 1 / (1 + kMargin) ? Colour::red : Colour::none;
}

// Why it was tried, and what was decided or went wrong.
std::string words_of(const work::Chapter& chapter) {
  std::vector<std::string> parts;
  if (!chapter.what.empty()) parts.push_back(shortened(chapter.what));
  if (!chapter.came.empty()) parts.push_back("came: " + shortened(chapter.came));
  if (!chapter.decision.empty()) parts.push_back("decided: " + shortened(chapter.decision));
  if (!chapter.why.empty()) parts.push_back("failed: " + shortened(chapter.why));
  return join(parts, "; ");
}

std::string totals(const work::Story& story) {
  std::string text = fmt::format("{}: {}, {} failed, {}", escape_terminal(story.kernel),
                                 counted(story.attempts, "attempt"), story.failed, duration(story.seconds));
  if (story.cost) text += fmt::format(", cost {:.2f}", *story.cost);
  if (!story.retired.empty()) text += "; retired: " + escape_terminal(story.retired);
  return text + "\n";
}

}  // namespace

std::string story_text(const work::Story& story) {
  const report::Terminal terminal;
  report::Table table(
      {"attempts", "begun", "source", "tried", "failed", "took", "cost", "brought", "why, and what came"});
  for (const work::Chapter& each : story.chapters) {
    table.add({each.first == each.last ? fmt::format("{}", each.first) : fmt::format("{}-{}", each.first, each.last),
               ledger::iso_time(each.begun_us).substr(0, 10),
               escape_terminal(each.name),
               std::to_string(each.attempts),
               {std::to_string(each.failed), each.failed > 0 ? Colour::yellow : Colour::none},
               duration(each.seconds),
               each.cost ? fmt::format("{:.2f}", *each.cost) : "",
               {brought_text(each), brought_colour(each)},
               words_of(each)});
  }
  table.leave_out({"cost", "begun", "took"});
  return table.render(terminal) + totals(story);
}

// A long line of work is a long chain: only where it branches does the depth grow.
std::string tree_text(const work::Story& story) {
  std::string text;
  std::vector<std::vector<size_t>> children(story.chapters.size());
  std::vector<size_t> roots;
  for (size_t i = 0; i < story.chapters.size(); ++i) {
    const auto before = story.chapters[i].before;
    (before ? children[*before] : roots).push_back(i);
  }
  struct Visit {
    size_t chapter;
    size_t depth;
  };
  std::vector<Visit> open;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) open.push_back({*root, 0});
  const report::Terminal terminal;
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    const work::Chapter& chapter = story.chapters[visit.chapter];
    const std::string brought = brought_text(chapter), words = words_of(chapter);
    text += fmt::format("{}{}{}{}{}\n", std::string(2 * visit.depth, ' '), escape_terminal(chapter.name),
                        brought.empty() ? "" : "  " + terminal.paint(brought_colour(chapter), brought),
                        chapter.failed > 0 ? fmt::format("  {} of {} failed", chapter.failed, chapter.attempts) : "",
                        words.empty() ? "" : "  " + words);
    const std::vector<size_t>& next = children[visit.chapter];
    // The line goes on with the last child that leads somewhere; the others are branches.
    std::optional<size_t> main = next.size() == 1 ? std::optional(next[0]) : std::nullopt;
    for (const size_t child : next) {
      if (!children[child].empty()) main = child;
    }
    for (auto child = next.rbegin(); child != next.rend(); ++child)
      if (*child == main) open.push_back({*child, visit.depth});
    for (auto child = next.rbegin(); child != next.rend(); ++child)
      if (*child != main) open.push_back({*child, visit.depth + 1});
  }
  return text + totals(story);
}

json stories_document(const std::vector<work::Story>& stories) {
  json all = json::array();
  for (const work::Story& story : stories) {
    json chapters = json::array();
    for (const work::Chapter& each : story.chapters)
      chapters.push_back({{"source", each.name},
                          {"attempts", {each.first, each.last}},
                          {"begun", ledger::iso_time(each.begun_us)},
                          {"from", each.before ? json(story.chapters[*each.before].name) : json(nullptr)},
                          {"tried", each.attempts},
                          {"failed", each.failed},
                          {"seconds", each.seconds},
                          {"cost", each.cost ? json(*each.cost) : json(nullptr)},
                          {"brought", each.brought ? json(*each.brought) : json(nullptr)},
                          {"what", each.what},
                          {"came", each.came},
                          {"decision", each.decision},
                          {"why_it_failed", each.why}});
    all.push_back({{"kernel", story.kernel},
                   {"attempts", story.attempts},
                   {"failed", story.failed},
                   {"seconds", story.seconds},
                   {"cost", story.cost ? json(*story.cost) : json(nullptr)},
                   {"retired", story.retired.empty() ? json(nullptr) : json(story.retired)},
                   {"tried", chapters}});
  }
  return all;
}

}  // namespace assay::cli
