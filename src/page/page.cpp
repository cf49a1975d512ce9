// SPDX-License-Identifier: MIT
#include "page/page.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "page/data.hpp"
#include "page/embedded_files.hpp"
#include "page/html.hpp"
#include "page/markdown.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr size_t kMarkdownLimit = 65'000;  // a comment on a pull request holds 65,536 characters

std::string_view embedded(std::string_view name) {
  for (const EmbeddedFile& file : page_files()) {
    if (file.name == name) return file.text;
  }
  return "";
}

// In the order in which a reader asks: what is wrong, how fast, why, since when, how do you know.
std::vector<Section> sections_of(const Content& content, const Listings& listings) {
  std::optional<Section> all[] = {period_section(content),
                                  contrast_section(content),
                                  findings_section(content, listings),
                                  steps_section(content),
                                  diagnosis_section(content, listings),
                                  speed_section(content),
                                  roofline_section(content),
                                  samples_section(content),
                                  loads_section(content),
                                  source_section(content, listings),
                                  counters_section(content),
                                  inversion_section(content),
                                  occupancy_section(content),
                                  tuning_section(content),
                                  leaderboard_section(content),
                                  history_section(content),
                                  attempts_section(content)};
  std::vector<Section> there;
  for (std::optional<Section>& section : all) {
    if (section) there.push_back(std::move(*section));
  }
  return there;
}

std::string_view subject_word(SubjectKind kind) {
  switch (kind) {
    case SubjectKind::kernel:
      return "kernel";
    case SubjectKind::run:
      return "run";
    case SubjectKind::suite:
      return "suite";
    case SubjectKind::attempt:
      return "attempt";
    case SubjectKind::pair:
      return "comparison";
    case SubjectKind::period:
      return "period";
  }
  return "";
}

std::string head(const Content& content) {
  std::string_view hash = embedded("page.sha256");
  while (!hash.empty() && hash.back() == '\n') hash.remove_suffix(1);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - assay "
      "report</title>\n<style>\n{}</style>\n</head>\n",
      hash, escape_html(content.title), embedded("page.css"));
}

std::string navigation(const std::vector<Section>& sections) {
  std::string out = "<nav aria-label=\"Sections\"><ul>";
  for (const Section& section : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>", escape_html(section.id), escape_html(section.title));
  return out + "</ul></nav>\n";
}

std::string footer(const Content& content) {
  std::string out = "<footer>\n";
  for (const std::string& remark : content.remarks)
    out += fmt::format("<p class=\"warning\">{}</p>\n", escape_html(remark));
  return out + fmt::format(
                   "<p>Made by assay {} from <code>{}</code>; again with <code>{}</code>. <em>Measured</em> is from a "
                   "GPU's clock, <em>counted</em> is exact, from the virtual GPU, <em>estimated</em> is from a "
                   "stated model.</p>\n</footer>\n",
                   escape_html(kVersion), escape_html(content.ledger), escape_html(content.command));
}

std::string_view class_of(Tone tone) {
  return tone == Tone::good      ? "verdict good-edge"
         : tone == Tone::bad     ? "verdict bad-edge"
         : tone == Tone::warning ? "verdict warning-edge"
                                 : "verdict";
}

}  // namespace

std::string html_page(const Content& content) {
  const Listings listings = make_listings(content);
  const std::vector<Section> sections = sections_of(content, listings);
  // Names are cut after an underscore where the page is narrow.
  const std::string title = replace_all(escape_html(content.title), "_", "_<wbr>");
  std::string out = head(content);
  out += fmt::format(
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n<p class=\"kind\">assay report: "
      "{}</p>\n"
      "<h1>{}</h1>\n<p class=\"{}\">{}</p>\n</header>\n",
      subject_word(content.kind), title, class_of(verdict_tone(content)), html(verdict(content)));
  out += navigation(sections);
  out += "<main id=\"main\">\n" + html(sections) + "</main>\n" + footer(content);
  out +=
      fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
                  script_data(content, listings), embedded("page.js"));
  return out;
}

std::string markdown_page(const Content& content) {
  const Listings listings = make_listings(content);
  return markdown(content.title, verdict(content), sections_of(content, listings), kMarkdownLimit);
}

std::string verdict_line(const Content& content) {
  std::string line;
  for (const Span& span : verdict(content)) line += span.text;
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace assay::page
