// SPDX-License-Identifier: MIT
// The verdict as a sentence: what a reader takes away who reads nothing else.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "page/drawing.hpp"
#include "page/read_attempt.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

using ledger::Attempt;
using ledger::Kind;

const Attempt* newest(const Content& content, Kind kind) {
  const Attempt* found = nullptr;
  for (const Attempt& attempt : content.attempts) {
    if (attempt.kind == kind) found = &attempt;
  }
  return found;
}

void say(Text& text, std::string words) {
  text.push_back({std::move(words)});
}

void say_strong(Text& text, std::string words, Tone tone = Tone::plain) {
  text.push_back({std::move(words), Span::Kind::strong, tone});
}

// "kernels/softmax/softmax.cu" -> "softmax.cu"
std::string file_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void say_soundness(const Content& content, Text& text) {
  if (!content.findings.empty()) {
    const ReportedFinding& first = content.findings.front();
    say_strong(text, content.title + " is not sound", Tone::bad);
    // Neither the kind nor the place is said twice.
    const bool says_kind = first.message.find(first.kind) != std::string::npos;
    say(text, ": " + (says_kind ? "" : first.kind + ": ") + first.message);
    const std::string place = fmt::format("{}:{}", file_name(first.file), first.line);
    if (!first.file.empty() && first.message.find(place) == std::string::npos) text.push_back({" at " + place});
    say(text, fmt::format(" ({} in all, {} occurrences). ", counted(content.findings.size(), "finding"), grouped([&] {
                            double sum = 0;
                            for (const ReportedFinding& finding : content.findings) sum += finding.occurrences;
                            return sum;
                          }())));
    return;
  }
  const Attempt* check = newest(content, Kind::check);
  const Attempt* sanitize = newest(content, Kind::sanitize);
  if (check != nullptr && check->exit_code != 0) {
    say_strong(text, content.title + " is " + (check->verdict.empty() ? "not correct" : check->verdict), Tone::bad);
    const std::string why = error_of(*check).empty() ? failure_of(*check) : error_of(*check);
    const std::string where =
        check->shape.empty() || why.empty() ? "" : fmt::format(" at {} on {}", check->shape, check->device);
    say(text, (why.empty() ? "" : ": " + why) + where + ". ");
    return;
  }
  if (sanitize != nullptr && sanitize->exit_code != 0) {
    say_strong(text, content.title + " did not pass the checks", Tone::bad);
    say(text, fmt::format(": {}. ", error_of(*sanitize).empty() ? sanitize->verdict : error_of(*sanitize)));
    return;
  }
  if (check != nullptr) {
    say_strong(text, content.title + " is correct", Tone::good);
    const double cases = cases_of(*check);
    say(text, fmt::format("{} on {}", cases > 0 ? fmt::format(" in {} cases", grouped(cases)) : "", check->device));
    if (sanitize != nullptr) say(text, ", and the checks found nothing");
    say(text, ". ");
  } else if (sanitize != nullptr) {
    say_strong(text, fmt::format("The checks found nothing in {}", content.title), Tone::good);
    say(text, fmt::format(" on {}. ", sanitize->device));
  }
}

struct Speedups {
  std::map<std::string, int> verdicts;
  double least = 1e300;
  double most = 0;
  int cases = 0;
};

