// SPDX-License-Identifier: MIT
#include "build/artifact_cache.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build/cache_record.hpp"
#include "build/cache_upkeep.hpp"
#include "fake_toolkit.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "00112233445566778899aabbccddeeff";

class Cache : public testing::Test {
 protected:
  Result<fs::path> store(const std::string& content) {
    const fs::path draft = *cache_.make_draft();
    std::ofstream(draft / "kernel.ptx") << content;
    std::vector<Dependency> dependencies;
    for (const char* name : {"k.cu", "tile.cuh"}) {
      if (const auto hash = FileHashes().hash_of(project_.path() / name)) dependencies.push_back({name, *hash});
    }
    return cache_.publish(kKey, draft, {"kernel.ptx"}, dependencies);
  }
  std::optional<fs::path> find() {
    FileHashes hashes;
    return cache_.find(kKey, {project_.path(), project_.path() / "inc"}, hashes);
  }

  TemporaryFolder folder_;
  TemporaryFolder project_;
  ArtifactCache cache_ = *ArtifactCache::open(folder_.path() / "cache");
};

TEST_F(Cache, FindsWhatWasStored) {
  project_.write("k.cu", "kernel");
  EXPECT_FALSE(find());
  ASSERT_TRUE(store("ptx").ok());
  const std::optional<fs::path> entry = find();
  ASSERT_TRUE(entry);
  EXPECT_EQ(*read_file(*entry / "kernel.ptx"), "ptx");
}

TEST_F(Cache, EveryStateOfTheHeadersHasItsOwnEntry) {
  project_.write("k.cu", "kernel");
  project_.write("tile.cuh", "one");
  ASSERT_TRUE(store("ptx one").ok());
  project_.write("tile.cuh", "two");
  EXPECT_FALSE(find());
  ASSERT_TRUE(store("ptx two").ok());
  EXPECT_EQ(*read_file(*find() / "kernel.ptx"), "ptx two");
  project_.write("tile.cuh", "one");
  EXPECT_EQ(*read_file(*find() / "kernel.ptx"), "ptx one");
  fs::remove(project_.path() / "tile.cuh");
  EXPECT_FALSE(find());
}

TEST_F(Cache, AHeaderThatWouldBeFoundFirstIsAChange) {
  project_.write("k.cu", "kernel");
  project_.write("inc/tile.cuh", "tile");
  const fs::path draft = *cache_.make_draft();
  std::ofstream(draft / "kernel.ptx") << "ptx";
  const std::string hash = *FileHashes().hash_of(project_.path() / "inc/tile.cuh");
  ASSERT_TRUE(cache_.publish(kKey, draft, {"kernel.ptx"}, {{"inc/tile.cuh", hash}}).ok());
  EXPECT_TRUE(find());
  EXPECT_FALSE(is_shadowed(project_.path() / "inc/tile.cuh", {project_.path()}));
  const TemporaryFolder other;
  other.write("tile.cuh", "another");
  EXPECT_TRUE(is_shadowed(project_.path() / "inc/tile.cuh", {other.path(), project_.path() / "inc"}));
  EXPECT_FALSE(is_shadowed(project_.path() / "inc/tile.cuh", {project_.path() / "inc", other.path()}));
}

TEST_F(Cache, DamageIsFoundAndRemoved) {
  project_.write("k.cu", "kernel");
  using Damage = void (*)(const fs::path&);
  const Damage damages[] = {
      [](const fs::path& entry) { fs::resize_file(entry / "kernel.ptx", 1); },
      [](const fs::path& entry) { fs::resize_file(entry / "kernel.ptx", 0); },
      [](const fs::path& entry) { std::ofstream(entry / "kernel.ptx") << "pty"; },
      [](const fs::path& entry) { fs::remove(entry / "kernel.ptx"); },
      [](const fs::path& entry) { fs::resize_file(entry / kRecordName, fs::file_size(entry / kRecordName) - 10); },
      [](const fs::path& entry) { fs::resize_file(entry / kRecordName, 0); },
      [](const fs::path& entry) { fs::remove(entry / kRecordName); },
      [](const fs::path& entry) { fs::remove_all(entry), std::ofstream(entry) << "not even a folder"; },
  };
  for (const Damage damage : damages) {
    ASSERT_TRUE(store("ptx").ok());
    damage(*find());
    EXPECT_FALSE(find());
    ASSERT_TRUE(store("ptx").ok());
    EXPECT_TRUE(find());
  }
}

TEST_F(Cache, EveryTruncationAndEveryFlippedByteOfARecordIsRefused) {
  const std::string text =
      to_text({.files = {{"kernel.ptx", std::string(32, 'a')}}, .dependencies = {{"k.cu", std::string(32, 'b')}}});
  ASSERT_TRUE(parse_record(text));
  for (size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_FALSE(parse_record(text.substr(0, length))) << length;
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(parse_record(changed)) << at;
  }
}

TEST_F(Cache, RecordsKeepShadowedDependenciesApart) {
  const std::optional<CacheRecord> record =
      parse_record(to_text({.files = {{"a", std::string(32, '0')}},
                            .dependencies = {{"x y", std::string(32, '1'), false}, {"z", std::string(32, '2')}}}));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->dependencies[0].path, "x y");
  EXPECT_FALSE(record->dependencies[0].shadowable);
  EXPECT_TRUE(record->dependencies[1].shadowable);
}

