// SPDX-License-Identifier: MIT
#include "work/proving_ground.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "build/artifact_cache.hpp"
#include "check/cases.hpp"
#include "invert/proof.hpp"
#include "spec/launch.hpp"
#include "work/invert_reading.hpp"

namespace assay::work {
namespace {

// What takes at least half as long as the limiter has the same share, give or take `tolerance` of the time.
bool same_shares(const estimate::Estimate& one, const estimate::Estimate& other, double tolerance) {
  if (one.limiter != other.limiter || one.time_us <= 0 || other.time_us <= 0) return false;
  const double least =
      0.5 * std::min(one.time_of(one.limiter) / one.time_us, other.time_of(other.limiter) / other.time_us);
  return std::ranges::all_of(one.resources, [&](const estimate::Resource& resource) {
    const double own = resource.time_us / one.time_us;
    const double others = other.time_of(resource.name) / other.time_us;
    return std::max(own, others) < least || std::abs(own - others) <= tolerance;
  });
}

// A corner, an edge and an inner block along each dimension of the grid.
uint64_t few_blocks(const gpu::Dim3& grid) {
  uint64_t few = 1;
  for (const uint64_t extent : {uint64_t{grid.x}, uint64_t{grid.y}, uint64_t{grid.z}})
    few *= std::min<uint64_t>(extent, few == 1 ? 3 : 2);
  return few;
}

}  // namespace

Result<std::unique_ptr<ProvingGround>> ProvingGround::open(Setup setup, const MutantImage& prepared,
                                                           const estimate::Estimate* known) {
  std::unique_ptr<ProvingGround> ground(new ProvingGround(std::move(setup)));
  const uint64_t most = ground->setup_.blocks;
  const uint64_t few = few_blocks(ground->setup_.facts->grid);
  ground->blocks_ = most == 0 ? 0 : std::min(most, few);
  ASSAY_TRY(ground->prepared_, ground->count_blocks(prepared, ground->blocks_, std::nullopt));
  const CountedImage& own = ground->prepared_;
  if (most == 0 || !own.sampled || own.blocks_run >= most) return ground;
  // More blocks find more bad accesses: as many as take a moment.
  constexpr uint64_t kMoment = 500'000;  // instructions of warps
  uint64_t issued = 0;
  for (const gpu::InstructionCount& line : own.lines) issued += line.issued;
  uint64_t blocks = std::clamp(kMoment / std::max<uint64_t>(1, issued / own.blocks_run), ground->blocks_, most);
  constexpr double kAlmost = 0.02;
  if (known != nullptr && !(same_shares(own.estimate, *known, kAlmost) &&
                            std::abs(own.estimate.time_us - known->time_us) <= kAlmost * known->time_us))
    blocks = most;
  if (blocks == ground->blocks_) return ground;
  ground->blocks_ = blocks;
  ASSAY_TRY(ground->prepared_, ground->count_blocks(prepared, blocks, std::nullopt));
  return ground;
}

Result<CountedImage> ProvingGround::count(const MutantImage& image) {
  return count_blocks(image, blocks_, prepared_.sampled);
}

std::unique_ptr<check::Experiments> ProvingGround::take_worker(const std::string& key,
                                                               const std::string& configuration) {
  {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[key];
    if (!idle.empty()) {
      std::unique_ptr<check::Experiments> worker = std::move(idle.back());
      idle.pop_back();
      return worker;
    }
  }
  check::Experiments::Setup setup;
  setup.spec_file = setup_.spec->file;
  setup.configuration = configuration;
  setup.shape = setup_.shape.text();
  setup.device = setup_.device;
  setup.seed = setup_.seed;
  setup.cache_folder = build::ArtifactCache::default_folder();
  setup.time_limit = std::chrono::milliseconds(static_cast<int64_t>(setup_.limits.time_s * 1000));
  setup.context = setup_.context;
  return std::make_unique<check::Experiments>(std::move(setup));
}

Result<CountedImage> ProvingGround::count_blocks(const MutantImage& image, uint64_t blocks,
                                                 std::optional<bool> sampled) {
  check::TracedRequest request;
  request.ptx = image.file;
  request.checks = {gpu::kMemcheck};
  request.instruction_limit = setup_.limits.instructions;
  request.blocks = blocks;
  request.sampled = sampled;
  request.change = image.launch;
  // Tensors that begin elsewhere are other tensors: a worker makes its own once.
  const std::string key = fmt::format("{} {}", image.configuration, image.launch.pointer_offset);
  std::unique_ptr<check::Experiments> worker = take_worker(key, image.configuration);
  const auto run = worker->run(request);
  {
    const std::lock_guard lock(mutex_);
    idle_[key].push_back(std::move(worker));
  }
  if (!run) return run.error();
  CountedImage result;
  result.lines = invert::by_line(run->instructions, image.text, image.printed);
  int fit = setup_.facts->blocks_per_sm;
  if (image.assembled.figures.blocks_per_sm) {
    fit = *image.assembled.figures.blocks_per_sm;
  } else if (!image.launch.plain()) {
    fit = blocks_that_fit(*setup_.facts, image.launch);
  }
  for (const gpu::LaunchWork& work : run->works) {
    estimate::Estimate estimated =
        estimate::estimate(work, std::max(1, fit), *setup_.facts->model, setup_.rates->get());
    result.us += estimated.time_us;
    if (&work == &run->works.front()) result.estimate = std::move(estimated);
  }
  result.sampled = run->works.front().sampled();
  result.blocks = run->works.front().blocks;
  result.blocks_run = run->works.front().counted_blocks;
  return result;
}

uint64_t affordable_blocks(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                           const spec::Shape& shape, uint64_t most) {
  constexpr double kMostWork = 1e9;  // operations
  constexpr uint64_t kFewest = 3;    // a corner, an edge and an inner one
  if (most <= kFewest || spec.stages.empty()) return most;
  const auto work = check::work(spec, configuration, shape);
  const auto launch = spec::launch_geometry(spec, spec.stages.front(), configuration, shape);
  if (!work || !(*work > 0) || !launch || launch->empty()) return most;
  const double of_block = *work / (double{1} * launch->grid[0] * launch->grid[1] * launch->grid[2]);
  return static_cast<uint64_t>(std::clamp(kMostWork / of_block, double{kFewest}, static_cast<double>(most)));
}

bool stands_for(const CountedImage& smaller, const CountedImage& wanted) {
  constexpr double kAbout = 0.1;
  if (smaller.lines.size() != wanted.lines.size() || smaller.sampled != wanted.sampled) return false;
  for (size_t i = 0; i < wanted.lines.size(); ++i) {
    const gpu::InstructionCount& one = smaller.lines[i];
    const gpu::InstructionCount& other = wanted.lines[i];
    if ((one.issued == 0) != (other.issued == 0) || (one.divergent == 0) != (other.divergent == 0)) return false;
  }
  return same_shares(smaller.estimate, wanted.estimate, kAbout);
}

std::vector<spec::Shape> smaller_along(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                       const spec::Shape& wanted, const std::string& dimension) {
  const spec::StageSpec& stage = spec.stages.front();
  const auto geometry = spec::launch_geometry(spec, stage, configuration, wanted);
  const auto entry = spec::entry_name(spec, stage, configuration, wanted);
  const spec::Value& value = wanted.values.at(dimension);
  if (!geometry || !entry || !value.is_integer()) return {};
  std::vector<spec::Shape> found;
  for (int64_t divisor = 64; divisor > 1; divisor /= 2) {
    if (value.integer() % divisor != 0) continue;
    spec::Shape shape = wanted;
    shape.values[dimension] = spec::Value(value.integer() / divisor);
    if (!spec::validate(spec, shape) || !check::why_not(spec, configuration, shape).empty()) continue;
    const auto own = spec::launch_geometry(spec, stage, configuration, shape);
    const auto own_entry = spec::entry_name(spec, stage, configuration, shape);
    if (own && *own == *geometry && own_entry && *own_entry == *entry) found.push_back(std::move(shape));
  }
  return found;
}

}  // namespace assay::work
