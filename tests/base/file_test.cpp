// SPDX-License-Identifier: MIT
#include "base/file.hpp"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

TEST(ReadFile, refuses_what_is_no_file_without_waiting) {
  const TemporaryFolder folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto from_fifo = read_file(fifo);
  ASSERT_FALSE(from_fifo.ok());
  EXPECT_EQ(from_fifo.error().message, "expected a file, found a FIFO");
  EXPECT_EQ(from_fifo.error().exit_code, ExitCode::usage);
  EXPECT_EQ(read_file("/dev/zero").error().message, "expected a file, found a device");
  std::filesystem::create_symlink(fifo, folder.path() / "link");
  EXPECT_FALSE(read_file(folder.path() / "link").ok());
  std::vector<uint8_t> buffer(4);
  EXPECT_FALSE(read_file_into(fifo, buffer).ok());
}

TEST(WriteFile, writes_through_a_link_and_leaves_it_one) {
  const TemporaryFolder folder;
  folder.write("there/file", "old");
  const auto link = folder.path() / "link";
  std::filesystem::create_symlink("there/file", link);
  std::filesystem::create_symlink("link", folder.path() / "second");
  ASSERT_TRUE(write_file_atomically(folder.path() / "second", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(*read_file(folder.path() / "there" / "file"), "new");
  std::filesystem::create_symlink("there/none yet", folder.path() / "dangling");
  ASSERT_TRUE(write_file_atomically(folder.path() / "dangling", "made").ok());
  EXPECT_EQ(*read_file(folder.path() / "there" / "none yet"), "made");
  std::filesystem::create_symlink("round", folder.path() / "round");
  EXPECT_FALSE(write_file_atomically(folder.path() / "round", "x").ok());
}

TEST(WriteFile, keeps_the_permissions_of_the_file) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  ASSERT_TRUE(write_file_atomically(path, "new").ok());
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
}

TEST(WriteFile, replaces_no_device_and_no_fifo) {
  const TemporaryFolder folder;
  // By links: a mistake here must not cost the machine its /dev/null.
  for (const char* name : {"null", "full"})
    std::filesystem::create_symlink(std::string("/dev/") + name, folder.path() / name);
  ASSERT_TRUE(write_file_atomically(folder.path() / "null", "gone").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    std::ifstream stream(fifo);
    read.assign(std::istreambuf_iterator<char>(stream), {});
  });
  const std::string content(200'000, 'x');  // more than it holds at a time
  EXPECT_TRUE(write_file_atomically(fifo, content).ok());
  reader.join();
  EXPECT_EQ(read, content);
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  EXPECT_FALSE(write_file_atomically(folder.path() / "full", "x").ok());
}

// As "assay ... --sarif /dev/stdout > out": after what was printed, in the same file.
TEST(WriteFile, writes_to_the_standard_output_that_is_a_file) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  for (const char* device : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const auto name = folder.path() / "link";  // not the device itself: a mistake must not cost the machine its own
    std::filesystem::remove(name);
    std::filesystem::create_symlink(device, name);
    std::fflush(nullptr);  // what this program has printed is not the child's
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
      std::printf("before ");
      const bool written = write_file_atomically(name, "report ").ok();
      std::printf("after");
      std::fflush(stdout);
      ::_exit(written ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << name;
    EXPECT_EQ(*read_file(out), "before report after") << name;
  }
  EXPECT_EQ(folder.count(), 2u);
}

TEST(WriteFile, removes_the_draft_of_a_writer_that_was_killed) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  const auto draft = folder.write("file.draft", "half");
  ASSERT_TRUE(write_file_atomically(path, "one").ok());
  EXPECT_TRUE(std::filesystem::exists(draft)) << "its writer may be at it just now";
  EXPECT_EQ(*read_file(path), "one");
}

TEST(CreateFile, makes_a_file_once) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  EXPECT_TRUE(*create_file(path, "first"));
  EXPECT_FALSE(*create_file(path, "second"));
  EXPECT_EQ(*read_file(path), "first");
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_FALSE(create_file(folder.path() / "missing" / "file", "x").ok());
}

}  // namespace
}  // namespace assay
