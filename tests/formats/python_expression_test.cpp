// SPDX-License-Identifier: MIT
#include "formats/python_expression.hpp"

#include <gtest/gtest.h>

#include "formats/python_list.hpp"
#include "formats/python_module.hpp"
#include "formats/torch_inputs.hpp"

namespace assay::formats {
namespace {

TEST(PythonExpression, BecomesAnExpressionOfKernelToml) {
  const auto is = [](const char* python, const char* ours) {
    const auto expression = python_to_expression(python);
    ASSERT_TRUE(expression.ok()) << python << ": " << expression.error().message;
    EXPECT_EQ(*expression, ours) << python;
  };
  is("8192 // BLOCK_M", "floor(8192/BLOCK_M)");
  is("BLOCK_M * STAGES <= 256", "(BLOCK_M * STAGES) <= 256");
  is("a and not b or c == 1", "(a && !b) || (c == 1)");
  is("2 ** 10 - 1", "pow(2, 10) - 1");
  is("1 <= x < 5", "(1 <= x) && (x < 5)");
  is("n if n > 0 else 1", "((n > 0) ? n : 1)");
  is("x in [1, 2]", "(x == 1 || x == 2)");
  is("math.ceil(n / 3) % 2", "ceil((n / 3)) % 2");
  is("-x + +3", "-x + 3");
  is("True", "true");
  is("1_000", "1000");
}

TEST(PythonExpression, WhatItIsNotIsRefused) {
  for (const char* text : {"", "1 +", "f(x)", "'word'", "[1, 2]", "x = 1", "lambda: 1", "x[0]", "a.b", "(1", "1 2",
                           "99999999999999999999", "a if b", "None", "__import__('os').system('x')", "1e999"}) {
    EXPECT_FALSE(python_to_expression(text).ok()) << text;
  }
  EXPECT_FALSE(python_to_expression(std::string(5000, '(')).ok());
  std::string brackets(100, '(');
  EXPECT_FALSE(python_to_expression("-x" + brackets).ok());
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_FALSE(python_to_expression(sum).ok());
  EXPECT_FALSE(python_to_expression("a < (b < c < d) < (e < f < g) < h").ok());  // would double at each level
}

TEST(PythonExpression, ListsOfWholeNumbersAreMade) {
  const auto listed = [](std::string_view text) {
    const auto node = parse_python_list(text);
    return node ? python_listed(*node, {}) : std::nullopt;
  };
  using Values = std::vector<int64_t>;
  EXPECT_EQ(listed("[32*i for i in range(1, 5)]"), (Values{32, 64, 96, 128}));
  EXPECT_EQ(listed("list(range(3))"), (Values{0, 1, 2}));
  EXPECT_EQ(listed("[1, 2] + [2**k for k in range(4, 1, -1)]"), (Values{1, 2, 16, 8, 4}));
  EXPECT_EQ(listed("[x for x in [5, 3]]"), (Values{5, 3}));
  for (const char* const text : {"[i for i in range(9) if i % 2]", "[i for j in range(3)]", "range(1, 5, 0)", "range()",
                                 "range(10**9)", "[i for in range(2)]", "[i for i in open('x')]", "7"})
    EXPECT_FALSE(listed(text)) << text;
  EXPECT_FALSE(parse_python("[i for i in range(3)]").ok()) << "a module that does more than state its inputs";
}

TEST(PythonModule, ConstantsAndReturnedListsAreToldFromTheText) {
  const PythonModule module = PythonModule::read(R"py("""A task: x = 5"""
import torch
ROWS, COLUMNS = 64, 2 * 128  # sizes
shape = (ROWS, 3)
WORD = "no"
ROWS2 = ROWS // 2 - \
  1
class Model(nn.Module):
    inner = 7
    def forward(self, x, weight: torch.Tensor, eps=1e-5): return x
def get_inputs():
    n = COLUMNS
    x = torch.rand(ROWS, n)
    return [x, torch.randn(*shape, dtype=torch.float16), torch.randint(0, 10, (ROWS2,)).cuda(), 3, 0.5,
            torch.rand(2) * 2 - 1, unknown(4)]
def other(): return [1]
)py");
  ASSERT_EQ(module.constants().size(), 4u);
  EXPECT_EQ(module.constants()[1].second.integer, 256);
  EXPECT_EQ(module.constants()[3].second.integer, 31);
  EXPECT_TRUE(module.defines("Model"));
  EXPECT_FALSE(module.defines("inner"));
  const auto returned = module.returned("get_inputs");
  ASSERT_TRUE(returned);
  std::vector<Lost> lost;
  const std::vector<TaskTensor> tensors = torch_inputs(*returned, {}, "f", lost);
  ASSERT_EQ(tensors.size(), 7u);
  EXPECT_EQ(tensors[0].name, "x");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::string>{"ROWS", "n"}));
  EXPECT_EQ(tensors[0].fill, "{ kind = \"uniform\", low = 0, high = 1 }");
  EXPECT_EQ(tensors[1].shape, (std::vector<std::string>{"64", "3"}));
  EXPECT_EQ(tensors[1].dtype, "f16");
  EXPECT_EQ(tensors[2].dtype, "i64");
  EXPECT_EQ(tensors[2].shape, (std::vector<std::string>{"ROWS2"}));
  EXPECT_TRUE(tensors[3].scalar);
  EXPECT_EQ(tensors[4].value, "0.5");
  EXPECT_EQ(tensors[5].shape, (std::vector<std::string>{"2"}));
  EXPECT_TRUE(tensors[6].shape.empty());
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_NE(lost[0].why.find("changed"), std::string::npos);
  EXPECT_NE(lost[1].why.find("does not tell"), std::string::npos);
  EXPECT_FALSE(module.returned("missing"));
  EXPECT_TRUE(module.returned("other"));
}

TEST(PythonModule, AFunctionThatDoesMoreIsNotGuessedAt) {
  EXPECT_FALSE(
      PythonModule::read("def get_inputs():\n  for i in range(3): pass\n  return [1]\n").returned("get_inputs"));
  EXPECT_FALSE(PythonModule::read("def get_inputs():\n  pass\n").returned("get_inputs"));
  EXPECT_FALSE(PythonModule::read("def get_inputs():\n  return [x for x in y]\n").returned("get_inputs"));
  EXPECT_EQ(parameters_of("class Model(nn.Module):\n  def forward(self, x: List[int], *rest, y=(1, 2)): pass\n",
                          "Model", "forward"),
            (std::vector<std::string>{"x", "y"}));
}

}  // namespace
}  // namespace assay::formats
