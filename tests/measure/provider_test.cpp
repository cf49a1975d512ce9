// SPDX-License-Identifier: MIT
// Providers that answer, lie, hang, crash or print rubbish. A test fails if the parent believes them, dies or waits.
#include "measure/provider.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "fake_contender.hpp"
#include "measure/fingerprint.hpp"
#include "measure/input_set.hpp"

namespace assay::measure {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr Provider::Limits kPatient{minutes(5), minutes(5), minutes(5)};

class ProviderTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSAY_NEEDS_PYTHON();
    for (const uint64_t seed : {uint64_t{1}, uint64_t{2}})
      sets_.push_back(*InputSet::make(folder_.problem(), seed, scratch_, "set" + std::to_string(seed)));
  }
  std::filesystem::path path(const std::string& name) const { return folder_.folder().path() / name; }

  std::unique_ptr<Provider> start(const std::vector<std::string>& arguments, const Provider::Limits& limits) const {
    auto provider = Provider::start(fake_contender("rival", arguments), 0, limits);
    EXPECT_TRUE(provider.ok()) << (provider ? "" : to_string(provider.error()));
    return provider ? std::move(*provider) : nullptr;
  }
  json request() const {
    json made = prepare_request(folder_.problem(), Protocol(), TimingFiles());
    made["options"] = json::object();
    for (const InputSet& set : sets_) made["sets"].push_back({{"x", set.files.at("x").string()}});
    return made;
  }
  std::unique_ptr<Provider> prepared(const std::vector<std::string>& arguments,
                                     const Provider::Limits& limits = kPatient) const {
    auto provider = start(arguments, limits);
    const auto variant = provider ? provider->prepare(request()) : Result<std::string>(Error{"did not start"});
    EXPECT_TRUE(variant.ok()) << (variant ? "" : to_string(variant.error()));
    return variant ? std::move(provider) : nullptr;
  }
  // The error that a sample of this behaviour ends with; the provider is gone afterwards.
  Error sample_error(const std::vector<std::string>& arguments, const std::string& guard,
                     const Provider::Limits& limits = kPatient) const {
    auto provider = prepared(arguments, limits);
    if (!provider) return {};
    const auto block = provider->sample({0, 1, 0, 1}, {1, 2, 3, 4});
    EXPECT_FALSE(block.ok()) << arguments.at(1);
    if (block.ok()) return {};
    EXPECT_TRUE(mentions(block.error().message, "provider 'rival'")) << block.error().message;
    EXPECT_EQ(block.error().exit_code, ExitCode::environment);
    EXPECT_EQ(provider->failed_guard(), guard_from_name(guard)) << arguments.at(1);
    const auto later = provider->run(0, 1);
    EXPECT_TRUE(!later.ok() && mentions(later.error().message, "has been stopped")) << "it is out for good";
    return block.error();
  }

  ProblemFolder folder_;
  ScratchFiles scratch_{1 << 20};
  std::vector<InputSet> sets_;
};

TEST_F(ProviderTest, says_what_a_call_holds_or_does_not) {
  const auto silent = prepared({});
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->device_bytes(), std::nullopt);
  const auto says = prepared({"--device-bytes", "4096"});
  ASSERT_TRUE(says);
  EXPECT_EQ(says->device_bytes(), 4096u);
  const auto null = prepared({"--device-bytes", "null"});
  ASSERT_TRUE(null);
  EXPECT_EQ(null->device_bytes(), std::nullopt);
}

TEST_F(ProviderTest, a_call_cannot_hold_what_no_gpu_has) {
  for (const char* said : {"-1", "0", "1.5", "1e30", "\"much\"", "true", "[1]", "{}"}) {
    const auto provider = start({"--device-bytes", said}, kPatient);
    ASSERT_TRUE(provider);
    const auto variant = provider->prepare(request());
    ASSERT_FALSE(variant.ok()) << said;
    EXPECT_TRUE(mentions(variant.error().message, "bytes of device memory")) << variant.error().message;
    EXPECT_EQ(provider->device_bytes(), std::nullopt);
  }
}

