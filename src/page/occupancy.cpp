// SPDX-License-Identifier: MIT
// How many blocks an SM holds, what stops one more, and the next step.
#include "gpu/occupancy.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

gpu::BlockNeeds needs_of(const BuiltEntry& entry) {
  gpu::BlockNeeds needs;
  needs.threads = entry.threads;
  needs.registers_per_thread = entry.registers;
  needs.static_shared_bytes = entry.static_shared_bytes;
  needs.dynamic_shared_bytes = entry.dynamic_shared_bytes;
  return needs;
}

int blocks(const gpu::GpuModel& model, const gpu::BlockNeeds& needs) {
  return gpu::occupancy(model, needs).blocks_per_sm.value_or(0);
}

int64_t shared_of(const gpu::BlockNeeds& needs) {
  return needs.static_shared_bytes.value_or(0) + needs.dynamic_shared_bytes;
}

// The same block with this much shared memory in all.
gpu::BlockNeeds with_shared(gpu::BlockNeeds needs, int64_t bytes) {
  needs.static_shared_bytes = std::min<int64_t>(bytes, needs.static_shared_bytes.value_or(0));
  needs.dynamic_shared_bytes = bytes - *needs.static_shared_bytes;
  return needs;
}

// "2 registers fewer give 1 block more", for the one resource that limits; "" where no single change helps.
std::string next_step(const gpu::GpuModel& model, const gpu::BlockNeeds& needs) {
  const gpu::Occupancy now = gpu::occupancy(model, needs);
  if (!now.blocks_per_sm || *now.blocks_per_sm == 0) return now.reason;
  if (now.percent && *now.percent >= 99.9) return "all warps of an SM are used: there is no step above";
  for (int fewer = 1; needs.registers_per_thread && fewer < *needs.registers_per_thread; ++fewer) {
    gpu::BlockNeeds changed = needs;
    changed.registers_per_thread = *needs.registers_per_thread - fewer;
    const int more = blocks(model, changed) - *now.blocks_per_sm;
    if (more > 0)
      return fmt::format("{} register{} fewer give{} {} block{} more", fewer, fewer == 1 ? "" : "s",
                         fewer == 1 ? "s" : "", more, more == 1 ? "" : "s");
  }
  const int64_t shared = shared_of(needs);
  for (int64_t bytes = shared - shared % model.shared_allocation_granularity; bytes >= 0;
       bytes -= model.shared_allocation_granularity) {
    const int more = blocks(model, with_shared(needs, bytes)) - *now.blocks_per_sm;
    if (more > 0)
      return fmt::format("{} bytes of shared memory fewer give {} block{} more",
                         grouped(static_cast<double>(shared - bytes)), more, more == 1 ? "" : "s");
  }
  std::string limits;
  for (const gpu::Limiter limiter : now.limiters)
    limits += (limits.empty() ? "" : " and ") + std::string(to_string(limiter));
  return fmt::format("no single change gives a block more: {} limit it", limits);
}

struct Curve {
  std::string name;
  double now = 0;
  std::vector<std::pair<double, double>> points;  // value, percent of the warps
};

double percent(const gpu::GpuModel& model, const gpu::BlockNeeds& needs) {
  const gpu::Occupancy found = gpu::occupancy(model, needs);
  return found.blocks_per_sm && *found.blocks_per_sm > 0 ? found.percent.value_or(0) : 0;
}

std::vector<Curve> curves_of(const gpu::GpuModel& model, const gpu::BlockNeeds& needs) {
  Curve registers{"registers per thread", static_cast<double>(*needs.registers_per_thread), {}};
  for (int count = 16; count <= model.max_registers_per_thread; ++count) {
    gpu::BlockNeeds changed = needs;
    changed.registers_per_thread = count;
    registers.points.emplace_back(count, percent(model, changed));
  }
  Curve shared{"KB of shared memory per block", static_cast<double>(shared_of(needs)) / 1024, {}};
  for (int64_t bytes = 0; bytes <= model.shared_bytes_per_block_optin; bytes += 512)
    shared.points.emplace_back(static_cast<double>(bytes) / 1024, percent(model, with_shared(needs, bytes)));
  Curve threads{"threads per block", static_cast<double>(needs.threads), {}};
  for (int64_t count = 32; count <= model.max_threads_per_block; count += 32) {
    gpu::BlockNeeds changed = needs;
    changed.threads = count;
    threads.points.emplace_back(static_cast<double>(count), percent(model, changed));
  }
  return {registers, shared, threads};
}

