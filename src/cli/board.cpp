// SPDX-License-Identifier: MIT
// assay board: groups of ties for each kernel, device and shape.
#include "assay/board.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/escape.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

std::string board_text(const work::Board& board, const report::Terminal& terminal) {
  report::Table table({"group", "contender", "p50", "ratio", "interval", "attempt", "commit", "cost"});
  for (const work::BoardEntry& each : board.entries)
    table.add({fmt::format("{}", each.group), each.variant.empty() ? each.name : each.name + " " + each.variant,
               fmt::format("{:.2f} us", each.p50_us), fmt::format("{:.3f}", each.ratio),
               fmt::format("{:.3f} to {:.3f}", each.low, each.high), fmt::format("{}", each.attempt),
               each.commit.substr(0, 10), each.cost ? fmt::format("{:.4f}", *each.cost) : ""});
  return fmt::format("{} {} on {}, {}\n{}", escape_terminal(board.kernel), escape_terminal(board.shape),
                     escape_terminal(board.gpu), escape_terminal(board.protocol), table.render(terminal));
}

class BoardCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("kernel", kernels_, "only these kernels; * stands for any text", {0, kMany});
    line.option("--device", request_.device, "only this device; with * and ?");
    line.option("--since", request_.since, "only what was measured since");
    line.option("--ledger", request_.ledger, "the ledger to look at");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& /*context*/) override {
    if (kernels_.empty()) kernels_.emplace_back();
    work::BoardReport report;
    for (const std::string& kernel : kernels_) {
      request_.kernel = kernel;
      ASSAY_TRY(work::BoardReport found, work::board(request_));
      report.ledger = found.ledger;
      std::ranges::move(found.boards, std::back_inserter(report.boards));
    }
    if (json()) {
      print_document(to_json(report));
      return ExitCode::good;
    }
    const report::Terminal terminal;
    for (const work::Board& each : report.boards) print(board_text(each, terminal) + "\n");
    if (report.boards.empty()) print("nothing was measured; assay bench records what it measures\n");
    return ExitCode::good;
  }

 private:
  work::BoardRequest request_;
  std::vector<std::string> kernels_;
};

}  // namespace

CommandEntry board_command() {
  return {"board", "who is fastest: groups of ties per kernel, device and shape",
          [] { return std::unique_ptr<Command>(new BoardCommand); }};
}

}  // namespace assay::cli