TEST_F(Cache, PublishingTwiceLeavesOneGoodEntry) {
  project_.write("k.cu", "kernel");
  ASSERT_TRUE(store("ptx").ok());
  ASSERT_TRUE(store("ptx").ok());
  EXPECT_TRUE(find());
  EXPECT_TRUE(fs::is_empty(cache_.folder() / "drafts"));
}

TEST_F(Cache, OldDraftsAndUnusedEntriesGo) {
  project_.write("k.cu", "kernel");
  const fs::path entry = *store("ptx");
  const fs::path young = *cache_.make_draft();
  const fs::path old = *cache_.make_draft();
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(old, now - std::chrono::hours(2));
  tidy_cache(cache_.folder(), now);
  EXPECT_TRUE(fs::exists(young));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(entry));
  tidy_cache(cache_.folder(), now + kEntryLife + std::chrono::hours(1));
  EXPECT_FALSE(fs::exists(entry));
}

TEST_F(Cache, DraftsOfTheDeadGoAtOnce) {
  const fs::path ours = *cache_.make_draft();
  const std::string name = ours.filename().string();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string rest = name.substr(name.find('.'));
  const fs::path dead = ours.parent_path() / (std::to_string(child) + rest);
  const fs::path elsewhere = ours.parent_path() / (std::to_string(child) + ".0123456789abcdef.1.0");
  const fs::path rubbish = ours.parent_path() / ("12x" + rest);
  for (const fs::path& each : {dead, elsewhere, rubbish}) fs::create_directories(each / "inside");
  tidy_cache(cache_.folder(), fs::file_time_type::clock::now());
  EXPECT_FALSE(fs::exists(dead)) << "its maker is gone";
  EXPECT_TRUE(fs::exists(ours));
  EXPECT_TRUE(fs::exists(elsewhere)) << "a number means nothing on another machine";
  EXPECT_TRUE(fs::exists(rubbish));
}

TEST_F(Cache, KeptKernelsGoByAgeAndBySize) {
  const auto now = fs::file_time_type::clock::now();
  const auto keep = [&](const std::string& name, std::chrono::hours unused) {
    const fs::path folder = cache_.folder() / "kept" / name;
    fs::create_directories(folder);
    EXPECT_TRUE(write_file_atomically(folder / "kernel.ptx", std::string(1000, 'x')).ok());
    fs::last_write_time(folder, now - unused);
    return folder;
  };
  const fs::path ancient = keep("ancient", kKeptLife + std::chrono::hours(1));
  const fs::path old = keep("old", std::chrono::hours(300));
  const fs::path used = keep("used", std::chrono::hours(300));
  const fs::path recent = keep("recent", std::chrono::hours(2));
  touch_entry(used);
  tidy_cache(cache_.folder(), now + std::chrono::hours(25));
  EXPECT_FALSE(fs::exists(ancient)) << "by age";
  EXPECT_TRUE(fs::exists(old) && fs::exists(used) && fs::exists(recent)) << "there is room for all of them";
  tidy_cache(cache_.folder(), now + std::chrono::hours(50), 2500);
  EXPECT_FALSE(fs::exists(old)) << "the longest unused goes first";
  EXPECT_TRUE(fs::exists(used) && fs::exists(recent));
  tidy_cache(cache_.folder(), now + std::chrono::hours(75), 1500);
  EXPECT_FALSE(fs::exists(recent));
  EXPECT_TRUE(fs::exists(used)) << "it was used since";
  const fs::path young = keep("young", std::chrono::hours(-100));
  tidy_cache(cache_.folder(), now + std::chrono::hours(100), 0);
  EXPECT_TRUE(fs::exists(young)) << "somebody may be about to measure it";
  EXPECT_FALSE(fs::exists(used));
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const Variable home("HOME", "/home/ann");
  const Variable no_cache("ASSAY_CACHE", "");
  const Variable no_xdg("XDG_CACHE_HOME", "");
  EXPECT_EQ(ArtifactCache::default_folder(), "/home/ann/.cache/assay");
  const Variable xdg("XDG_CACHE_HOME", "/var/cache/ann");
  EXPECT_EQ(ArtifactCache::default_folder(), "/var/cache/ann/assay");
  const Variable given("ASSAY_CACHE", "/big/assay");
  EXPECT_EQ(ArtifactCache::default_folder(), "/big/assay");
  const Variable no_given("ASSAY_CACHE", "");
  const Variable no_xdg_again("XDG_CACHE_HOME", "");
  const Variable homeless("HOME", "");
  EXPECT_EQ(ArtifactCache::default_folder(), ".cache/assay");
}

TEST(CacheFolder, AFolderThatCannotBeMadeIsAnErrorWithAHint) {
  const TemporaryFolder folder;
  folder.write("file", "");
  const Result<ArtifactCache> cache = ArtifactCache::open(folder.path() / "file" / "cache");
  ASSERT_FALSE(cache.ok());
  EXPECT_EQ(cache.error().exit_code, ExitCode::environment);
  EXPECT_NE(cache.error().hint.find("ASSAY_CACHE"), std::string::npos);
}

}  // namespace
}  // namespace assay::build
