// SPDX-License-Identifier: MIT
#include "cli/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/error_report.hpp"
#include "measure/protocol.hpp"
#include "work/document.hpp"
#include "work/verdict.hpp"

namespace assay::cli {

Result<int64_t> attempt_number(const std::string& word) {
  int64_t id = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (problem != std::errc() || end != word.data() + word.size())
    return Error{fmt::format("'{}' is not the number of an attempt", word), {}, "assay log lists them"};
  return id;
}

void declare_device(CommandLine& line, std::string& device) {
  line.option("--device", device, "cuda:0, ...; vgpu:l4, vgpu:a100, vgpu:h100, vgpu:h200, vgpu:rtx4090");
}

void declare_configuration(CommandLine& line, std::string& configuration) {
  line.option("--config", configuration, "NAME=value,...");
}

void declare_seed(CommandLine& line, uint64_t& seed) {
  line.option("--seed", seed, "of the inputs");
}

void declare_limits(CommandLine& line, work::CaseLimits& limits) {
  line.option("--time-limit", limits.time_s, "seconds that one case may take", kSeconds);
  line.option("--instruction-limit", limits.instructions, "warp instructions that one block may execute");
}

void declare_measuring(CommandLine& line, work::Measuring& measuring) {
  line.option("--shapes", measuring.shapes, "a set of the specification");
  line.option("--shape", measuring.shape, "NAME=value,...: only this shape");
  line.choice("--protocol", measuring.protocol, "graph or event", {"graph", "event"});
  line.choice("--cache", measuring.cache, "warm, cold or rotating", {"warm", "cold", "rotating"});
  line.option("--sets", measuring.sets, "different inputs, used in rotation", {1, measure::kMostSets});
  line.option("--samples", measuring.samples, "at least, of each contender", {100, 1000000});
  line.option("--most-samples", measuring.most_samples, "of each contender, in processes of 40", {100, 1000000});
  line.option("--order-seed", measuring.order_seed, "of order, poison and places, as a report gives it");
  line.option("--budget", measuring.budget_s, "seconds of sampling for each shape", kSeconds);
  line.option("--width", measuring.width, "half the interval of the ratio at which to stop", {1e-6, 1});
}

void KernelWords::declare(CommandLine& line, const std::string& help) {
  line.words("kernel", kernels_, help, {0, kMany});
}

Result<ExitCode> KernelWords::each(const char* command, bool json,
                                   const std::function<Result<Outcome>(const std::string&)>& work) const {
  if (kernels_.size() <= 1) {
    ASSAY_TRY(const Outcome outcome, work(kernels_.empty() ? "." : kernels_.front()));
    if (json) print_document(outcome.document);
    return outcome.exit_code;
  }
  ExitCode worst = ExitCode::good;
  std::string documents;
  for (const std::string& kernel : kernels_) {
    const auto outcome = work(kernel);
    if (!outcome && outcome.error().exit_code == kInterrupted) return outcome.error();
    worst = work::worse(worst, outcome ? outcome->exit_code : outcome.error().exit_code);
    if (json) {
      documents +=
          (documents.empty() ? "" : ",\n") + (outcome ? outcome->document : error_document(outcome.error(), command));
    } else if (!outcome) {
      // What names neither a place in a file nor the kernel is a mistake with this kernel among several.
      const Error& error = outcome.error();
      const bool named = error.place.known() || error.message.find(kernel) != std::string::npos;
      print_to_errors(fmt::format("assay: {}{}\n", named ? "" : kernel + ": ", to_string(error)));
    }
  }
  if (json) {
    std::string head = work::document_text(work::document_head(command));
    head.resize(head.rfind('\n'));  // before the closing brace
    print_document(fmt::format("{},\n  \"kernels\": [\n{}\n]\n}}", head, documents));
  }
  return worst;
}

std::string devices_text(const std::vector<work::WorkerDevice>& devices) {
  std::string text;
  for (const work::WorkerDevice& each : devices)
    text += fmt::format("{}{} on {}: {}\n", each.device, each.gpu.empty() ? "" : fmt::format(" ({})", each.gpu),
                        join(each.hosts, ", "), counted(each.answers, "item"));
  return text;
}

void ExecutorWords::declare(CommandLine& line) {
  line.choice("--executor", options_.executor, "who does the work", {"local", "slurm"});
  line.option("--workers", options_.workers, "how many", {1, 10'000});
  line.option("--work-folder", options_.folder, "that all workers see");
  line.option("--lease", options_.lease_s, "a worker that is silent for so many seconds has lost its work",
              Range<double>{1, 86'400});
  line.option("--partition", options_.partition, "of Slurm");
  line.option("--gres", options_.gres, "what a job of Slurm asks for");
  line.option("--job-time", options_.time, "limit of a job of Slurm");
  line.option("--sbatch-option", options_.options, "one more word for sbatch");
}

Result<work::ExecutorOptions> ExecutorWords::read() const {
  const bool of_slurm =
      !options_.partition.empty() || !options_.gres.empty() || !options_.time.empty() || !options_.options.empty();
  if (of_slurm && options_.executor != "slurm")
    return Error{"--partition, --gres, --job-time and --sbatch-option belong to --executor slurm"};
  if (options_.executor.empty() && (options_.workers > 0 || !options_.folder.empty()))
    return Error{"--workers and --work-folder belong to an executor", {}, "add --executor local or --executor slurm"};
  return options_;
}

void RecordWords::declare(CommandLine& line) {
  line.option("--ledger", ledger_, "the file that attempts are recorded in; none: record nothing");
  line.option("--cost-per-hour", cost_per_hour_, "of this machine, to be recorded");
  line.option("--note", note_, "the hypothesis that is tried, to be recorded");
}

Result<work::RecordOptions> RecordWords::read() const {
  work::RecordOptions options{ledger_, {}, note_};
  const char* variable = std::getenv("ASSAY_COST_PER_HOUR");
  const std::string text = !cost_per_hour_.empty() ? cost_per_hour_ : variable == nullptr ? "" : variable;
  if (text.empty()) return options;
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return Error{fmt::format("the cost per hour must be a number >= 0, not '{}'", text),
                 {},
                 "give one with --cost-per-hour or ASSAY_COST_PER_HOUR, or neither"};
  options.cost_per_hour = value;
  return options;
}

}  // namespace assay::cli
