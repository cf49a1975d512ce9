// SPDX-License-Identifier: MIT
// A folder that several machines share: what is to be done, who does it, and what came of it. Every step is one file
// that appears whole (written, flushed, linked), so that it holds on network file systems too, where locks and
// databases do not.
//
//   items/000017-HASH           what is to be done
//   claims/000017-HASH.2        the second try at it, and whose; its time of change is the lease
//   claims/000017-HASH.2.back   that try was given back: the next may begin at once
//   results/000017-HASH.2       what came of it
//   workers/NAME                who is there; its time of change says when last
//   coordinator                 changed while somebody waits for results
//   stop                        workers end
//
// The number of a try is its fencing number: whoever lost the lease to a later try publishes nothing. Should two
// results come all the same, as from a machine that slept, one of them counts.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::cluster {

struct Claim {
  std::string item;  // its name
  int number = 0;    // of the try, from 1
  std::string content;
};

struct Outcome {
  std::string item;
  int number = 0;      // of the try that it comes from
  std::string result;  // what the worker wrote; empty: given up, because too many workers were lost over it
};

// How the tries at one item stand.
struct Tries {
  int last = 0;
  bool given_back = false;  // the last one
  int lost = 0;             // ended without a result and were not given back, the last one not counted
};

class WorkFolder {
 public:
  // Tries that a worker was lost over; then the item is given up.
  static constexpr int kMostLost = 3;

  static Result<WorkFolder> create(const std::filesystem::path& folder, std::chrono::milliseconds lease);
  static Result<WorkFolder> open(const std::filesystem::path& folder);  // one that create() made

  const std::filesystem::path& folder() const { return folder_; }
  std::chrono::milliseconds lease() const { return lease_; }

  // --- who wants the work
  // The item's name. The same content is one item, also if an earlier run put it there. `only_for`: a device's name;
  // empty: any worker's.
  Result<std::string> put(const std::string& content, const std::string& only_for = "");
  Result<std::vector<Outcome>> outcomes();  // that were not returned before
  Result<void> attend();                    // somebody waits: workers need not give up
  Result<void> stop();
  Result<void> reopen();                             // after a stop
  std::vector<std::string> present_workers() const;  // what they said of themselves, if their lease holds

  // --- who does it
  Result<void> present(const std::string& worker, const std::string& about) const;
  Result<std::optional<Claim>> claim(const std::string& worker, const std::string& device);
  Result<bool> renew(const Claim& claim) const;                               // false: another one has it now
  Result<bool> publish(const Claim& claim, const std::string& result) const;  // false: another one has it now
  Result<void> give_back(const Claim& claim) const;
  bool stopped() const;
  bool attended(std::chrono::milliseconds within) const;

 private:
  WorkFolder(std::filesystem::path folder, std::chrono::milliseconds lease)
      : folder_(std::move(folder)), lease_(lease) {}
  Result<std::map<std::string, Tries>> tries() const;
  Result<std::set<std::string>> finished() const;
  // By the file system's clock; nothing if it cannot be asked, and then no lease has run out.
  std::optional<std::chrono::milliseconds> now() const;
  std::filesystem::path claim_file(const std::string& item, int number) const;

  std::filesystem::path folder_;
  std::chrono::milliseconds lease_;
  std::map<std::string, std::string> names_;     // of items, by their hash
  std::map<std::string, std::string> contents_;  // of items that were read
  std::set<std::string> told_;
};

}  // namespace assay::cluster
