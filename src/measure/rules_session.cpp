// SPDX-License-Identifier: MIT
#include "measure/rules_session.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/elapsed.hpp"
#include "base/progress.hpp"
#include "check/compare.hpp"
#include "check/element.hpp"
#include "measure/verifier.hpp"

namespace assay::measure {
namespace {

using std::chrono::steady_clock;

constexpr size_t kSetsOfFreshInputs = 4;
constexpr size_t kBatch = 10;
constexpr size_t kEstimated = 5;  // calls from which a plan by time is made
constexpr uint8_t kPoison = 0xff;

Protocol protocol_of(const Rules& rules) {
  Protocol protocol;
  protocol.launch = Launch::event;
  protocol.cache = rules.flush_bytes > 0 || rules.flush_caches > 0 ? Cache::cold : Cache::warm;
  protocol.sets = rules.fresh_inputs ? kSetsOfFreshInputs : 1;
  protocol.warm_up_calls = rules.warm_up_calls;
  if (!rules.gated) {  // a gate that never holds: the time to enqueue is in the samples, as it is in theirs
    protocol.gate.cycles = 1;
    protocol.gate.most_cycles = 1;
  }
  return protocol;
}

class Contest {
 public:
  Contest(const RulesRequest& request, const std::vector<InputSet>& sets,
          const std::optional<reference::Outputs>& expected, ScratchFiles& scratch)
      : request_(request), rules_(*request.rules), sets_(sets), expected_(expected), scratch_(scratch) {}

  RuledTime run(const Contender& contender) {
    RuledTime result;
    result.contender = contender.name;
    const auto done = measure(contender, result);
    if (!done) result.failure = done.error();
    if (!result.failure) result.reported_us = reported(rules_, result.us);
    return result;
  }

 private:
  Result<void> measure(const Contender& contender, RuledTime& result) {
    const BenchRequest& bench = *request_.bench;
    ASSAY_TRY(const std::unique_ptr<Provider> provider,
              Provider::start(contender, bench.device, Provider::Limits::of(*bench.spec)));
    TimingFiles timing = timing_of(bench);
    timing.flush_bytes = std::max(
        rules_.flush_bytes, static_cast<uint64_t>(rules_.flush_caches * static_cast<double>(bench.model.l2_bytes)));
    ASSAY_CHECK(
        provider->prepare(prepare_request(*request_.problem, protocol_of(rules_), timing, sets_, contender.options)));
    ASSAY_CHECK(compare(*provider, result));
    return sample(*provider, result);
  }

  // One call that is not timed, held against the reference with their tolerance.
  Result<void> compare(Provider& provider, RuledTime& result) {
    if (!rules_.compares() || !expected_) return {};
    ASSAY_CHECK(provider.run(0, kPoison));
    ArgumentFiles files;
    for (const spec::ResolvedArgument* output : request_.problem->outputs()) {
      ASSAY_TRY(files[output->name], scratch_.file("rules." + output->name));
    }
    ASSAY_CHECK(provider.read(0, files));
    int64_t elements = 0;
    int64_t failures = 0;
    for (const spec::ResolvedArgument* output : request_.problem->outputs()) {
      ASSAY_TRY(const std::vector<uint8_t> bytes, read_tensor(files[output->name], *output));
      const spec::ResolvedTensor& tensor = *output->tensor();
      const check::Comparison comparison = check::compare(
          tensor, expected_->at(output->name), check::decode(tensor, bytes), rules_.tolerance_for(tensor.dtype));
      elements += comparison.compared();
      failures += comparison.failures;
    }
    if (elements == 0) return {};
    result.matched = 1 - static_cast<double>(failures) / static_cast<double>(elements);
    result.accepted = result.matched >= rules_.matched;
    return {};
  }

  // So many calls; their times, and how long one took on the host with all that belongs to it.
  Result<double> take(Provider& provider, size_t count, std::vector<double>* us, RuledTime& result) {
    std::vector<size_t> order(count);
    for (size_t& each : order) each = next_++ % sets_.size();
    const std::vector<uint8_t> poison(count, kPoison);
    ASSAY_TRY(const SampleBatch batch, provider.sample(order, poison));
    if (us != nullptr) {
      us->insert(us->end(), batch.us.begin(), batch.us.end());
      result.ungated += batch.ungated.value_or(0);
    }
    return batch.host_us / static_cast<double>(count);
  }

