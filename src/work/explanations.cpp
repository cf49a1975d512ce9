// SPDX-License-Identifier: MIT
#include "work/explanations.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "check/coverage.hpp"
#include "diagnosis/diagnosis.hpp"
#include "gpu/finding_kind.hpp"
#include "work/recipe_files.hpp"

namespace assay::work {
namespace {

struct RecipeOf {
  std::string_view name;
  std::string_view recipe;
};

// A kind of finding that stands in gpu/finding_kind.cpp and not here fails the tests.
constexpr std::array kOfFindings = {
    RecipeOf{"out_of_bounds", "first_verdict"},
    RecipeOf{"misaligned", "misaligned_copy"},
    RecipeOf{"null", "first_verdict"},
    RecipeOf{"freed", "first_verdict"},
    RecipeOf{"illegal_address", "first_verdict"},
    RecipeOf{"trap", "first_verdict"},
    RecipeOf{"assert", "first_verdict"},
    RecipeOf{"deadlock", "tma_pipeline"},
    RecipeOf{"instruction_limit", "tma_pipeline"},
    RecipeOf{"invalid_free", "first_verdict"},
    RecipeOf{"illegal_instruction", "fragments"},
    RecipeOf{"uninitialised", "copy_pipeline"},
    RecipeOf{"race", "copy_pipeline"},
    RecipeOf{"barrier", "barriers_and_shuffles"},
    RecipeOf{"warp_mask", "barriers_and_shuffles"},
    RecipeOf{"inactive_lane", "barriers_and_shuffles"},
    RecipeOf{"proxy_fence", "tma_pipeline"},
    RecipeOf{"in_flight", "tma_pipeline"},
    RecipeOf{"idle_wait", "copy_pipeline"},
    RecipeOf{"noncoherent", "copy_pipeline"},
    RecipeOf{"leak", "first_verdict"},
    RecipeOf{"undefined_function", "first_verdict"},
};

// Rules of `assay diagnose` that have a recipe of their own; the others are in that on reading a diagnosis.
constexpr std::array kOfRules = {
    RecipeOf{"uncoalesced", "coalescing"},         RecipeOf{"shared_bandwidth", "fragments"},
    RecipeOf{"tensor_idle", "fragments"},          RecipeOf{"local_memory", "tiles"},
    RecipeOf{"latency", "copy_pipeline"},          RecipeOf{"divergence", "barriers_and_shuffles"},
    RecipeOf{"barriers", "barriers_and_shuffles"}, RecipeOf{"uneven_warps", "barriers_and_shuffles"},
    RecipeOf{"narrow_accesses", "coalescing"},
};

constexpr std::array kOfChecks = {
    RecipeOf{"memcheck", "misaligned_copy"},        RecipeOf{"initcheck", "copy_pipeline"},
    RecipeOf{"synccheck", "barriers_and_shuffles"}, RecipeOf{"racecheck", "copy_pipeline"},
    RecipeOf{"asynccheck", "tma_pipeline"},
};

std::string recipe_of(std::span<const RecipeOf> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &RecipeOf::name);
  return found != table.end() ? std::string(found->recipe) : std::string();
}

void add_findings(std::vector<Explanation>& all) {
  for (const gpu::FindingKindInfo& kind : gpu::finding_kinds())
    all.push_back({"finding", std::string(kind.name), std::string(kind.summary), std::string(kind.meaning),
                   replace_all(std::string(kind.hint), "{bytes}", "N"), recipe_of(kOfFindings, kind.name)});
}

void add_checks(std::vector<Explanation>& all) {
  const gpu::CheckSet checks = check::all_checks();
  for (const std::string& name : checks.names()) {
    const gpu::Coverage coverage = check::coverage("vgpu:l4", gpu::CheckSet{name});
    all.push_back({"check", name, "Looks for: " + coverage.checked.front(),
                   "A check of assay sanitize (--checks); docs/checks.md says what it sees and what it does not.", "",
                   recipe_of(kOfChecks, name)});
  }
}

// kind, name, summary, meaning, fix, recipe
const std::vector<Explanation>& written_rows() {
  static const std::vector<Explanation> rows = {
      {"result", "nan", "NaN or infinity where the reference has a number",
       "Infinity minus infinity, infinity divided by infinity, 0 divided by 0, or the root of a negative number.",
       "subtract the row max before an exponential; guard rows that are masked so far", "online_softmax"},
      {"result", "wrong_value", "An element is further from float64 than the tolerance allows",
       "Too far for rounding: an index, a fragment or a missing step. Slightly too far: the order or width of a sum.",
       "repeat the smallest failing shape with the command that the report prints", "numerics"},
      {"result", "unwritten", "An output element still holds the poison",
       "No thread wrote it: usually rows or columns behind the last whole tile.",
       "compare the grid with the shape: ceil_div, not division", "first_verdict"},
      {"result", "input_changed", "The kernel wrote to an input", "The next call computes something else.",
       "use scratch memory of your own, or declare the tensor inout", "first_verdict"},
      {"result", "red_zone", "Bytes around a buffer were written",
       "An access behind the end of an allocation. assay sanitize names the line and the thread.",
       "run assay sanitize on a virtual GPU", "first_verdict"},
      {"result", "does_not_fit", "A block needs more than the GPU has",
       "Threads, registers or shared memory of a block are over a limit: the launch fails.",
       "smaller tiles or fewer stages; assay build names the limit and what was asked for", "tiles"},
      {"result", "incorrect", "The kernel's results are not those of the reference",
       "The report names the kind: nan, wrong_value, unwritten, input_changed or red_zone.",
       "assay explain KIND; repeat the smallest failing shape with the command that the report prints", "numerics"},
      {"result", "finding", "A check found something that the kernel must not do",
       "The report names the kind, the source line and the threads.", "assay explain KIND", "first_verdict"},
      {"result", "build_failed", "The compiler refused the source", "Its message stands in the report, with the line.",
       "mend the line; a tunable or a flag may be one that the source does not know", "first_verdict"},
      {"result", "crash", "The process that ran the kernel died",
       "On a GPU a fault ends everything that the process had; another one takes its place.",
       "run assay sanitize on a virtual GPU: it names the line and the thread", "misaligned_copy"},
      {"result", "timeout", "The kernel did not end in its time",
       "A loop without an end, a wait for what never comes, or a shape that is too large for a virtual GPU.",
       "a smaller --shape; raise the limit; assay sanitize names what a deadlock waits for", "tma_pipeline"},

      {"guard", "poison", "An untimed result is wrong or not written", "Outputs hold another byte before each call.",
       "run assay check: it shows the element", "first_verdict"},
      {"guard", "fingerprint", "A timed call did not leave the result that was verified",
       "Work was skipped, put off or remembered while the clock ran.", "do all the work in every call",
       "honest_measurement"},
      {"guard", "inputs_changed", "A call wrote an input", "Inputs are compared bit by bit after the calls.",
       "write to outputs alone", "first_verdict"},
      {"guard", "fresh_inputs", "New inputs give an old result, or take much longer",
       "Results are remembered by address or by contents.", "compute from what the inputs hold now",
       "honest_measurement"},
      {"guard", "recheck", "What the timed calls left is wrong", "Outputs are read again after the last sample.",
       "look for state that survives a call", "honest_measurement"},
      {"guard", "streams", "Work runs on a stream that is not timed",
       "It is neither ordered with the caller's work nor seen by a timer.", "launch on the stream that you are given",
       "pytorch"},
      {"guard", "host_clock", "Times and the parent's clock disagree", "The clock that was read is not the GPU's.",
       "leave timing to the provider", "honest_measurement"},
      {"guard", "threads", "Threads remain after a call", "They can finish the work when the clock has stopped.",
       "end or join what you start", "honest_measurement"},
      {"guard", "kernels_list", "A library's kernel ran, or none", "The candidate did not do the work itself.",
       "compare with the library as a baseline instead", "honest_measurement"},
      {"guard", "graph_nodes", "A captured call holds other work than a plain one",
       "The call behaves differently while a stream is captured.", "do the same work in every call, captured or not",
       "pytorch"},
      {"guard", "roofline", "A time is below what the bytes or operations take at the peak",
       "The work was not done, or [problem] overstates it.", "check flops and bytes in kernel.toml first",
       "honest_measurement"},
      {"guard", "sensitivity", "Other contents of an input change nothing",
       "An input is ignored although the reference depends on it.", "read every input", "honest_measurement"},
      {"guard", "accuracy", "The error as a whole is many times that of a correctly rounded result",
       "Precision was given away below the tolerance's sight, as with half accumulators.", "accumulate in float",
       "numerics"},
      {"guard", "persisting_l2", "Cache was set aside for lines that survive a flush",
       "Cold measurements would not be cold.", "leave the L2 set-aside alone in what is measured",
       "honest_measurement"},
      {"guard", "gate", "Samples stood behind a gate that had opened", "The time to enqueue is in them.",
       "let the call enqueue without waiting for the device", "honest_measurement"},
      {"guard", "sample_floor", "At least 100 samples are taken", "However slow the first calls were.", "",
       "honest_measurement"},
      {"guard", "answer_id", "An answer has another id than the request", "Somebody else answered for the provider.",
       "print nothing to the provider's descriptors", "honest_measurement"},
      {"guard", "not_positive", "A time is zero, negative or no number", "The clock was not read around the work.",
       "leave timing to the provider", "honest_measurement"},
      {"guard", "contract", "The function returns something or replaces an output",
       "Outputs are written in place; their addresses, shapes and types must stay.",
       "write into the tensors that you are given and return nothing", "pytorch"},
      {"guard", "sanitizer", "Memory is read that nobody wrote, or out of bounds", "assay sanitize names the line.",
       "run assay sanitize", "first_verdict"},
      {"guard", "shapes", "Right for the timed shape only", "assay check runs all shapes, and shapes of its own.",
       "run assay check", "first_verdict"},
      {"guard", "fits", "Registers or shared memory are over a GPU's limit",
       "assay build says so before anything runs.", "smaller tiles or fewer stages", "tiles"},

      {"figure", "coalescing", "Bytes that were wanted, of those that the sectors moved",
       "Want at least 80 %. Lanes of a warp that are far apart move a sector of 32 bytes each.",
       "let neighbouring lanes touch neighbouring elements; turn tiles around in shared memory", "coalescing"},
      {"figure", "bank_conflicts", "Wavefronts of shared memory beyond those that were needed",
       "Want about none. Lanes that touch different words of one bank wait for each other.",
       "swizzle the tile, or pad its rows by 16 bytes", "swizzle"},
      {"figure", "occupancy", "Warps that an SM holds, of those that it could",
       "Want at least 50 %, unless the kernel hides latency by its own pipeline.",
       "assay build names what limits it: registers, shared memory, threads or blocks", "shared_memory_budget"},
      {"figure", "spills", "Registers that were put into local memory", "Want 0 bytes. Each is a store and a load.",
       "smaller tiles for each thread, or fewer live values; -maxrregcount makes it worse", "tiles"},
      {"figure", "tensor_core_use", "Multiply-adds by matrix instructions", "0: the tensor cores do nothing.",
       "use mma.sync, or wgmma on Hopper", "fragments"},
      {"figure", "divergent_branches", "Branches whose lanes do not agree",
       "Both sides run one after the other, with lanes predicated off.",
       "decide by warp, not by lane; select instead of branching", "barriers_and_shuffles"},

      {"verdict", "faster", "The interval of the ratio excludes 1, and 1 % besides", "The candidate takes less time.",
       "quote p50 with its interval, the device and the date", "honest_measurement"},
      {"verdict", "slower", "The interval of the ratio excludes 1, and 1 % besides", "The candidate takes more time.",
       "assay diagnose says what limits it", "honest_measurement"},
      {"verdict", "same", "Whatever the difference is, it is within 3 %", "A result, not a lack of one.",
       "choose by something else than time", "honest_measurement"},
      {"verdict", "regression", "The change certainly costs more", "By time on a GPU, by counters on a virtual one.",
       "assay gate names the counters or the shapes", "ci_without_gpu"},
      {"verdict", "trade", "Some headline counters grew and some fell", "Counters cannot say which is worth more.",
       "measure it on a GPU, or decide: --strict, --inconclusive pass", "ci_without_gpu"},
      {"verdict", "tie_group", "Candidates that the measurements cannot order", "The fastest of them is the luckiest.",
       "choose by resources, p90 or shapes, not by rank", "tuning"},
      {"verdict", "inconclusive", "Not enough evidence either way", "Noise is wider than the difference.",
       "more time (--budget), a quieter machine, or calibrate it", "honest_measurement"},
      {"verdict", "throttled", "Too many samples were taken while the GPU lowered its clock",
       "Power or temperature: times mean little.", "let it cool, or lower its power limit for all contenders",
       "honest_measurement"},
      {"verdict", "rejected", "A guard objects: the figure does not count", "The report names the guard.",
       "assay explain GUARD", "honest_measurement"},

      {"experiment", "bottleneck", "Less of it is faster, more of it is slower", "It limits the kernel.",
       "assay invert names the remedy", "inversion"},
      {"experiment", "hidden", "Less of it gains nothing, more of it is slower",
       "It is nearly full, behind something else: the next limit.", "do not add to it", "inversion"},
      {"experiment", "slack", "Neither less nor more of it changes the time", "There is room.",
       "spend it: recompute instead of loading, unroll, add stages", "inversion"},

      {"exit code", "0", "good: correct, clean, passed, measured", "", "", "first_verdict"},
      {"exit code", "1", "internal error: a defect of Assay", "", "please report it, with the command",
       "first_verdict"},
      {"exit code", "2", "usage: the command line, a specification, a suite or a reference is wrong", "",
       "the message has file, line and column", "first_verdict"},
      {"exit code", "3", "regression: slower than the baseline, or short of the goal", "", "assay explain regression",
       "ci_without_gpu"},
      {"exit code", "4", "inconclusive: noise, a trade of counters, a time limit", "", "assay explain inconclusive",
       "honest_measurement"},
      {"exit code", "5", "incorrect: wrong results, a finding, a fault, a failed compilation, a guard", "",
       "the report names it; assay explain NAME", "first_verdict"},
      {"exit code", "6", "environment: this machine lacks something", "", "assay doctor says how to get it",
       "ci_without_gpu"},
      {"exit code", "130", "interrupted by Ctrl-C; what was finished is recorded", "", "run the same command again",
       "slurm"},
      {"exit code", "143", "interrupted by SIGTERM; what was finished is recorded", "", "run the same command again",
       "slurm"},
  };
  return rows;
}

// Figures of a profile that have the name of a rule say the same.
void add_rules(std::vector<Explanation>& all) {
  for (const diagnosis::Rule& rule : diagnosis::rules()) {
    const std::string name(rule.name);
    if (std::ranges::find(all, name, &Explanation::name) != all.end()) continue;
    const std::string recipe = recipe_of(kOfRules, name);
    all.push_back({"diagnosis", name, std::string(rule.title), "", std::string(rule.remedy),
                   recipe.empty() ? "diagnosis" : recipe});
  }
}

// The page's title, and the problem that it begins with.
void add_recipes(std::vector<Explanation>& all) {
  constexpr std::string_view kProblem = "**Problem.** ";
  for (const EmbeddedFile& file : recipe_files()) {
    if (file.name == "README.md") continue;
    const std::string stem(file.name.substr(0, file.name.find('.')));
    const std::string_view title = file.text.substr(2, file.text.find('\n') - 2);
    const size_t begin = file.text.find(kProblem) + kProblem.size();
    const std::string problem(file.text.substr(begin, file.text.find("\n\n", begin) - begin));
    all.push_back({"recipe", stem, std::string(title), replace_all(problem, "\n", " "), "", stem});
  }
}

}  // namespace

const std::vector<Explanation>& explanations() {
  static const std::vector<Explanation> all = [] {
    std::vector<Explanation> list;
    add_findings(list);
    add_checks(list);
    list.insert(list.end(), written_rows().begin(), written_rows().end());
    add_rules(list);
    add_recipes(list);
    return list;
  }();
  return all;
}

}  // namespace assay::work
