// SPDX-License-Identifier: MIT
#include "measure/guard.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::measure {
namespace {

TEST(Guards, keep_a_failure_whatever_comes_later) {
  Guards guards;
  guards.pass(GuardKind::streams);
  guards.fail(GuardKind::streams, "another stream");
  guards.pass(GuardKind::streams, "fine");
  guards.fail(GuardKind::streams, "a third one");
  guards.unavailable(GuardKind::streams, "no profiler");
  ASSERT_EQ(guards.all().size(), 1u);
  EXPECT_EQ(guards.all()[0].state, GuardState::failed);
  EXPECT_EQ(guards.all()[0].detail, "another stream");
}

TEST(Guards, do_not_forget_a_result_for_one_that_could_not_be_had) {
  Guards guards;
  guards.pass(GuardKind::poison, "all sets");
  guards.unavailable(GuardKind::poison, "too large");
  ASSERT_EQ(guards.all().size(), 1u);
  EXPECT_EQ(guards.all()[0].state, GuardState::passed);
  EXPECT_EQ(guards.all()[0].detail, "all sets");
}

TEST(Guards, prefer_a_result_to_none) {
  Guards guards;
  guards.unavailable(GuardKind::roofline, "no flops");
  EXPECT_EQ(guards.all()[0].state, GuardState::unavailable);
  guards.pass(GuardKind::roofline, "floor 1 us");
  EXPECT_EQ(guards.all()[0].state, GuardState::passed);
  guards.unavailable(GuardKind::streams, "no profiler");
  guards.fail(GuardKind::streams, "another stream");
  EXPECT_EQ(guards.all()[1].state, GuardState::failed);
}

TEST(Guards, name_the_first_failure) {
  Guards guards;
  EXPECT_EQ(guards.first_failure(), nullptr);
  guards.pass(GuardKind::poison);
  guards.unavailable(GuardKind::streams, "no profiler");
  EXPECT_EQ(guards.first_failure(), nullptr);
  guards.fail(GuardKind::fingerprint, "sample 3");
  guards.fail(GuardKind::poison, "set 2");
  ASSERT_NE(guards.first_failure(), nullptr);
  EXPECT_EQ(guards.first_failure()->kind, GuardKind::poison);
  EXPECT_EQ(guards.all().size(), 3u);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::vector<std::string_view> parts = split(line, '|');
  for (size_t i = 1; i + 1 < parts.size(); ++i) found.emplace_back(trim(parts[i]));
  return found;
}

// The rows of the table under this heading, its head and ruler left out.
std::vector<std::vector<std::string>> table_under(const std::string& heading) {
  const auto text = read_file(ASSAY_SOURCE_DIR "/docs/red_team.md");
  EXPECT_TRUE(text.ok());
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (const std::string_view line : split(*text, '\n')) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (inside && line.starts_with("| ")) rows.push_back(cells(std::string(line)));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

TEST(GuardTable, is_what_the_page_shows) {
  const auto rows = table_under("Guards");
  ASSERT_EQ(rows.size(), guard_table().size()) << "every guard has a row, every row a guard";
  for (size_t i = 0; i < rows.size(); ++i) {
    const GuardInfo& guard = guard_table()[i];
    ASSERT_EQ(rows[i].size(), 4u) << guard.name;
    EXPECT_EQ(rows[i][0], "`" + std::string(guard.name) + "`");
    EXPECT_EQ(rows[i][1], guard.fails_when) << guard.name;
    EXPECT_EQ(rows[i][2], guard.provider) << guard.name;
    EXPECT_EQ(rows[i][3], guard.parent) << guard.name;
  }
}

TEST(GuardTable, every_name_is_found_and_no_other) {
  for (const GuardInfo& guard : guard_table()) {
    EXPECT_EQ(guard_from_name(guard.name), guard.kind);
    EXPECT_EQ(name(guard.kind), guard.name);
  }
  EXPECT_FALSE(guard_from_name("nonsense"));
  EXPECT_FALSE(guard_from_name(""));
}

TEST(GuardTable, every_cheat_names_one) {
  const auto text = read_file(ASSAY_SOURCE_DIR "/kernels/red_team/expected.json");
  ASSERT_TRUE(text.ok());
  const auto expected = nlohmann::json::parse(*text);
  std::map<std::string, std::string> said;  // by folder, on the page
  for (const auto& row : table_under("The cheats")) {
    ASSERT_EQ(row.size(), 4u);
    const std::string folder = row[2].substr(1, row[2].find(']') - 1);
    said[folder] = row[3].substr(1, row[3].find('`', 1) - 1);
    EXPECT_TRUE(guard_from_name(said[folder])) << folder << " names " << said[folder];
  }
  size_t cheats = 0;
  for (const auto& folder : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/kernels/red_team")) {
    if (!folder.is_directory()) continue;
    const std::string name = folder.path().filename();
    ASSERT_TRUE(expected.contains(name)) << name << " is not in expected.json";
    const std::string guard = expected[name]["guard"];
    if (guard.empty()) continue;  // an honest one
    ++cheats;
    EXPECT_TRUE(guard_from_name(guard)) << name << " names " << guard;
    EXPECT_EQ(said[name], guard) << name;
    for (const auto& other : expected[name]["also"]) EXPECT_TRUE(guard_from_name(other.get<std::string>())) << other;
  }
  EXPECT_EQ(cheats, said.size()) << "every cheat has a row on the page, and every row is a cheat";
}

TEST(Guards, have_words_for_their_states) {
  EXPECT_EQ(name(GuardState::passed), "passed");
  EXPECT_EQ(name(GuardState::failed), "failed");
  EXPECT_EQ(name(GuardState::unavailable), "unavailable");
}

}  // namespace
}  // namespace assay::measure
