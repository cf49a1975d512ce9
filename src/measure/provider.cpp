// SPDX-License-Identifier: MIT
#include "measure/provider.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/elapsed.hpp"
#include "base/escape.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "measure/warm_pool.hpp"
#include "ptx/demangle.hpp"

namespace assay::measure {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr size_t kMostText = 400;

std::string short_text(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return escape_terminal(trimmed.substr(0, kMostText)) + (trimmed.size() <= kMostText ? "" : " ...");
}

// The end of what it wrote to standard error: Python puts the cause last.
std::string last_words(std::string_view errors) {
  const std::string_view text = trim(errors);
  return escape_lines(text.size() <= kMostText ? text : text.substr(text.size() - kMostText));
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

int count_of(const json& object, const char* key) {
  const double number = number_of(object, key);
  return number >= 0 && number < 1e9 ? static_cast<int>(number) : 0;
}

// Only what says 0 is the stream that is timed; -1 stands for unknown.
int64_t stream_of(const json& kernel) {
  const auto found = kernel.find("stream");
  const double number = found != kernel.end() && found->is_number() ? found->get<double>() : -1.0;
  return number >= 0 && number < 0x1p53 ? static_cast<int64_t>(number) : -1;
}

bool has_list(const json& answer, const char* key, size_t count) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_array() && found->size() == count;
}

// A list of numbers, one for each call; anything else is an error in words.
Result<std::vector<double>> numbers_of(const json& answer, const char* key, size_t count) {
  if (!has_list(answer, key, count)) return Error{fmt::format("its answer has no list '{}' of {} numbers", key, count)};
  std::vector<double> numbers;
  numbers.reserve(count);
  for (const json& each : answer.at(key)) {
    if (!each.is_number()) return Error{fmt::format("'{}' holds {} instead of a number", key, each.type_name())};
    numbers.push_back(each.get<double>());
  }
  return numbers;
}

Result<std::vector<double>> times_of(const json& answer, size_t count) {
  ASSAY_TRY(std::vector<double> times, numbers_of(answer, "us", count));
  for (const double us : times) {
    // Zero and less would win every comparison.
    if (!std::isfinite(us) || us <= 0) return Error{fmt::format("it reports a time of {} us", us)};
  }
  return times;
}

Result<std::vector<uint64_t>> fingerprints_of(const json& answer, size_t count) {
  if (!has_list(answer, "fingerprints", count))
    return Error{fmt::format("its answer has no list 'fingerprints' of {} entries", count)};
  std::vector<uint64_t> values;
  values.reserve(count);
  for (const json& each : answer.at("fingerprints")) {
    const std::string text = each.is_string() ? each.get<std::string>() : "";
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value, 16);
    if (text.size() != 16 || problem != std::errc() || stop != end)
      return Error{"a fingerprint is not 16 hexadecimal digits"};
    values.push_back(value);
  }
  return values;
}

json file_names(const ArgumentFiles& files) {
  json names = json::object();
  for (const auto& [argument, file] : files) names[argument] = file.string();
  return names;
}

}  // namespace

Result<std::optional<uint64_t>> device_bytes_in(const json& answer) {
  constexpr double kMost = 0x1p50;  // no GPU has a petabyte
  const auto said = answer.find("device_bytes");
  if (said == answer.end() || said->is_null()) return std::optional<uint64_t>();
  const double bytes = said->is_number() ? said->get<double>() : -1;
  if (bytes >= 1 && bytes <= kMost && bytes == std::floor(bytes)) return std::optional(static_cast<uint64_t>(bytes));
  return Error{fmt::format("says that a call holds {} bytes of device memory; expected a whole number from 1 to 2^50",
                           short_text(said->dump(-1, ' ', true, json::error_handler_t::replace)))};
}

Error Provider::lost(const std::string& what, std::optional<GuardKind> guard) {
  failed_guard_ = guard;
  std::string message = fmt::format("provider '{}' {}", name_, what);
  std::string hint;
  if (child_) {
    const std::string end = child_->stop();
    const std::string words = last_words(child_->errors());
    if (end != "was stopped") message += fmt::format(" (the process {})", end);
    if (!words.empty()) hint = "it wrote: " + words;
    child_.reset();
  }
  return Error{message, {}, hint, ExitCode::environment};
}

