// SPDX-License-Identifier: MIT
// Recorded results, for figures whose ledger is not at hand: a table of plain text that says where it comes from.
//
//   # assay results 1
//   # what: forward attention beside SDPA
//   # kind: measured                      (or counted, estimated)
//   # device: NVIDIA H200
//   # date: 2026-11-16
//   # versions: driver 580.159.04, CUDA 13.0
//   # command: python3 bench.py time
//   shape  mask    ours   cudnn
//   small  full    5.79    9.21
//
// The first line without # names the columns; blanks part them. A word with blanks stands in quotes; - is no value.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::claims {

struct ResultsFile {
  std::map<std::string, std::string> facts;
  nlohmann::json rows = nlohmann::json::array();  // objects: numbers, and texts for what is none
};

// A table that lacks a fact which its kind needs is an error, and so is a row of another length.
Result<ResultsFile> read_results(std::string_view text, const std::string& file);

// A results file, or any JSON document.
Result<nlohmann::json> load_recorded(const std::filesystem::path& file);

}  // namespace assay::claims
