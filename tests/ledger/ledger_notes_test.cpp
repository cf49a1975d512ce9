// SPDX-License-Identifier: MIT
// Sources and notes.
#include <SQLiteCpp/SQLiteCpp.h>

#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

class LedgerNotesTest : public testing::Test {
 protected:
  LedgerNotesTest() : file_(folder_.path() / "ledger.sqlite"), ledger_(opened(file_)) {}

  TemporaryFolder folder_;
  std::filesystem::path file_;
  Ledger ledger_;
};

TEST_F(LedgerNotesTest, sources_are_kept_once_and_found_again) {
  const std::vector<SourceFile> first{{"../tile.cuh", "int tile;\n"}, {"kernel.cu", std::string("a\0b", 3)}};
  const std::vector<SourceFile> second{{"../tile.cuh", "int tile;\n"}, {"kernel.cu", "changed"}};
  ASSERT_TRUE(ledger_.append(sample_attempt(), {}, first).ok());
  ASSERT_TRUE(ledger_.append(sample_attempt(), {}, second).ok());
  ASSERT_TRUE(ledger_.append(sample_attempt()).ok());
  EXPECT_EQ(*ledger_.sources(1), first);
  EXPECT_EQ(*ledger_.sources(2), second);
  EXPECT_TRUE(ledger_.sources(3)->empty());
  EXPECT_FALSE(ledger_.sources(4).ok());
  SQLite::Database database(file_.string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM sources").getInt(), 3);
}

TEST_F(LedgerNotesTest, a_source_that_somebody_changed_is_not_believed) {
  ASSERT_TRUE(ledger_.append(sample_attempt(), {}, std::vector<SourceFile>{{"kernel.cu", "text"}}).ok());
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("UPDATE sources SET content = x'00'");
  const auto sources = ledger_.sources(1);
  ASSERT_FALSE(sources.ok());
  EXPECT_NE(sources.error().message.find("kernel.cu"), std::string::npos) << sources.error().message;
}

TEST_F(LedgerNotesTest, notes_belong_to_an_attempt_or_a_kernel) {
  ASSERT_TRUE(ledger_.append(sample_attempt()).ok());
  ASSERT_TRUE(
      ledger_.add_note({.attempt = 1, .kernel = "", .kind = Note::Kind::hypothesis, .text = "wider loads"}).ok());
  ASSERT_TRUE(ledger_.add_note({.kernel = "old", .kind = Note::Kind::retired, .text = "0.3x of cuBLAS"}).ok());
  EXPECT_FALSE(ledger_.add_note({.attempt = 9, .text = "of nothing"}).ok());
  EXPECT_FALSE(ledger_.add_note({.text = "about nothing"}).ok());
  EXPECT_FALSE(ledger_.add_note({.attempt = 1, .text = ""}).ok());
  const auto notes = ledger_.notes();
  ASSERT_EQ(notes->size(), 2u);
  EXPECT_EQ((*notes)[0].kernel, sample_attempt().kernel);
  EXPECT_EQ((*notes)[0].attempt, 1);
  EXPECT_EQ((*notes)[1].kind, Note::Kind::retired);
  EXPECT_EQ((*notes)[1].attempt, std::nullopt);
}

}  // namespace
}  // namespace assay::ledger
