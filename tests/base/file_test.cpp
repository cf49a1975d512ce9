// SPDX-License-Identifier: MIT
#include "base/file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../support/temporary_folder.hpp"

namespace assay {
namespace {

TEST(ReadFile, gives_every_byte) {
  const TemporaryFolder folder;
  const std::string content = std::string("a\0b\r\n", 5) + std::string(200'000, 'x');
  const auto read = read_file(folder.write("bytes", content));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(*read, content);
}

TEST(ReadFile, reads_an_empty_file) {
  const TemporaryFolder folder;
  const auto read = read_file(folder.write("empty", ""));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, "");
}

TEST(ReadFile, says_which_file_is_missing) {
  const TemporaryFolder folder;
  const auto read = read_file(folder.path() / "missing.txt");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().place.file, (folder.path() / "missing.txt").string());
  EXPECT_NE(read.error().message.find("No such file"), std::string::npos) << read.error().message;
  EXPECT_EQ(read.error().exit_code, ExitCode::usage);
}

TEST(ReadFile, expects_a_file_not_a_folder) {
  const TemporaryFolder folder;
  const auto read = read_file(folder.path());
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("folder"), std::string::npos) << read.error().message;
}

TEST(ReadFile, stops_at_its_limit) {
  const TemporaryFolder folder;
  const auto path = folder.write("ten", "0123456789");
  EXPECT_TRUE(read_file(path, 10).ok());
  const auto read = read_file(path, 9);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("9 bytes"), std::string::npos) << read.error().message;
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20).ok());  // a file without end
}

TEST(ReadFile, does_not_trust_the_size_that_a_file_says_it_has) {
  const auto none = read_file("/proc/self/status");  // says 0
  ASSERT_TRUE(none.ok()) << to_string(none.error());
  EXPECT_GT(none->size(), 100u);
  const TemporaryFolder folder;
  const auto path = folder.write("sparse", "x");
  std::filesystem::resize_file(path, uintmax_t{1} << 40);  // says a terabyte, and has one block
  EXPECT_FALSE(read_file(path, 1 << 20).ok());
}

TEST(ReadFileInto, says_how_many_bytes_there_were) {
  const TemporaryFolder folder;
  const auto path = folder.write("five", "12345");
  std::vector<uint8_t> buffer(5);
  EXPECT_EQ(*read_file_into(path, buffer), 5u);
  EXPECT_EQ(buffer, (std::vector<uint8_t>{'1', '2', '3', '4', '5'}));
  buffer.assign(7, 'x');
  EXPECT_EQ(*read_file_into(path, buffer), 5u);
  EXPECT_EQ(buffer[5], 'x');
  buffer.resize(3);
  EXPECT_EQ(*read_file_into(path, buffer), 4u) << "one more than fit";
  EXPECT_EQ(*read_file_into(path, {}), 1u);
  EXPECT_FALSE(read_file_into(folder.path() / "missing", buffer).ok());
  EXPECT_FALSE(read_file_into(folder.path(), buffer).ok());
}

TEST(WriteScratchFile, writes_replaces_and_explains) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  ASSERT_TRUE(write_scratch_file(path, "longer than what follows").ok());
  ASSERT_TRUE(write_scratch_file(path, std::string_view("n\0w", 3)).ok());
  EXPECT_EQ(*read_file(path), std::string("n\0w", 3));
  const auto written = write_scratch_file(folder.path() / "missing" / "file", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().place.file, (folder.path() / "missing" / "file").string());
}

TEST(WriteFile, writes_and_replaces) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  ASSERT_TRUE(write_file_atomically(path, "old").ok());
  ASSERT_TRUE(write_file_atomically(path, std::string_view("n\0w", 3)).ok());
  EXPECT_EQ(*read_file(path), std::string("n\0w", 3));
  EXPECT_EQ(folder.count(), 1u) << "a draft was left behind";
}

TEST(WriteFile, explains_a_folder_that_is_not_there) {
  const TemporaryFolder folder;
  const auto written = write_file_atomically(folder.path() / "missing" / "file", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().place.file, (folder.path() / "missing" / "file").string());
  EXPECT_EQ(written.error().exit_code, ExitCode::environment);
}

TEST(WriteFile, does_not_replace_a_folder) {
  const TemporaryFolder folder;
  const auto inside = folder.write("target/file", "kept");
  const auto written = write_file_atomically(folder.path() / "target", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(*read_file(inside), "kept");
  EXPECT_EQ(folder.count(), 1u) << "a draft was left behind";
}

// A full disk, made with a limit on file sizes in a process of its own.
TEST(WriteFile, keeps_the_old_content_when_the_new_one_does_not_fit) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old content");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto written = write_file_atomically(path, std::string(100'000, 'x'));
    ::_exit(written.ok() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the write should have failed";
  EXPECT_EQ(*read_file(path), "old content");
  EXPECT_EQ(folder.count(), 1u) << "a draft was left behind";
}

TEST(WriteFile, never_shows_a_part_to_a_reader) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  const std::string first(300'000, 'a');
  const std::string second(200'000, 'b');
  ASSERT_TRUE(write_file_atomically(path, first).ok());
  std::vector<std::thread> writers;
  for (const std::string* content : {&first, &second}) {
    writers.emplace_back([&path, content] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_file_atomically(path, *content).ok());
    });
  }
  for (int i = 0; i < 100; ++i) {
    const auto read = read_file(path);
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(*read == first || *read == second) << "read " << read->size() << " bytes";
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(folder.count(), 1u);
}

}  // namespace
}  // namespace assay
