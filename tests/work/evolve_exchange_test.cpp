// SPDX-License-Identifier: MIT
#include "work/evolve_exchange.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

evolve::Candidate candidate_of(const std::string& source) {
  evolve::Candidate candidate;
  candidate.files = {{"k.ptx", source}};
  candidate.configuration = "A=1";
  candidate.id = evolve::id_of(candidate);
  return candidate;
}

JudgingRequest example() {
  JudgingRequest request;
  request.snapshot.folder = "/kernels/k";
  request.snapshot.specification_file = "kernel.toml";
  request.snapshot.files = {{"kernel.toml", "[kernel]\n"}, {"k.ptx", "first"}, {"x.npy", std::string("\x93\0\xff", 3)}};
  request.snapshot.original = {"[kernel]\n", {"A"}, {"ROWS"}, "A=1"};
  request.snapshot.large_files = {{"large.bin", "abc"}};
  request.snapshot.outside = {{"../h.cuh", "def"}};
  request.snapshot.rules = {{"k.ptx"}, {"k.ptx", "kernel.toml", "x.npy", "large.bin"}, {"../h.cuh"}, {"__FILE__"}};
  request.parent = candidate_of("first");
  request.incumbent = candidate_of("better");
  request.incumbent.tunables = {{"B", {int64_t{4}, int64_t{8}}}, {"C", {true, false}}};
  request.incumbent.constraints = {"B > 4"};
  request.incumbent.configuration = "A=1,B=8,C=true";
  request.incumbent.id = evolve::id_of(request.incumbent);
  request.answer.files = {{"k.ptx", "second"}};
  request.answer.hypothesis = {"an idea", "issue", "down"};
  request.configuration = "A=2";
  request.first_facts = {{"%clock"}, {"kept"}, 3};
  request.tabu.add_kernel("hash", 2);
  request.tabu.add_loss(request.parent.id, "an idea");
  request.rule = {0.05, 3, 0.02};
  request.device = "cuda:0";
  request.virtual_device = "vgpu:h200";
  request.seed = 0x123456789abULL;
  request.held_out = 5;
  request.build_seconds = 33;
  request.limits = {7, 9};
  return request;
}

Judging judged(const JudgingRequest& request) {
  Judging judging;
  judging.verdict = "accepted";
  judging.gate = "race";
  judging.text = "faster";
  judging.candidate = *evolve::apply_answer(request.parent, request.answer, request.snapshot.rules);
  judging.candidate.configuration = "A=3";
  judging.hash = "other";
  judging.shapes = {{"ROWS=1", false, 1.25, 2.5, 0.1 + 0.2, {}, {}, ""},
                    {"ROWS=2", true, 3, 4, 0.75, 0.7, 0.8, "FASTER"}};
  judging.hypothesis_held = false;
  judging.cell = evolve::Cell{"dram", "none", 2, "1"};
  judging.costs = {1, 2, 3};
  return judging;
}

TEST(EvolveExchange, ARequestComesBackAsItWas) {
  const TemporaryFolder folder;
  const JudgingRequest request = example();
  const JudgingStore store(folder.path());
  const auto file = store.write(request);
  ASSERT_TRUE(file.ok()) << to_string(file.error());
  EXPECT_EQ(*store.write(request), *file) << "the same question is the same file";
  const auto read = read_judging_request(*file);
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(*store.write(*read), *file) << "nothing is lost";
  EXPECT_EQ(read->snapshot.files, request.snapshot.files) << "also what is no text";
  EXPECT_EQ(read->snapshot.original.text, request.snapshot.original.text);
  EXPECT_EQ(read->incumbent.tunables, request.incumbent.tunables);
  EXPECT_EQ(read->parent.id, request.parent.id);
  EXPECT_EQ(read->answer.hypothesis, request.answer.hypothesis);
  EXPECT_EQ(read->tabu.proposal_of("hash"), 2u);
  EXPECT_EQ(read->tabu.losses(request.parent.id, "an idea"), 1u);
  EXPECT_EQ(read->seed, request.seed);
  EXPECT_EQ(read->record.ledger, "none");
  JudgingRequest other = request;
  other.incumbent = request.parent;
  EXPECT_NE(*store.write(other), *file);
}