// Of the newest measurement of each case, beside each baseline.
void say_speed(const Content& content, Text& text) {
  std::map<std::string, Speedups> against;
  int rejected = 0;
  for (const MeasuredCase& each : content.measured) {
    if (!each.contenders.front().good) ++rejected;
    for (const MeasuredContender& contender : each.contenders) {
      if (!contender.comparison) continue;
      Speedups& sum = against[contender.name];
      ++sum.verdicts[contender.comparison->verdict];
      ++sum.cases;
      sum.least = std::min(sum.least, 1 / contender.comparison->ratio);
      sum.most = std::max(sum.most, 1 / contender.comparison->ratio);
    }
  }
  if (rejected > 0) {
    say_strong(text, fmt::format("A guard rejects it at {}", counted(static_cast<uint64_t>(rejected), "shape")),
               Tone::bad);
    say(text, ". ");
  }
  const std::string it = content.kind == SubjectKind::suite ? "The kernels are" : "It is";
  for (const auto& [baseline, sum] : against) {
    const bool one = sum.cases == 1 || sum.most - sum.least < 0.005;
    const std::string range =
        one ? fmt::format("{:.2f} times", sum.most) : fmt::format("{:.2f} to {:.2f} times", sum.least, sum.most);
    const auto count = [&](const char* verdict) {
      const auto found = sum.verdicts.find(verdict);
      return found == sum.verdicts.end() ? 0 : found->second;
    };
    const Tone tone = count("SLOWER") > 0 ? Tone::bad : count("FASTER") == sum.cases ? Tone::good : Tone::plain;
    say(text, it + " ");
    say_strong(text, fmt::format("{} as fast as {}", range, baseline), tone);
    std::vector<std::string> parts;
    for (const auto& [verdict, word] : {std::pair{"FASTER", "faster"},
                                        {"SAME", "the same"},
                                        {"SLOWER", "slower"},
                                        {"INCONCLUSIVE", "not decided"},
                                        {"THROTTLED", "throttled"}}) {
      if (count(verdict) > 0) parts.push_back(fmt::format("{} at {}", word, count(verdict)));
    }
    say(text, fmt::format(" ({}: {} of {}). ", "measured", join(parts, ", "),
                          counted(static_cast<uint64_t>(sum.cases), "case")));
  }
  if (!against.empty()) return;
  if (!content.measured.empty()) {
    const MeasuredCase& last = content.measured.back();
    if (last.contenders.front().p50_us)
      say(text, fmt::format("It takes {} at {} on {} (measured, p50). ", time_text(*last.contenders.front().p50_us),
                            last.attempt.shape, last.gpu.empty() ? last.attempt.device : last.gpu));
    return;
  }
  if (!content.estimated.empty()) {
    const EstimatedCase& last = content.estimated.back();
    say(text, fmt::format("It would take {} ({} to {}) at {} on {} (estimated); {} limits it. ",
                          time_text(last.time_us), time_text(last.low_us), time_text(last.high_us), last.attempt.shape,
                          last.attempt.device, last.limiter));
    const auto about = std::ranges::find(content.diagnosed, last.attempt.id,
                                         [](const DiagnosedCase& each) { return each.attempt.id; });
    if (about != content.diagnosed.end() && !about->findings.empty()) {
      const DiagnosedFinding& first = about->findings.front();
      say(text, fmt::format("First finding: {}, at most -{} (estimated). ", first.title, time_text(first.cap_us)));
    }
    return;
  }
  if (!content.tuned.empty() && !content.tuned.back().tie_group.empty()) {
    const TunedCase& last = content.tuned.back();
    say(text, fmt::format("The best of {} that were tried is {} on {} ({}). ",
                          counted(static_cast<uint64_t>(last.points.size()), "configuration"), last.tie_group.front(),
                          last.attempt.device, last.quantity));
    return;
  }
  say(text, "Its time is not measured: that needs a GPU.");
}

Text pair_verdict(const Content& content) {
  Text text;
  const Contrast& contrast = *content.contrast;
  if (contrast.time) {
    const AgainstCandidate& time = *contrast.time;
    const Tone tone = time.verdict == "FASTER" ? Tone::good : time.verdict == "SLOWER" ? Tone::bad : Tone::plain;
    say(text, fmt::format("Attempt {} is ", contrast.candidate));
    say_strong(text, fmt::format("{:.3f} times as fast as attempt {}", 1 / time.ratio, contrast.baseline), tone);
    say(text, fmt::format(" ({}, interval {:.3f} to {:.3f}, measured). {}", time.verdict, 1 / time.interval.high,
                          1 / time.interval.low, time.reason));
    return text;
  }
  if (!contrast.differences.empty()) {
    say_strong(text,
               fmt::format("Attempts {} and {} cannot be compared by time", contrast.candidate, contrast.baseline),
               Tone::warning);
    say(text, fmt::format(": their contracts differ in {}.", counted(contrast.differences.size(), "field")));
    return text;
  }
  say(text, fmt::format("Attempt {} beside attempt {}: what was counted and recorded, side by side.",
                        contrast.candidate, contrast.baseline));
  return text;
}

Text period_verdict(const Content& content) {
  std::set<std::string> kernels;
  double seconds = 0;
  size_t failed = 0;
  for (const Attempt& attempt : content.attempts) {
    if (!attempt.kernel.empty()) kernels.insert(attempt.kernel);
    if (attempt.kind != Kind::run && attempt.kind != Kind::suite) seconds += attempt.duration_s;
    failed += attempt.exit_code != 0 ? 1 : 0;
  }
  Text text;
  say_strong(text,
             fmt::format("{} on {}", counted(content.attempts.size(), "attempt"), counted(kernels.size(), "kernel")));
  say(text, fmt::format(" took {}; {} of them did not end well.",
                        seconds < 120 ? short_number(seconds) + " s" : short_number(seconds / 60) + " min", failed));
  return text;
}

}  // namespace

Text verdict(const Content& content) {
  if (content.kind == SubjectKind::pair) return pair_verdict(content);
  if (content.kind == SubjectKind::period) return period_verdict(content);
  Text text;
  if (content.kind == SubjectKind::suite && content.suite) {
    const SuiteSummary& suite = *content.suite;
    say(text, fmt::format("{} measured, {} rejected, {} failed, {} skipped. ",
                          counted(static_cast<uint64_t>(suite.measured), "item"), suite.rejected, suite.failed,
                          suite.skipped));
  } else {
    say_soundness(content, text);
  }
  // Of a kernel that is wrong, time is no virtue.
  if (content.findings.empty() || !content.measured.empty()) say_speed(content, text);
  return text;
}

Tone verdict_tone(const Content& content) {
  Tone worst = Tone::plain;
  for (const Span& span : verdict(content)) {
    if (span.tone == Tone::bad) return Tone::bad;
    if (span.tone == Tone::warning || (span.tone == Tone::good && worst == Tone::plain)) worst = span.tone;
  }
  return worst;
}

}  // namespace assay::page
