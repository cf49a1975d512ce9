// SPDX-License-Identifier: MIT
#include "ledger/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <vector>

namespace assay::ledger {
namespace {

SQLite::Database empty_database() {
  return {":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

TEST(Schema, an_empty_database_becomes_a_ledger) {
  SQLite::Database database = empty_database();
  migrate(database);
  EXPECT_EQ(read_stamp(database).application_id, kApplicationId);
  EXPECT_EQ(read_stamp(database).version, schema_version());
  EXPECT_EQ(schema_mistake(database), "");
  migrate(database);  // a second time does nothing
  EXPECT_EQ(schema_mistake(database), "");
}

TEST(Schema, steps_lead_from_any_version_to_the_last_and_keep_the_content) {
  const std::vector<const char*> steps = {"CREATE TABLE t (a INTEGER) STRICT",
                                          "ALTER TABLE t ADD COLUMN b INTEGER NOT NULL DEFAULT 7",
                                          "CREATE TABLE u (c INTEGER) STRICT"};
  for (size_t from = 1; from <= steps.size(); ++from) {
    SQLite::Database database = empty_database();
    migrate(database, std::span(steps).first(from));
    EXPECT_EQ(read_stamp(database).version, static_cast<int>(from));
    database.exec("INSERT INTO t (a) VALUES (1)");
    migrate(database, steps);
    EXPECT_EQ(read_stamp(database).version, 3);
    EXPECT_EQ(database.execAndGet("SELECT b FROM t WHERE a = 1").getInt(), 7);
    EXPECT_EQ(schema_mistake(database, steps), "");
  }
}

TEST(Schema, a_step_that_fails_leaves_everything_as_it_was) {
  const std::vector<const char*> steps = {"CREATE TABLE t (a INTEGER)", "CREATE TABLE u (a INTEGER); CREATE NONSENSE"};
  SQLite::Database database = empty_database();
  migrate(database, std::span(steps).first(1));
  EXPECT_THROW(migrate(database, steps), SQLite::Exception);
  EXPECT_EQ(read_stamp(database).version, 1);
  EXPECT_FALSE(database.tableExists("u"));
}

TEST(Schema, a_newer_version_is_not_touched) {
  SQLite::Database database = empty_database();
  migrate(database);
  database.exec("PRAGMA user_version = 1000");
  migrate(database);
  EXPECT_EQ(read_stamp(database).version, 1000);
}

TEST(Schema, tables_that_are_not_ours_are_noticed) {
  const auto mistake_after = [](const char* change) {
    SQLite::Database database = empty_database();
    migrate(database);
    database.exec(change);
    return schema_mistake(database);
  };
  EXPECT_EQ(mistake_after("CREATE INDEX of_mine ON attempts(verdict)"), "");
  EXPECT_NE(mistake_after("DROP TABLE work_items"), "");
  EXPECT_NE(mistake_after("ALTER TABLE attempts ADD COLUMN surprise TEXT"), "");
  EXPECT_NE(mistake_after("DROP INDEX samples_by_attempt"), "");
  EXPECT_NE(mistake_after("CREATE VIEW v AS SELECT 1"), "");
  EXPECT_NE(mistake_after("CREATE TRIGGER t AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END"), "");
}

}  // namespace
}  // namespace assay::ledger
