// SPDX-License-Identifier: MIT
#include "measure/bench.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/progress.hpp"
#include "base/threads.hpp"
#include "check/oracle.hpp"

namespace assay::measure {
namespace {

Contract known_contract(const BenchRequest& request, const Protocol& protocol, const std::string& shape) {
  Contract contract = request.contract;
  contract.set("protocol.launch", std::string(name(protocol.launch)));
  contract.set("protocol.cache", std::string(name(protocol.cache)));
  contract.set("protocol.sets", std::to_string(protocol.sets));
  contract.set("protocol.batch", std::to_string(request.sampling.plan.batch));
  contract.set("protocol.batches", std::to_string(request.sampling.plan.batches));
  contract.set("protocol.delay_cycles", std::to_string(protocol.delay_cycles));
  contract.set("problem.reference", request.spec->problem.reference);
  contract.set("problem.shape", shape);
  contract.set("candidate.kernel", request.spec->kernel.name);
  contract.set("candidate.configuration", request.configuration.id());
  return contract;
}

// What a figure of this case depends on. Versions of libraries come from the contenders that use them.
Contract contract_of(const BenchRequest& request, const Protocol& protocol, const CaseMeasurement& measured) {
  Contract contract = known_contract(request, protocol, measured.shape);
  contract.set("seed", std::to_string(measured.seed));
  contract.set("order_seed", std::to_string(measured.order_seed));
  for (const ContenderResult& contender : measured.contenders) {
    if (contender.provider == "kernel") continue;
    for (const auto& [what, version] : contender.versions) contract.set("library." + what, version);
  }
  return contract;
}

}  // namespace

TimingFiles timing_of(const BenchRequest& request) {
  return {request.instruments, static_cast<uint64_t>(2 * request.model.l2_bytes)};
}

Contract case_contract(const BenchRequest& request, const spec::Shape& shape) {
  Protocol protocol = request.protocol;
  if (const auto problem = ProblemCase::make(*request.spec, request.configuration, shape)) {
    const auto sets = sets_for(protocol, problem->bytes(), static_cast<uint64_t>(request.model.l2_bytes));
    if (sets) protocol.sets = *sets;
    return known_contract(request, protocol, problem->shape.text());
  }
  return known_contract(request, protocol, shape.text());
}

// A context of CUDA with PyTorch's libraries takes half a gigabyte of the device; a problem may need several times its
// arguments. Half of the memory is left to those whose turn it is, and a core to each that starts.
size_t processes_at_once(const BenchRequest& request, uint64_t case_bytes, size_t sets, size_t cores) {
  constexpr uint64_t kContextBytes = uint64_t{768} << 20;
  constexpr uint64_t kTimesArguments = 4;
  const auto memory = static_cast<uint64_t>(std::max<int64_t>(request.model.memory_bytes, 0));
  const size_t contenders = std::max<size_t>(request.contenders.size(), 1);
  const uint64_t each = kContextBytes + kTimesArguments * case_bytes * sets;
  const uint64_t room = std::min<uint64_t>(memory / 2 / (each * contenders), cores / contenders);
  return std::clamp<size_t>(room, 1, request.sampling.plan.first);
}

Result<void> bench(const BenchRequest& request) {
  ASSAY_TRY(const check::Oracle oracle, check::Oracle::open(*request.spec, request.cache_folder));
  SessionOptions options;
  options.protocol = request.protocol;
  options.sampling = request.sampling;
  options.timing = timing_of(request);
  options.device = request.device;
  options.limits = Provider::Limits::of(*request.spec);
  options.model = request.model;
  options.order_seed = request.order_seed;
  options.compare = request.compare;
  Random seeds(request.seed);
  Progress progress(request.context, "measuring", request.shapes.size());
  for (const spec::Shape& shape : request.shapes) {
    ASSAY_CHECK(check_cancelled(request.context));
    if (request.enough && request.enough()) break;
    ASSAY_TRY(const ProblemCase problem, ProblemCase::make(*request.spec, request.configuration, shape));
    options.seed = seeds.next();
    if (auto known = request.recall ? request.recall(problem.shape.text()) : std::nullopt) {
      ASSAY_CHECK(request.on_case(std::move(*known)));
      progress.advance(problem.shape.text());
      continue;
    }
    const auto sets = sets_for(request.protocol, problem.bytes(), static_cast<uint64_t>(request.model.l2_bytes));
    if (!sets) {
      Error error = sets.error();
      error.message = fmt::format("{}: {}", problem.shape.text(), error.message);
      return error;
    }
    options.protocol.sets = *sets;
    options.at_once = processes_at_once(request, static_cast<uint64_t>(problem.bytes()), *sets, core_count());
    options.on_step = [&](const std::string& step) {
      progress.step(fmt::format("{}: {}", problem.shape.text(), step));
    };
    options.on_note = [&](const std::string& note) { progress.note(note); };
    Session session(problem, oracle, request.contenders, options);
    ASSAY_TRY(CaseMeasurement measured, session.run());
    ASSAY_CHECK(check_cancelled(request.context));  // contenders that nobody waits for any more did not fail
    measured.contract = contract_of(request, options.protocol, measured);
    ASSAY_CHECK(request.on_case(std::move(measured)));
    progress.advance(problem.shape.text());
  }
  return {};
}

}  // namespace assay::measure
