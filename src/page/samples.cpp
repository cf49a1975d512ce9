// SPDX-License-Identifier: MIT
// Every sample of a measurement: how they are distributed, and how they came one after the other.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr size_t kDots = 1500;  // of one contender; beyond, each column of pixels shows its range

struct Bounds {
  double low = 1e300;
  double high = 0;
};

// The middle 98 % of every contender: a few outliers must not squeeze the rest.
Bounds bounds_of(const MeasuredCase& measured) {
  Bounds bounds;
  for (const ledger::Samples& samples : measured.samples) {
    std::vector<double> times = samples.times_us;
    std::ranges::sort(times);
    const auto at = [&](double part) {
      return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))];
    };
    bounds.low = std::min(bounds.low, at(0.0));
    bounds.high = std::max(bounds.high, at(0.99));
  }
  const double room = std::max((bounds.high - bounds.low) * 0.06, bounds.high * 0.002);
  return {std::max(0.0, bounds.low - room), bounds.high + room};
}

std::string draw_ecdf(const MeasuredCase& measured, double width) {
  const double height = width < 500 ? 230 : 280;
  Drawing drawing(width, height);
  const Bounds bounds = bounds_of(measured);
  const Scale x = Scale::linear(bounds.low, bounds.high, 48, width - 14);
  const Scale y = Scale::linear(0, 100, height - 44, 28);
  for (size_t i = 0; i < measured.samples.size() && i < measured.contenders.size(); ++i) {
    const stats::Interval& median = measured.contenders[i].median_us;
    if (median.high > median.low)
      drawing.rectangle(x(median.low), y(100), x(median.high) - x(median.low), y(0) - y(100),
                        fmt::format("interval c{}", i % 7));
  }
  drawing.axes(x, y, "us of one call", "% of samples at most");
  for (size_t i = 0; i < measured.samples.size(); ++i) {
    std::vector<double> times = measured.samples[i].times_us;
    std::ranges::sort(times);
    // One step for each pixel is all that can be seen.
    std::string steps = "M" + at(x(bounds.low), y(0));
    const auto count = static_cast<double>(times.size());
    double drawn = x(bounds.low);
    for (size_t k = 0; k < times.size(); ++k) {
      const double across = x(times[k]);
      if (across < drawn + 0.7 && k + 1 < times.size()) continue;
      if (times[k] > bounds.high) break;
      steps += fmt::format("H{:.1f}V{:.1f}", across, y(100 * static_cast<double>(k + 1) / count));
      drawn = across;
    }
    steps += fmt::format("H{:.1f}", x(bounds.high));
    drawing.path(steps, fmt::format("curve c{} dash{}", i % 7, i % 4));
  }
  return drawing.svg();
}