  Result<void> sample(Provider& provider, RuledTime& result) {
    size_t planned = 0;
    if (rules_.stop == Rules::Stop::time || rules_.warm_up_seconds > 0) {
      ASSAY_TRY(const double call_us, take(provider, kEstimated, nullptr, result));
      const auto calls = [&](double seconds) {
        const double count = call_us > 0 ? seconds * 1e6 / call_us : 1;
        return static_cast<size_t>(std::clamp(count, 1.0, static_cast<double>(rules_.most)));
      };
      planned = calls(rules_.seconds);
      for (size_t left = rules_.warm_up_seconds > 0 ? calls(rules_.warm_up_seconds) : 0; left > 0;) {
        const size_t count = std::min(left, kBatch);
        ASSAY_CHECK(take(provider, count, nullptr, result));
        left -= count;
      }
    }
    const auto start = steady_clock::now();
    for (double seconds = 0; !has_enough(rules_, result.us, seconds, planned);) {
      ASSAY_CHECK(check_cancelled(request_.bench->context));
      const size_t wanted =
          rules_.stop == Rules::Stop::time && planned > result.us.size() ? planned - result.us.size() : kBatch;
      // Those that look after each call stop after each call.
      const size_t count =
          rules_.stop == Rules::Stop::error ? 1 : std::min({kBatch, wanted, rules_.most - result.us.size()});
      ASSAY_CHECK(take(provider, count, &result.us, result));
      seconds = seconds_since(start);
      result.cut = seconds > request_.most_seconds && !has_enough(rules_, result.us, seconds, planned);
      if (result.cut) break;
    }
    return {};
  }

  const RulesRequest& request_;
  const Rules& rules_;
  const std::vector<InputSet>& sets_;
  const std::optional<reference::Outputs>& expected_;
  ScratchFiles& scratch_;
  size_t next_ = 0;
};

}  // namespace

Result<std::vector<RuledTime>> measure_by_rules(const RulesRequest& request) {
  const size_t sets = protocol_of(*request.rules).sets;
  ScratchFiles scratch(request.problem->bytes() * (sets + 2));
  Random random(request.seed ^ 0x5eed);
  ASSAY_TRY(const std::vector<InputSet> inputs, make_input_sets(*request.problem, sets, random, scratch, "rules"));
  std::optional<reference::Outputs> expected;
  const Verifier verifier(*request.problem, *request.oracle);
  if (request.rules->compares() && !request.oracle->judges() && verifier.knows_all()) {
    ASSAY_TRY(expected, verifier.expected(inputs.front()));
  }
  std::vector<RuledTime> times;
  for (const Contender& contender : request.bench->contenders) {
    ASSAY_CHECK(check_cancelled(request.bench->context));
    if (std::ranges::find(request.leave_out, contender.name) != request.leave_out.end()) continue;
    times.push_back(Contest(request, inputs, expected, scratch).run(contender));
  }
  return times;
}

nlohmann::json to_json(const std::vector<RuledTime>& times) {
  nlohmann::json list = nlohmann::json::array();
  for (const RuledTime& each : times) {
    nlohmann::json entry = {{"contender", each.contender}, {"us", each.us},   {"reported_us", each.reported_us},
                            {"matched", each.matched},     {"cut", each.cut}, {"ungated", each.ungated}};
    if (each.accepted) entry["accepted"] = *each.accepted;
    if (each.failure) entry["failure"] = each.failure->message;
    list.push_back(std::move(entry));
  }
  return list;
}

std::optional<std::vector<RuledTime>> ruled_times_from(const nlohmann::json& json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<RuledTime> times;
  try {
    for (const nlohmann::json& entry : json) {
      RuledTime each;
      each.contender = entry.at("contender").get<std::string>();
      each.us = entry.at("us").get<std::vector<double>>();
      each.reported_us = entry.at("reported_us").get<double>();
      each.matched = entry.at("matched").get<double>();
      each.cut = entry.at("cut").get<bool>();
      each.ungated = entry.at("ungated").get<size_t>();
      if (entry.contains("accepted")) each.accepted = entry["accepted"].get<bool>();
      if (entry.contains("failure")) each.failure = Error{entry["failure"].get<std::string>()};
      times.push_back(std::move(each));
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return times;
}

}  // namespace assay::measure