// Where the time of an answer went, if the provider says so. For people alone: nothing is judged by it.
void Provider::note_parts(const char* op, const json& answer) {
  constexpr size_t kMostParts = 16;
  constexpr size_t kMostName = 40;
  const auto parts = answer.find("seconds");
  if (parts == answer.end() || !parts->is_object() || parts->size() > kMostParts) return;
  for (const auto& [part, seconds] : parts->items()) {
    if (part.size() > kMostName || !seconds.is_number()) continue;
    if (const auto value = seconds.get<double>(); value >= 0 && value < 1e6)
      costs_[fmt::format("{}: {}", op, escape_terminal(part))].add(value);
  }
}

Result<json> Provider::ask(const char* op, json request, std::chrono::milliseconds limit) {
  if (!child_) return Error{fmt::format("provider '{}' has been stopped", name_), {}, "", ExitCode::environment};
  // Within the integers that every JSON reader keeps exactly.
  const uint64_t id = system_random() >> 12;
  request["op"] = op;
  request["id"] = id;
  std::string line;
  const auto asked = steady_clock::now();
  const Child::Answer got = child_->ask(request.dump(-1, ' ', false, json::error_handler_t::replace), line, limit);
  costs_[op].add(seconds_since(asked));
  switch (got) {
    case Child::Answer::ended:
      return lost(fmt::format("ended instead of answering '{}'", op));
    case Child::Answer::timed_out:
      return lost(fmt::format("did not answer '{}' within {:g} s", op, static_cast<double>(limit.count()) / 1000));
    case Child::Answer::line:
      break;
  }
  const json answer = json::parse(line, nullptr, false);
  if (!answer.is_object()) return lost(fmt::format("answered '{}' with rubbish: {}", op, short_text(line)));
  const auto answered = answer.find("id");
  if (answered == answer.end() || !answered->is_number_unsigned() || answered->get<uint64_t>() != id)
    return lost(fmt::format("answered '{}' with an id that was not asked for: something else writes its answers", op),
                GuardKind::answer_id);
  const auto ok = answer.find("ok");
  if (ok == answer.end() || !ok->is_boolean())
    return lost(fmt::format("answered '{}' without saying whether it is ok", op));
  if (ok->get<bool>()) {
    note_parts(op, answer);
    return answer;
  }
  const std::string why = text_of(answer, "error");
  const std::string hint = text_of(answer, "hint");
  if (text_of(answer, "guard") == measure::name(GuardKind::contract)) failed_guard_ = GuardKind::contract;
  child_.reset();
  return Error{
      fmt::format("provider '{}' cannot {}: {}", name_, op, why.empty() ? "it does not say why" : short_text(why)),
      {},
      short_text(hint),
      ExitCode::environment};
}

Provider::Limits Provider::Limits::of(const spec::KernelSpec& spec) {
  Limits limits;
  if (spec.limits.provider_seconds) {
    const std::chrono::milliseconds most(static_cast<int64_t>(1e3 * *spec.limits.provider_seconds));
    limits.start = limits.prepare = limits.request = most;
  }
  if (spec.limits.provider_gib) limits.memory_bytes = static_cast<size_t>(*spec.limits.provider_gib * 0x1p30);
  return limits;
}

Result<std::unique_ptr<Provider>> Provider::launch(const Contender& contender, const Limits& limits) {
  std::unique_ptr<Provider> provider(new Provider(contender, limits));
  Command command = line_by_line(WarmPools::of_this_process().words(contender));
  command.data_limit_bytes = limits.memory_bytes;
  auto child = Child::start(command);
  if (!child) {
    Error error = child.error();
    error.message = fmt::format("provider '{}': {}", contender.name, error.message);
    return error;
  }
  provider->child_ = std::move(*child);
  return provider;
}

Result<void> Provider::greet(int device) {
  ASSAY_TRY(const json answer, ask("hello", {{"protocol", 1}, {"device", device}}, limits_.start));
  identity_.name = text_of(answer, "name");
  identity_.device = text_of(answer, "device");
  if (const auto versions = answer.find("versions"); versions != answer.end() && versions->is_object()) {
    for (const auto& [what, version] : versions->items()) {
      if (version.is_string()) identity_.versions[what] = version.get<std::string>();
    }
  }
  return {};
}

Result<std::unique_ptr<Provider>> Provider::start(const Contender& contender, int device, const Limits& limits) {
  ASSAY_TRY(std::unique_ptr<Provider> provider, launch(contender, limits));
  ASSAY_CHECK(provider->greet(device));
  return provider;
}