std::string draw(const std::vector<Curve>& curves, double now_percent, double width) {
  const bool narrow = width < 500;
  const double one = narrow ? width : width / static_cast<double>(curves.size());
  const double height = 190;
  Drawing drawing(width, narrow ? height * static_cast<double>(curves.size()) : height);
  for (size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    const double left = (narrow ? 0 : one * static_cast<double>(i)) + 44;
    const double top = narrow ? height * static_cast<double>(i) : 0;
    const Scale x = Scale::linear(0, curve.points.back().first, left, left + one - 60);
    const Scale y = Scale::linear(0, 100, top + height - 44, top + 26);
    drawing.axes(x, y, curve.name, i == 0 || narrow ? "% of the warps" : "");
    std::string steps;
    double before = -1;
    for (const auto& [value, percent] : curve.points) {
      if (percent == before) continue;
      steps += before < 0 ? fmt::format("M{}", at(x(value), y(percent)))
                          : fmt::format("H{:.1f}V{:.1f}", x(value), y(percent));
      before = percent;
    }
    steps += fmt::format("H{:.1f}", x(curve.points.back().first));
    drawing.path(steps, "curve c0");
    drawing.circle(x(curve.now), y(now_percent), 5, "point c1",
                   fmt::format("now: {} {}, {:.0f} % of the warps", short_number(curve.now), curve.name, now_percent));
  }
  return drawing.svg();
}

// The entries that the report is about: those that were counted or measured; else all of the first configuration.
std::vector<const BuiltEntry*> chosen(const Content& content, const gpu::GpuModel& model) {
  const std::string target = fmt::format("sm_{}", model.compute_capability());
  std::string configuration;
  std::string entry;
  for (const ledger::Attempt& attempt : content.attempts) {
    if (attempt.configuration.find('=') != std::string::npos) configuration = attempt.configuration;
  }
  if (!content.profiled.empty()) entry = content.profiled.back().entry;
  std::vector<const BuiltEntry*> list;
  for (const BuiltEntry& each : content.built) {
    if (!each.target.starts_with(target) || (!configuration.empty() && each.configuration != configuration)) continue;
    if (entry.empty() || each.entry == entry) list.push_back(&each);
  }
  if (list.empty() && !entry.empty()) {
    for (const BuiltEntry& each : content.built) {
      if (each.target.starts_with(target) && each.entry == entry) list.push_back(&each);
    }
  }
  return list;
}

}  // namespace

std::optional<Section> occupancy_section(const Content& content) {
  const gpu::GpuModel* model = nullptr;
  for (const ledger::Attempt& attempt : content.attempts) {
    if (const gpu::GpuModel* of_attempt = model_of(attempt.device, "")) model = of_attempt;
  }
  for (const MeasuredCase& each : content.measured) {
    if (const gpu::GpuModel* measured = model_of(each.attempt.device, each.gpu)) model = measured;
  }
  if (model == nullptr || content.built.empty()) return std::nullopt;
  const std::vector<const BuiltEntry*> entries = chosen(content, *model);
  if (entries.empty()) return std::nullopt;
  Table table{"occupancy-table",
              fmt::format("Blocks on one SM of {} (estimated from the compiler's figures)", model->name),
              {{"entry"},
               {"threads", true},
               {"registers", true},
               {"shared bytes", true},
               {"spilled bytes", true},
               {"blocks per SM", true},
               {"occupancy", true},
               {"next step"}},
              {}};
  const BuiltEntry* drawn = nullptr;
  for (const BuiltEntry* entry : entries) {
    const gpu::BlockNeeds needs = needs_of(*entry);
    const gpu::Occupancy found = gpu::occupancy(*model, needs);
    const bool known = found.blocks_per_sm && found.percent;
    if (known && drawn == nullptr) drawn = entry;
    table.rows.push_back(
        {{Text{{entry->entry, Span::Kind::code}, {" " + entry->configuration}}},
         {plain(grouped(static_cast<double>(entry->threads))), static_cast<double>(entry->threads)},
         {plain(entry->registers ? std::to_string(*entry->registers) : "-"),
          entry->registers ? std::optional<double>(*entry->registers) : std::nullopt},
         {plain(grouped(static_cast<double>(shared_of(needs)))), static_cast<double>(shared_of(needs))},
         {toned(grouped(entry->spill_bytes), entry->spill_bytes > 0 ? Tone::bad : Tone::plain), entry->spill_bytes},
         {plain(known ? std::to_string(*found.blocks_per_sm) : "-")},
         known ? Cell{plain(fmt::format("{:.0f} %", *found.percent)), found.percent, *found.percent / 100}
               : Cell{plain("-")},
         {plain(known ? next_step(*model, needs) : found.reason)}});
  }
  Section section{"occupancy", "Occupancy", {}};
  if (drawn != nullptr) {
    const gpu::BlockNeeds needs = needs_of(*drawn);
    const std::vector<Curve> curves = curves_of(*model, needs);
    const double now = percent(*model, needs);
    section.elements.push_back(
        {Paragraph{{{drawn->entry, Span::Kind::code},
                    {fmt::format(" fills {:.0f} % of the warps of an SM: {}.", now, next_step(*model, needs))}}}});
    section.elements.push_back(
        {Chart{"occupancy-chart",
               "",
               fmt::format("Occupancy of {} on {} if one of registers, shared memory and threads were different; the "
                           "point is the kernel as it is.",
                           drawn->entry, model->name),
               "occupancy-table",
               {},
               [curves, now](double width) { return draw(curves, now, width); }}});
  }
  section.elements.push_back({std::move(table)});
  return section;
}

}  // namespace assay::page