std::string draw_trace(const MeasuredCase& measured, double width) {
  const bool clocks = std::ranges::any_of(measured.samples, [](const ledger::Samples& samples) {
    return std::ranges::any_of(samples.clocks_mhz, [](double clock) { return clock > 0; });
  });
  const double clock_height = clocks ? 96 : 0;
  const double height = (width < 500 ? 230 : 280) + clock_height;
  constexpr double kLeft = 62;  // room for 10.005
  Drawing drawing(width, height);
  const Bounds bounds = bounds_of(measured);
  size_t most = 1;
  for (const ledger::Samples& samples : measured.samples) most = std::max(most, samples.times_us.size());
  const Scale x = Scale::linear(0, static_cast<double>(most), kLeft, width - 14);
  const Scale y = Scale::linear(bounds.low, bounds.high, height - 44 - clock_height, 28);
  drawing.axes(x, y, clocks ? "" : "sample, in the order in which they were taken", "us of one call");
  for (size_t i = 0; i < measured.samples.size(); ++i) {
    const ledger::Samples& samples = measured.samples[i];
    std::string dots;
    std::string throttled;
    const auto visible = [&](double us) { return std::clamp(us, bounds.low, bounds.high); };
    if (samples.times_us.size() <= kDots) {
      for (size_t k = 0; k < samples.times_us.size(); ++k) {
        const bool held = k < samples.throttle.size() && samples.throttle[k] != 0;
        const std::string place = at(x(static_cast<double>(k)), y(visible(samples.times_us[k])));
        // A dot, or a ring around nothing.
        (held ? throttled : dots) +=
            held ? fmt::format("M{}m-2.5,0a2.5,2.5 0 1,0 5,0a2.5,2.5 0 1,0 -5,0", place) : fmt::format("M{}h0", place);
      }
    } else {
      const auto columns = static_cast<size_t>(x(static_cast<double>(most)) - x(0));
      const size_t each = samples.times_us.size() / columns + 1;
      for (size_t from = 0; from < samples.times_us.size(); from += each) {
        const size_t end = std::min(from + each, samples.times_us.size());
        double low = 1e300;
        double high = 0;
        bool held = false;
        for (size_t k = from; k < end; ++k) {
          low = std::min(low, samples.times_us[k]);
          high = std::max(high, samples.times_us[k]);
          held = held || (k < samples.throttle.size() && samples.throttle[k] != 0);
        }
        (held ? throttled : dots) +=
            fmt::format("M{}V{:.1f}", at(x(static_cast<double>(from)), y(visible(low))), y(visible(high)) - 0.5);
      }
    }
    const bool single = samples.times_us.size() <= kDots;
    drawing.path(dots, fmt::format("{} c{}", single ? "dots" : "range", i % 7));
    drawing.path(throttled, fmt::format("{} c{}", single ? "ring" : "range throttled", i % 7));
  }
  if (clocks) {
    double low = 1e300;
    double high = 0;
    for (const ledger::Samples& samples : measured.samples) {
      for (const double clock : samples.clocks_mhz) {
        if (clock <= 0) continue;
        low = std::min(low, clock);
        high = std::max(high, clock);
      }
    }
    const double room = std::max(10.0, (high - low) * 0.1);
    const Scale mhz = Scale::linear(low - room, high + room, height - 44, height - clock_height);
    drawing.text(8, height - clock_height - 8, "SM clock, MHz", "name");
    for (const double edge : {low, high}) {
      drawing.text(kLeft - 6, mhz(edge) + 4, short_number(edge), "tick", Anchor::end);
      drawing.line(kLeft, mhz(edge), width - 14, mhz(edge), "grid");
      if (high - low < 1) break;
    }
    for (size_t i = 0; i < measured.samples.size(); ++i) {
      const ledger::Samples& samples = measured.samples[i];
      std::string steps;
      double before = -1;
      for (size_t k = 0; k < samples.clocks_mhz.size(); ++k) {
        const double clock = samples.clocks_mhz[k];
        if (clock <= 0 || clock == before) continue;
        const double across = x(static_cast<double>(k));
        steps +=
            before < 0 ? fmt::format("M{}", at(across, mhz(clock))) : fmt::format("H{:.1f}V{:.1f}", across, mhz(clock));
        before = clock;
      }
      if (before > 0) steps += fmt::format("H{:.1f}", x(static_cast<double>(samples.clocks_mhz.size())));
      drawing.path(steps, fmt::format("curve c{} dash{}", i % 7, i % 4));
    }
    drawing.text(width - 14, height - 10, "sample, in the order in which they were taken", "name", Anchor::end);
  }
  return drawing.svg();
}

Table table_of(const MeasuredCase& measured, const std::string& id) {
  Table table{id,
              "The samples summed up (measured)",
              {{"contender"},
               {"samples", true},
               {"throttled", true},
               {"min", true},
               {"p50", true},
               {"p90", true},
               {"p99", true},
               {"max", true}},
              {}};
  for (const ledger::Samples& samples : measured.samples) {
    const ledger::SamplesSummary summary = summarize(samples);
    const auto time = [](double us) { return Cell{plain(time_text(us)), us}; };
    table.rows.push_back(
        {{plain(samples.contender)},
         {plain(grouped(static_cast<double>(summary.count))), static_cast<double>(summary.count)},
         {toned(grouped(static_cast<double>(summary.throttled)), summary.throttled > 0 ? Tone::warning : Tone::plain),
          static_cast<double>(summary.throttled)},
         time(summary.min_us),
         time(summary.p50_us),
         time(summary.p90_us),
         time(summary.p99_us),
         time(summary.max_us)});
  }
  return table;
}

}  // namespace

std::optional<Section> samples_section(const Content& content) {
  Section section{"samples", "Samples", {}};
  size_t number = 0;
  for (const MeasuredCase& each : content.measured) {
    if (each.samples.empty()) continue;
    std::vector<LegendEntry> legend;
    for (size_t i = 0; i < each.samples.size(); ++i)
      legend.push_back({each.samples[i].contender, static_cast<int>(i % 7)});
    const std::string id = fmt::format("samples{}", number);
    const std::string where =
        fmt::format("{} at {}, attempt {}", each.attempt.kernel, each.attempt.shape, each.attempt.id);
    std::vector<Element> elements;
    elements.push_back({Chart{
        id + "-ecdf", "ecdf",
        fmt::format("How many samples took at most so long, {}. Bands are the intervals of the medians; the slowest "
                    "1 % lie to the right.",
                    where),
        id + "-table", legend, [each](double width) { return draw_ecdf(each, width); }}});
    elements.push_back(
        {Chart{id + "-trace", "trace",
               fmt::format("Samples in the order in which they were taken, {}. Hollow ones were throttled.", where),
               id + "-table", legend, [each](double width) { return draw_trace(each, width); }}});
    elements.push_back({table_of(each, id + "-table")});
    section.elements.push_back({Fold{plain(where), std::move(elements), number == 0}});
    ++number;
  }
  return number == 0 ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
