// SPDX-License-Identifier: MIT
#include "ptx/variable_name.hpp"

#include <gtest/gtest.h>

namespace assay::ptx {
namespace {

using Names = std::vector<std::string>;

// As nvcc 13.0 writes them: two of an anonymous namespace, one in ns, one that is plain, a template's.
const std::string kFile = "_INTERNAL_613f2921_4_a_cu_scale";
const std::string kAnonymousTable = "_ZN31" + kFile + "33_GLOBAL__N__613f2921_4_a_cu_scale7c_tableE";
const std::string kHidden = "_ZN31" + kFile + "2ns33_GLOBAL__N__613f2921_4_a_cu_scale6hiddenE";
const std::string kTable = "_ZN2ns7c_tableE";
const std::string kTemplate = "_Z7d_templILi3EE";
const Names kSymbols = {"d_plain", kTemplate, kAnonymousTable, kHidden, kTable};

TEST(VariableName, IsWhatTheSourceCallsIt) {
  EXPECT_EQ(readable_variable(kHidden), "ns::(anonymous namespace)::hidden");
  EXPECT_EQ(readable_variable(kTable), "ns::c_table");
  EXPECT_EQ(readable_variable("d_plain"), "d_plain");
}

// With -rdc=true.
TEST(VariableName, ForgetsTheFileThatItIsStaticIn) {
  EXPECT_EQ(readable_variable("__nv_static_22__613f2921_4_a_cu_scale_c_static"), "c_static");
  EXPECT_EQ(readable_variable("__nv_static_22__613f2921_4_a_cu_scale_" + kHidden), "ns::(anonymous namespace)::hidden");
  for (const char* other : {"__nv_static_", "__nv_static_22", "__nv_static_22__613f", "__nv_static_x_y",
                            "__nv_static_99999999999999999999_y", "__nv_static_18446744073709551615_y",
                            "__nv_static_18446744073709551614_y", "__nv_static_0__"})
    EXPECT_EQ(readable_variable(other), other);
}

TEST(VariableName, MeansTheOneThatFits) {
  EXPECT_EQ(variables_named("d_plain", kSymbols), Names{"d_plain"});
  EXPECT_EQ(variables_named("hidden", kSymbols), Names{kHidden});
  EXPECT_EQ(variables_named("ns::hidden", kSymbols), Names{kHidden});
  EXPECT_EQ(variables_named("(anonymous namespace)::hidden", kSymbols), Names{kHidden});
  EXPECT_EQ(variables_named("ns::c_table", kSymbols), Names{kTable});
  EXPECT_EQ(variables_named("(anonymous namespace)::c_table", kSymbols), Names{kAnonymousTable});
  EXPECT_EQ(variables_named("d_templ< 3 >", kSymbols), Names{kTemplate});
  EXPECT_EQ(variables_named(kTable, kSymbols), Names{kTable});
}

TEST(VariableName, MeansNoneThatOnlyEndsAlike) {
  for (const char* other : {"", "table", "idden", "s::c_table", "::", "other::c_table", "d_templ<4>"})
    EXPECT_EQ(variables_named(other, kSymbols), Names{}) << other;
}

TEST(VariableName, OfSeveralIsTheUsersChoice) {
  EXPECT_EQ(variables_named("c_table", kSymbols), (Names{kAnonymousTable, kTable}));
  EXPECT_EQ(list_variables({kAnonymousTable, kTable}), "(anonymous namespace)::c_table, ns::c_table");
  const std::string twin = "_ZN31_INTERNAL_713f2921_4_b_cu_scale33_GLOBAL__N__713f2921_4_b_cu_scale7c_tableE";
  EXPECT_EQ(list_variables({kAnonymousTable, twin}), kAnonymousTable + ", " + twin);
  EXPECT_EQ(list_variables({}), "none");
}

TEST(VariableName, OneThatIsThereAsItStandsNeedsNoChoice) {
  EXPECT_EQ(variables_named("c_table", {"c_table", kAnonymousTable, kTable}), Names{"c_table"});
}

TEST(VariableName, AllOfAText) {
  EXPECT_EQ(variables_of(".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .u32 a;\n"
                         ".const .align 4 .b8 b[8];\n"),
            (Names{"a", "b"}));
  EXPECT_EQ(variables_of("rubbish"), Names{});
}

}  // namespace
}  // namespace assay::ptx