TEST(EvolveExchange, DamagedFilesAreErrors) {
  const TemporaryFolder folder;
  const auto file = JudgingStore(folder.path()).write(example());
  ASSERT_TRUE(file.ok());
  const auto whole = read_file(*file);
  ASSERT_TRUE(whole.ok());
  json document = json::parse(*whole);
  document["assay"] = "0.0.1";
  for (const std::string& text : {std::string("{"), std::string("[]"), std::string("{}"), document.dump()}) {
    ASSERT_TRUE(write_file_atomically(*file, text).ok());
    EXPECT_FALSE(read_judging_request(*file).ok()) << text;
  }
  document = json::parse(*whole);
  document["incumbent"]["id"] = "000000000000";
  ASSERT_TRUE(write_file_atomically(*file, document.dump()).ok());
  EXPECT_FALSE(read_judging_request(*file).ok());
  ASSERT_TRUE(write_file_atomically(*file, *whole).ok());
  ASSERT_TRUE(read_judging_request(*file).ok());
  folder.write("files/" + content_hash("better"), "worse");
  const auto damaged = read_judging_request(*file);
  ASSERT_FALSE(damaged.ok());
  EXPECT_NE(damaged.error().message.find("damaged"), std::string::npos);
}

TEST(EvolveExchange, AVerdictComesBackAsItWas) {
  const JudgingRequest request = example();
  const Judging judging = judged(request);
  const json document = json::parse(judging_document(judging).dump());
  const auto read = judging_from(document, request.parent, request.answer, request.snapshot.rules);
  ASSERT_TRUE(read);
  EXPECT_EQ(judging_document(*read), document);
  EXPECT_EQ(read->candidate.files, judging.candidate.files);
  EXPECT_EQ(read->candidate.configuration, "A=3");
  EXPECT_EQ(read->shapes[0].ratio, 0.1 + 0.2);
  evolve::Answer other = request.answer;
  other.files["k.ptx"] = "third";
  EXPECT_FALSE(judging_from(document, request.parent, other, request.snapshot.rules)) << "of another answer";
  EXPECT_FALSE(judging_from(json(), request.parent, request.answer, request.snapshot.rules));
  json strange = document;
  strange["verdict"] = "wonderful";
  EXPECT_FALSE(judging_from(strange, request.parent, request.answer, request.snapshot.rules));
}

TEST(EvolveExchange, TheFirstKernelsTrialComesBackAsItWas) {
  FirstTrial trial;
  trial.virtual_device = "vgpu:h200";
  trial.times_us = {{"ROWS=1", 1.5}};
  trial.speed = 0.25;
  trial.costs.gpu_s = 4;
  const auto read = first_from(json::parse(first_document(trial).dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(first_document(*read), first_document(trial));
  EXPECT_FALSE(first_from(json::object()));
}

// --- what happened while it was judged
TEST(EvolveUpToDate, AVerdictHoldsWhileNothingChanged) {
  const JudgingRequest request = example();
  Judging judging = judged(request);
  EXPECT_FALSE(bring_up_to_date(judging, request, request.incumbent.id));
  EXPECT_EQ(judging.verdict, "accepted");
}

TEST(EvolveUpToDate, ARaceBesideAnOlderIncumbentIsRepeatedAndARefusalIsNot) {
  const JudgingRequest request = example();
  for (const char* gate : {"plausible", "quick race", "race"}) {
    Judging judging = judged(request);
    judging.gate = gate;
    EXPECT_TRUE(bring_up_to_date(judging, request, request.parent.id)) << gate;
  }
  for (const char* gate : {"files", "build", "seen", "code", "sanitize", "check"}) {
    Judging judging = judged(request);
    judging.verdict = "refused";
    judging.gate = gate;
    EXPECT_FALSE(bring_up_to_date(judging, request, request.parent.id)) << gate;
    EXPECT_EQ(judging.gate, gate);
  }
}

TEST(EvolveUpToDate, WhatWasTriedMeanwhileCounts) {
  JudgingRequest request = example();
  request.tabu.add_kernel("other", 4);
  Judging judging = judged(request);
  EXPECT_FALSE(bring_up_to_date(judging, request, request.incumbent.id));
  EXPECT_EQ(judging.verdict, "refused");
  EXPECT_EQ(judging.gate, "seen");
  EXPECT_EQ(judging.text, "it compiles to the same code as proposal 4");
  EXPECT_TRUE(judging.shapes.empty());
  EXPECT_FALSE(judging.cell);
  request.tabu.add_loss(request.parent.id, "an idea");
  judging = judged(request);
  EXPECT_FALSE(bring_up_to_date(judging, request, request.incumbent.id));
  EXPECT_EQ(judging.gate, "files") << "the idea has lost twice";
  EXPECT_EQ(judging.hash, "");
}

}  // namespace
}  // namespace assay::work