Result<std::string> Provider::prepare(json request) {
  device_bytes_.reset();
  ASSAY_TRY(const json answer, ask("prepare", std::move(request), limits_.prepare));
  const auto bytes = device_bytes_in(answer);
  if (!bytes) return lost(bytes.error().message);
  device_bytes_ = *bytes;
  return text_of(answer, "variant");
}

Result<void> Provider::run(size_t set, uint8_t poison) {
  ASSAY_TRY(const json answer, ask("run", {{"set", set}, {"poison", poison}}, limits_.request));
  return {};
}

Result<void> Provider::read(size_t set, const ArgumentFiles& files) {
  ASSAY_TRY(const json answer, ask("read", {{"set", set}, {"files", file_names(files)}}, limits_.request));
  return {};
}

Result<void> Provider::write(size_t set, const ArgumentFiles& files) {
  ASSAY_TRY(const json answer, ask("write", {{"set", set}, {"files", file_names(files)}}, limits_.request));
  return {};
}

Result<SampleBatch> Provider::sample(const std::vector<size_t>& order, const std::vector<uint8_t>& poison) {
  const auto start = steady_clock::now();
  ASSAY_TRY(const json answer, ask("sample", {{"order", order}, {"poison", poison}}, limits_.request));
  SampleBatch batch;
  batch.wall_us = std::chrono::duration<double, std::micro>(steady_clock::now() - start).count();
  auto times = times_of(answer, order.size());
  if (!times)
    return lost(times.error().message,
                has_list(answer, "us", order.size()) ? std::optional(GuardKind::not_positive) : std::nullopt);
  batch.us = std::move(*times);
  auto fingerprints = fingerprints_of(answer, order.size());
  if (!fingerprints) return lost(fingerprints.error().message);
  batch.fingerprints = std::move(*fingerprints);
  const auto clocks = numbers_of(answer, "clock_mhz", order.size());
  batch.clock_mhz = clocks ? *clocks : std::vector<double>(order.size(), 0.0);
  batch.throttled.assign(order.size(), false);
  if (has_list(answer, "throttled", order.size())) {
    const json& marks = answer.at("throttled");
    for (size_t i = 0; i < order.size(); ++i) batch.throttled[i] = marks[i].is_boolean() && marks[i].get<bool>();
  }
  batch.host_us = number_of(answer, "host_us");
  if (const auto gate = answer.find("gate"); gate != answer.end() && gate->is_object() && gate->contains("ungated")) {
    batch.retaken = static_cast<size_t>(count_of(*gate, "retaken"));
    batch.ungated = static_cast<size_t>(count_of(*gate, "ungated"));
  }
  return batch;
}

Result<Throughput> Provider::throughput(size_t replays) {
  const auto start = steady_clock::now();
  ASSAY_TRY(const json answer, ask("throughput", {{"replays", replays}}, limits_.request));
  Throughput throughput;
  throughput.wall_us = std::chrono::duration<double, std::micro>(steady_clock::now() - start).count();
  auto times = times_of(answer, replays);
  if (!times)
    return lost(times.error().message,
                has_list(answer, "us", replays) ? std::optional(GuardKind::not_positive) : std::nullopt);
  throughput.us = std::move(*times);
  return throughput;
}

Result<KernelList> Provider::kernels(size_t set, KernelLook look) {
  const bool profile = look == KernelLook::profile;
  ASSAY_TRY(const json answer, ask("kernels", {{"set", set}, {"profile", profile}}, limits_.request));
  KernelList list;
  const auto available = answer.find("available");
  list.available = available != answer.end() && available->is_boolean() && available->get<bool>();
  list.reason = text_of(answer, "reason");
  if (const auto nodes = answer.find("graph_nodes"); nodes != answer.end() && nodes->is_number())
    list.graph_nodes = count_of(answer, "graph_nodes");
  list.persisting_l2_bytes = number_of(answer, "persisting_l2_bytes");
  list.threads_before = count_of(answer, "threads_before");
  list.threads_after = count_of(answer, "threads_after");
  if (const auto kernels = answer.find("kernels"); kernels != answer.end() && kernels->is_array()) {
    for (const json& kernel : *kernels) {
      if (!kernel.is_object()) continue;
      const std::string name = text_of(kernel, "name");
      list.kernels.push_back({profile ? name : ptx::demangle(name), stream_of(kernel), number_of(kernel, "us")});
    }
  }
  return list;
}

}  // namespace assay::measure