TEST_F(ProviderTest, answers_every_request) {
  auto provider = start({}, kPatient);
  ASSERT_TRUE(provider);
  EXPECT_EQ(provider->name(), "rival");
  EXPECT_EQ(provider->identity().name, "fake");
  EXPECT_EQ(provider->identity().device, "no GPU");
  EXPECT_EQ(provider->identity().versions, (std::map<std::string, std::string>{{"fake", "1.0"}}));
  const auto variant = provider->prepare(request());
  ASSERT_TRUE(variant.ok()) << to_string(variant.error());
  EXPECT_EQ(*variant, "row sums in Python");

  ASSERT_TRUE(provider->run(1, 0xa5).ok());
  ASSERT_TRUE(provider->read(1, {{"y", path("y.bin")}, {"x", path("x.bin")}}).ok());
  EXPECT_EQ(*read_file(path("x.bin")), *read_file(sets_[1].files.at("x")));
  const auto output = read_tensor(path("y.bin"), *folder_.problem().outputs()[0]);
  ASSERT_TRUE(output.ok()) << to_string(output.error());

  const auto block = provider->sample({1, 0, 1}, {9, 8, 7});
  ASSERT_TRUE(block.ok()) << to_string(block.error());
  ASSERT_EQ(block->us.size(), 3u);
  for (const double us : block->us) EXPECT_GE(us, 20);
  EXPECT_EQ(block->fingerprints[0], fingerprint(std::span(*output)));
  EXPECT_EQ(block->fingerprints[2], block->fingerprints[0]);
  EXPECT_NE(block->fingerprints[1], block->fingerprints[0]);
  EXPECT_EQ(block->clock_mhz, std::vector<double>(3, 1980));
  EXPECT_EQ(block->throttled, std::vector<bool>(3, false));
  EXPECT_GT(block->host_us, 0);
  EXPECT_GE(block->wall_us, block->host_us);

  ASSERT_TRUE(provider->write(1, {{"x", sets_[0].files.at("x")}}).ok());
  const auto changed = provider->sample({1, 0}, {9, 8});
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed->fingerprints[0], changed->fingerprints[1]) << "both sets hold the same now";

  const auto throughput = provider->throughput(5);
  ASSERT_TRUE(throughput.ok()) << to_string(throughput.error());
  EXPECT_EQ(throughput->us.size(), 5u);
  EXPECT_GE(throughput->wall_us, 5 * 20 * 20);

  const auto kernels = provider->kernels(0);
  ASSERT_TRUE(kernels.ok()) << to_string(kernels.error());
  EXPECT_TRUE(kernels->available);
  ASSERT_EQ(kernels->kernels.size(), 1u);
  EXPECT_EQ(kernels->kernels[0].name, "row_sum");
  EXPECT_EQ(kernels->kernels[0].stream, 0);
  EXPECT_EQ(kernels->kernels[0].us, 20);
  EXPECT_EQ(kernels->graph_nodes, 1);
  EXPECT_EQ(kernels->threads_before, 1);
  EXPECT_EQ(kernels->threads_after, 1);
  EXPECT_EQ(kernels->persisting_l2_bytes, 0);
  EXPECT_FALSE(provider->failed_guard());
}

TEST_F(ProviderTest, is_prepared_again_for_the_next_case) {
  auto provider = prepared({});
  ASSERT_TRUE(provider);
  ASSERT_TRUE(provider->prepare(request()).ok());
  EXPECT_TRUE(provider->sample({0}, {1}).ok());
}

TEST_F(ProviderTest, that_ends_or_prints_rubbish_is_out) {
  struct Misbehaviour {
    const char* name;
    const char* message;
    const char* guard = "";
  };
  for (const Misbehaviour& each : std::initializer_list<Misbehaviour>{
           {"crash", "ended instead of answering 'sample' (the process was killed by SIGSEGV)"},
           {"exit", "ended instead of answering 'sample'"},
           {"rubbish", "answered 'sample' with rubbish: CUDA warning: something { happened"},
           {"number", "answered 'sample' with rubbish: 42"},
           {"chatter", "answered 'sample' with rubbish: loading the kernel ..."},
           {"wrong_id", "with an id that was not asked for", "answer_id"},
           {"no_id", "with an id that was not asked for", "answer_id"},
           {"no_ok", "without saying whether it is ok"},
           {"closes_pipe", "ended instead of answering 'sample'"},
           {"empty", "no list 'us' of 4 numbers"},
           {"wrong_types", "no list 'us' of 4 numbers"}}) {
    const Error error = sample_error({"--behave", each.name}, each.guard);
    EXPECT_TRUE(mentions(error.message, each.message)) << each.name << ": " << error.message;
  }
}

