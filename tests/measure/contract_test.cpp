// SPDX-License-Identifier: MIT
#include "measure/contract.hpp"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

Contract sample_contract() {
  Contract contract;
  contract.set("device.name", "H200");
  contract.set("device.driver", "580.1");
  contract.set("protocol.cache", "warm");
  contract.set("candidate.source", "abc");
  contract.set("machine.gpu", "GPU-1");
  contract.set("seed", "7");
  return contract;
}

TEST(Contract, keeps_the_last_value_of_a_field) {
  Contract contract = sample_contract();
  EXPECT_EQ(contract.value("device.driver"), "580.1");
  contract.set("device.driver", "570.2");
  EXPECT_EQ(contract.value("device.driver"), "570.2");
  EXPECT_EQ(contract.value("device.nothing"), "");
  EXPECT_EQ(contract.fields().size(), 6u);
}

TEST(Contract, is_bound_by_all_but_the_kernel_the_machine_and_the_seed) {
  for (const char* field : {"device.name", "protocol.cache", "library.torch", "problem.shape", "compiler", "seeds"})
    EXPECT_TRUE(Contract::binds(field)) << field;
  for (const char* field : {"candidate.source", "candidate.flags", "machine.gpu", "seed"})
    EXPECT_FALSE(Contract::binds(field)) << field;
}

TEST(Contract, hashes_what_binds_and_nothing_else) {
  const Contract contract = sample_contract();
  EXPECT_EQ(contract.hash().size(), 32u);
  EXPECT_EQ(contract.hash(), sample_contract().hash());
  for (const char* field : {"candidate.source", "machine.gpu", "seed", "candidate.new"}) {
    Contract other = sample_contract();
    other.set(field, "another");
    EXPECT_EQ(other.hash(), contract.hash()) << field;
    EXPECT_NE(other, contract);
  }
  for (const char* field : {"device.name", "device.driver", "protocol.cache", "library.torch"}) {
    Contract other = sample_contract();
    other.set(field, "another");
    EXPECT_NE(other.hash(), contract.hash()) << field;
  }
}

TEST(Contract, hashes_fields_apart_from_each_other) {
  Contract one;
  one.set("a", "bc");
  Contract other;
  other.set("ab", "c");
  EXPECT_NE(one.hash(), other.hash());
}

TEST(Contract, names_differences_on_one_line_each) {
  Contract other = sample_contract();
  other.set("device.driver", "1\nPASS \x1b[2J");
  EXPECT_EQ(differences(sample_contract(), other),
            (std::vector<std::string>{"device.driver: 580.1 against 1\\nPASS \\u001b[2J"}));
}

TEST(Contract, names_each_difference) {
  const Contract one = sample_contract();
  Contract other = sample_contract();
  EXPECT_TRUE(differences(one, other).empty());
  other.set("candidate.source", "def");
  other.set("machine.gpu", "GPU-2");
  other.set("seed", "8");
  EXPECT_TRUE(differences(one, other).empty());
  other.set("device.driver", "570.2");
  other.set("library.torch", "2.11");
  EXPECT_EQ(differences(one, other),
            (std::vector<std::string>{"device.driver: 580.1 against 570.2", "library.torch: nothing against 2.11"}));
  EXPECT_EQ(differences(other, one),
            (std::vector<std::string>{"device.driver: 570.2 against 580.1", "library.torch: 2.11 against nothing"}));
}

}  // namespace
}  // namespace assay::measure
