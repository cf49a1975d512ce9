// SPDX-License-Identifier: MIT
// assay_attention.h is C: the C compiler, where there is one, takes it with all warnings on.
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace {

TEST(Header, CompilesAsC) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler (cc)";
  const std::string command =
      std::string(
          "printf '#include \"assay_attention.h\"\\nint main(void){assay_attention_call c = {0}; return (int)"
          "c.struct_size + ASSAY_ATTENTION_OK;}\\n' | cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I'") +
      ASSAY_SOURCE_DIR + "/kernels/attention/library' -x c -";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
