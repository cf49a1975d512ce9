// SPDX-License-Identifier: MIT
#include "vgpu/machine/bulk_copy.hpp"

#include <gtest/gtest.h>
#include <string>

namespace assay::vgpu {
namespace {

std::byte* bytes_of(std::string& text) {
  return reinterpret_cast<std::byte*>(text.data());
}

BulkCopy copy_all(std::string& to, std::string& from) {
  BulkCopy copy;
  copy.add(bytes_of(to), bytes_of(from), static_cast<uint32_t>(from.size()));
  return copy;
}

TEST(BulkCopy, NeighboursAreOnePiece) {
  std::string from = "0123456789";
  std::string to(10, '.');
  BulkCopy copy;
  copy.fill = std::byte{'#'};
  copy.add(bytes_of(to), bytes_of(from), 2);
  copy.add(bytes_of(to) + 2, bytes_of(from) + 2, 2);
  copy.add(bytes_of(to) + 4, nullptr, 1);
  copy.add(bytes_of(to) + 5, nullptr, 1);
  copy.add(bytes_of(to) + 6, bytes_of(from) + 4, 1);
  EXPECT_EQ(copy.pieces.size(), 3u);
  EXPECT_EQ(to, "..........") << "nothing moves before its time";
  copy.perform();
  EXPECT_EQ(to, "0123##4...");
}

TEST(BulkStores, ReadTheirSourceWhenTheyAreAwaited) {
  std::string source = "early";
  std::string target = ".....";
  BulkStores stores;
  stores.issue(3, copy_all(target, source));
  stores.commit(1u << 3);
  source = "later";
  stores.wait(1u << 2, 0);
  EXPECT_EQ(target, ".....") << "another lane's wait";
  stores.wait(1u << 3, 1);
  EXPECT_EQ(target, ".....") << "one group may stay open";
  stores.wait(1u << 3, 0);
  EXPECT_EQ(target, "later");
}

TEST(BulkStores, WaitForCommittedGroupsAlone) {
  std::string source = "x";
  std::string target = ".";
  BulkStores stores;
  stores.issue(0, copy_all(target, source));
  stores.wait(1, 0);
  EXPECT_EQ(target, ".") << "not committed";
  stores.finish(1);
  EXPECT_EQ(target, "x") << "a thread that ends leaves nothing behind";
}

TEST(BulkStores, OldestGroupsAreDoneFirst) {
  std::string source = "x";
  std::string first = ".";
  std::string second = ".";
  BulkStores stores;
  stores.issue(0, copy_all(first, source));
  stores.commit(1);
  stores.issue(0, copy_all(second, source));
  stores.commit(1);
  stores.wait(1, 1);
  EXPECT_EQ(first, "x");
  EXPECT_EQ(second, ".");
}

}  // namespace
}  // namespace assay::vgpu