TEST_F(ProviderTest, that_claims_impossible_times_is_out) {
  struct Claim {
    const char* name;
    const char* message;
    const char* guard;
  };
  for (const Claim& each : std::initializer_list<Claim>{{"negative", "it reports a time of -3 us", "not_positive"},
                                                        {"zero", "it reports a time of 0 us", "not_positive"},
                                                        {"null", "'us' holds null", "not_positive"},
                                                        {"nan", "rubbish", ""},
                                                        {"infinite", "rubbish", ""},
                                                        {"too_few", "no list 'us' of 4 numbers", ""},
                                                        {"too_many", "no list 'us' of 4 numbers", ""},
                                                        {"bad_fingerprint", "not 16 hexadecimal digits", ""},
                                                        {"too_few_fingerprints", "no list 'fingerprints' of 4", ""}}) {
    const Error error = sample_error({"--behave", each.name}, each.guard);
    EXPECT_TRUE(mentions(error.message, each.message)) << each.name << ": " << error.message;
  }
}

TEST_F(ProviderTest, that_claims_impossible_throughput_is_out) {
  auto provider = prepared({"--behave", "zero"});
  ASSERT_TRUE(provider);
  const auto throughput = provider->throughput(5);
  ASSERT_FALSE(throughput.ok());
  EXPECT_EQ(provider->failed_guard(), GuardKind::not_positive);
  provider = prepared({"--behave", "too_few"});
  ASSERT_TRUE(provider);
  EXPECT_FALSE(provider->throughput(5).ok());
  EXPECT_FALSE(provider->failed_guard());
}

TEST_F(ProviderTest, that_does_not_answer_in_time_is_out) {
  const Provider::Limits hurried{minutes(5), minutes(5), milliseconds(150)};
  for (const char* name : {"hang", "late", "partial", "huge"}) {
    const Error error = sample_error({"--behave", name}, "", hurried);
    EXPECT_TRUE(mentions(error.message, "did not answer 'sample' within 0.15 s")) << name << ": " << error.message;
  }
}

TEST_F(ProviderTest, that_refuses_says_why) {
  const Error error = sample_error({"--behave", "error"}, "");
  EXPECT_EQ(error.message, "provider 'rival' cannot sample: the fake device is on fire");
  EXPECT_EQ(error.hint, "bring water");
  const Error contract = sample_error({"--behave", "breaks_contract"}, "contract");
  EXPECT_EQ(contract.message, "provider 'rival' cannot sample: the function returned a tensor");
}

TEST_F(ProviderTest, whose_rubbish_is_no_text_cannot_harm_a_terminal_or_a_document) {
  const Error error = sample_error({"--behave", "binary"}, "");
  EXPECT_TRUE(mentions(error.message, "rubbish")) << error.message;
  EXPECT_NO_THROW(static_cast<void>(json(error.message).dump())) << "valid UTF-8";
  for (const char c : error.message) EXPECT_GE(static_cast<unsigned char>(c), 0x20u) << error.message;
}

TEST_F(ProviderTest, that_answers_twice_is_found_at_the_next_request) {
  auto provider = prepared({"--behave", "twice"});
  ASSERT_TRUE(provider);
  ASSERT_TRUE(provider->sample({0}, {1}).ok());
  EXPECT_FALSE(provider->run(0, 1).ok()) << "an old answer is no answer";
  EXPECT_EQ(provider->failed_guard(), GuardKind::answer_id);
}

TEST_F(ProviderTest, that_fails_later_was_good_before) {
  auto provider = prepared({"--behave", "crash", "--after", "2"});
  ASSERT_TRUE(provider);
  EXPECT_TRUE(provider->sample({0}, {1}).ok());
  EXPECT_TRUE(provider->sample({1}, {1}).ok());
  EXPECT_FALSE(provider->sample({0}, {1}).ok());
}

TEST_F(ProviderTest, may_misbehave_at_any_request) {
  for (const char* op : {"prepare", "run", "read", "write", "throughput", "kernels"}) {
    auto provider = start({"--behave", "crash", "--at", op}, kPatient);
    ASSERT_TRUE(provider);
    const std::string wanted(op);
    Result<void> outcome;
    const auto take = [&](const auto& result) { outcome = result ? Result<void>() : Result<void>(result.error()); };
    take(provider->prepare(request()));
    if (wanted == "run") take(provider->run(0, 1));
    if (wanted == "read") take(provider->read(0, {{"y", path("y.bin")}}));
    if (wanted == "write") take(provider->write(0, {{"x", sets_[0].files.at("x")}}));
    if (wanted == "throughput") take(provider->throughput(2));
    if (wanted == "kernels") take(provider->kernels(0));
    ASSERT_FALSE(outcome.ok()) << op;
    EXPECT_TRUE(mentions(outcome.error().message, "'" + wanted + "'")) << outcome.error().message;
  }
}

TEST_F(ProviderTest, that_dies_at_the_start_is_named_with_its_last_words) {
  const auto refused = Provider::start(fake_contender("rival", {"--nonsense"}), 0, kPatient);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(mentions(refused.error().message, "provider 'rival' ended instead of answering 'hello'"))
      << refused.error().message;
  EXPECT_TRUE(mentions(refused.error().message, "exited with 2")) << refused.error().message;
  EXPECT_TRUE(mentions(refused.error().hint, "unrecognized arguments: --nonsense")) << refused.error().hint;
  const auto crashed = Provider::start(fake_contender("rival", {"--behave", "crash", "--at", "hello"}), 0, kPatient);
  ASSERT_FALSE(crashed.ok());
  EXPECT_TRUE(mentions(crashed.error().message, "SIGSEGV")) << crashed.error().message;
}

TEST_F(ProviderTest, that_is_silent_at_the_start_is_not_waited_for) {
  const auto silent = Provider::start(fake_contender("rival", {"--behave", "hang", "--at", "hello"}), 0,
                                      {milliseconds(150), minutes(5), minutes(5)});
  ASSERT_FALSE(silent.ok());
  EXPECT_TRUE(mentions(silent.error().message, "did not answer 'hello' within 0.15 s")) << silent.error().message;
}

TEST_F(ProviderTest, that_cannot_be_started_is_named) {
  Contender contender{"rival", "command", {folder_.folder().write("plain.txt", "no program").string()}, {}, false};
  for (const std::string& program : {contender.arguments[0], path("missing").string()}) {
    contender.arguments = {program};
    const auto provider = Provider::start(contender, 0, kPatient);
    ASSERT_FALSE(provider.ok());
    EXPECT_TRUE(mentions(provider.error().message, "provider 'rival'")) << provider.error().message;
    EXPECT_TRUE(mentions(provider.error().message, program)) << provider.error().message;
  }
  contender.arguments = {};
  EXPECT_FALSE(Provider::start(contender, 0, kPatient).ok());
  // A script whose interpreter does not exist: it starts and ends at once.
  const std::filesystem::path script = folder_.folder().write_script("broken.sh", "");
  folder_.folder().write("broken.sh", "#!/no/such/shell\n");
  contender.arguments = {script.string()};
  const auto broken = Provider::start(contender, 0, kPatient);
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(mentions(broken.error().message, "provider 'rival'")) << broken.error().message;
}

TEST_F(ProviderTest, lists_only_what_can_be_believed) {
  auto provider = prepared({"--behave", "wrong_types", "--at", "kernels"});
  ASSERT_TRUE(provider);
  auto kernels = provider->kernels(0);
  ASSERT_TRUE(kernels.ok());
  EXPECT_TRUE(kernels->kernels.empty());
  provider = prepared({"--behave", "nameless_stream"});
  ASSERT_TRUE(provider);
  kernels = provider->kernels(0);
  ASSERT_TRUE(kernels.ok());
  ASSERT_EQ(kernels->kernels.size(), 1u);
  EXPECT_EQ(kernels->kernels[0].stream, -1) << "what cannot be told is not the timed stream";
  provider = prepared({"--behave", "no_profiler"});
  ASSERT_TRUE(provider);
  kernels = provider->kernels(0);
  ASSERT_TRUE(kernels.ok());
  EXPECT_FALSE(kernels->available);
  EXPECT_EQ(kernels->reason, "no profiler in this test");
  kernels = provider->kernels(0, KernelLook::names);
  ASSERT_TRUE(kernels.ok());
  EXPECT_TRUE(kernels->available) << "names need none";
  ASSERT_EQ(kernels->kernels.size(), 1u);
  EXPECT_EQ(kernels->kernels[0].name, "row_sum(float*)");
  EXPECT_EQ(kernels->kernels[0].us, 0);
}

TEST_F(ProviderTest, marks_throttled_samples) {
  auto provider = prepared({"--behave", "throttled"});
  ASSERT_TRUE(provider);
  const auto block = provider->sample({0, 1, 0, 1}, {1, 2, 3, 4});
  ASSERT_TRUE(block.ok());
  EXPECT_EQ(block->throttled, (std::vector<bool>{true, false, true, false}));
}

}  // namespace
}  // namespace assay::measure
