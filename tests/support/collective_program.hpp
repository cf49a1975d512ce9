// SPDX-License-Identifier: MIT
// Random programs of warp collectives under random masks and divergence, and what the manual says that they do. The
// model knows threads and nothing of warps' paths: every thread walks through its own list of collectives, and waits at
// each until all threads of its member mask that have not ended wait with the same mask. If they are at different
// collectives, or a thread is not in its own mask, the behaviour is undefined; if somebody waits for ever, it hangs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace assay::test {

inline constexpr int kWarpThreads = 32;
inline constexpr uint32_t kWholeWarp = 0xffff'ffff;

// Bytes decide; behind the last one a generator goes on from them.
class Decisions {
 public:
  Decisions(const uint8_t* bytes, size_t size) : bytes_(bytes), size_(size) {
    for (size_t i = 0; i < size; ++i) state_ = (state_ ^ bytes[i]) * 0x100000001b3ULL;
  }
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(word() % count); }
  bool once_in(uint32_t count) { return below(count) == 0; }
  uint32_t word() {
    if (used_ < size_) {
      const uint32_t byte = bytes_[used_++];
      return byte * 0x9e3779b1u >> 7 ^ static_cast<uint32_t>(used_) * 0x85ebca6bu;
    }
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return static_cast<uint32_t>(z ^ z >> 31);
  }
  uint32_t subset(uint32_t of) { return word() & of; }

 private:
  const uint8_t* bytes_;
  size_t size_;
  size_t used_ = 0;
  uint64_t state_ = 0xcbf29ce484222325ULL;
};

enum class Collective : uint8_t {
  shfl_idx,
  shfl_up,
  shfl_down,
  shfl_bfly,
  vote_all,
  vote_any,
  vote_uni,
  ballot,
  match_any,
  match_any_wide,
  match_all,
  match_all_wide,
  redux_add,
  redux_min_unsigned,
  redux_max_unsigned,
  redux_min_signed,
  redux_max_signed,
  redux_and,
  redux_or,
  redux_xor,
  elect,
  barrier,
};
inline constexpr uint32_t kCollectives = static_cast<uint32_t>(Collective::barrier) + 1;

// One place of the program.
struct CollectiveSite {
  Collective kind = Collective::barrier;
  std::array<uint32_t, kWarpThreads> masks{};
  std::array<uint32_t, kWarpThreads> b{};  // of shuffles
  uint32_t c = 31;
  uint32_t defined = 0;  // lanes whose shuffle reads from a thread that takes part; the others' result is not used
};

struct ProgramNode {
  enum class Kind : uint8_t { collective, branch, exit } kind = Kind::collective;
  size_t site = 0;                         // of a collective
  uint32_t lanes = 0;                      // that take the first arm, or end
  std::vector<ProgramNode> first, second;  // arms
};

struct CollectiveProgram {
  uint32_t threads = kWarpThreads;
  std::vector<CollectiveSite> sites;
  std::vector<ProgramNode> nodes;

  uint32_t existing() const { return threads == kWarpThreads ? kWholeWarp : (1u << threads) - 1; }
};

class ProgramGenerator {
 public:
  explicit ProgramGenerator(Decisions& decisions) : decisions_(decisions) {}

  CollectiveProgram generate() {
    if (decisions_.once_in(4)) program_.threads = 1 + decisions_.below(kWarpThreads);
    program_.nodes = sequence(program_.existing(), 0);
    return std::move(program_);
  }

 private:
  static constexpr size_t kMostSites = 24;
  static constexpr int kDeepest = 3;

  std::vector<ProgramNode> sequence(uint32_t lanes, int depth) {
    std::vector<ProgramNode> nodes;
    const uint32_t count = 1 + decisions_.below(3);
    for (uint32_t i = 0; i < count && lanes != 0 && program_.sites.size() < kMostSites; ++i) {
      const uint32_t what = decisions_.below(10);
      if (what < 5 || depth == kDeepest) {
        nodes.push_back(collective(any_kind(), groups_of(lanes)));
      } else if (what < 7) {
        ProgramNode node;
        node.kind = ProgramNode::Kind::branch;
        node.lanes = decisions_.subset(lanes);
        node.first = sequence(node.lanes, depth + 1);
        node.second = sequence(lanes & ~node.lanes, depth + 1);
        nodes.push_back(std::move(node));
      } else if (what < 9) {
        nodes.push_back(meeting(lanes, 0));
      } else {
        ProgramNode node;
        node.kind = ProgramNode::Kind::exit;
        node.lanes = decisions_.subset(decisions_.subset(lanes));
        lanes &= ~node.lanes;
        nodes.push_back(std::move(node));
      }
    }
    return nodes;
  }

  // The arms of a branch execute the same collective with the same masks.
  ProgramNode meeting(uint32_t lanes, int depth) {
    const Collective kind = any_kind();
    const auto masks = groups_of(lanes);
    ProgramNode node;
    node.kind = ProgramNode::Kind::branch;
    node.lanes = decisions_.subset(lanes);
    node.first.push_back(collective(kind, masks));
    if (depth == 0 && decisions_.once_in(3)) {
      ProgramNode inner;
      inner.kind = ProgramNode::Kind::branch;
      inner.lanes = decisions_.subset(lanes & ~node.lanes);
      inner.first.push_back(collective(kind, masks));
      inner.second.push_back(collective(kind, masks));
      node.second.push_back(std::move(inner));
    } else {
      const bool wrong = decisions_.once_in(32);  // undefined
      node.second.push_back(collective(wrong ? any_kind() : kind, masks));
    }
    return node;
  }

  Collective any_kind() { return static_cast<Collective>(decisions_.below(kCollectives)); }

  std::array<uint32_t, kWarpThreads> groups_of(uint32_t lanes) {
    std::array<uint32_t, kWarpThreads> masks{};
    if (decisions_.once_in(3)) {
      masks.fill(lanes);
    } else {
      for (uint32_t left = lanes; left != 0;) {
        uint32_t group = decisions_.subset(left) | (left & (~left + 1));
        if (decisions_.once_in(3)) group = left;
        for (int lane = 0; lane < kWarpThreads; ++lane) {
          if ((group >> lane & 1) != 0) masks[static_cast<size_t>(lane)] = group;
        }
        left &= ~group;
      }
    }
    if (decisions_.once_in(64)) masks[decisions_.below(kWarpThreads)] = decisions_.word();  // mostly undefined
    return masks;
  }

  ProgramNode collective(Collective kind, const std::array<uint32_t, kWarpThreads>& masks) {
    CollectiveSite site;
    site.kind = kind;
    site.masks = masks;
    for (uint32_t& b : site.b) b = decisions_.below(kWarpThreads);
    if (kind == Collective::shfl_up)
      site.c = decisions_.once_in(2) ? 0 : 0x1800;
    else
      site.c = decisions_.once_in(2) ? 31 : 0x1807;
    ProgramNode node;
    node.site = program_.sites.size();
    program_.sites.push_back(site);
    return node;
  }

  Decisions& decisions_;
  CollectiveProgram program_;
};

// --- the model

struct ModelOutcome {
  enum class Kind : uint8_t { values, undefined, hangs } kind = Kind::values;
  std::array<uint32_t, kWarpThreads> values{};
};

inline constexpr uint32_t kMixer = 0x9e3779b1;
inline constexpr uint32_t kPredicateValue = 0x01234567;

class CollectiveModel {
 public:
  // Notes in the program's sites which shuffles have a defined result.
  explicit CollectiveModel(CollectiveProgram& program) : program_(program) {
    for (uint32_t lane = 0; lane < program.threads; ++lane) {
      value_[lane] = lane * 0x01000193u ^ 0x5bd1e995u;
      walk(program.nodes, lane);
      settle(lane);
    }
  }

  ModelOutcome run() {
    bool undefined = false;
    for (bool moved = true; moved && !undefined;) {
      moved = false;
      for (uint32_t lane = 0; lane < program_.threads && !moved; ++lane) {
        if (!waits(lane)) continue;
        const uint32_t mask = mask_of(lane);
        if ((mask >> lane & 1) == 0) undefined = true;
        const uint32_t members = mask & live_;
        bool all_wait = true;
        bool same_kind = true;
        for (uint32_t other = 0; other < program_.threads; ++other) {
          if ((members >> other & 1) == 0) continue;
          all_wait &= waits(other) && mask_of(other) == mask;
          same_kind &= !waits(other) || site_of(other).kind == site_of(lane).kind;
        }
        if (!all_wait || undefined) continue;
        if (!same_kind) undefined = true;
        if (undefined) break;
        execute(members);
        moved = true;
      }
    }
    if (undefined) return {ModelOutcome::Kind::undefined, {}};
    if (live_ != 0) return {ModelOutcome::Kind::hangs, {}};
    return {ModelOutcome::Kind::values, value_};
  }

 private:
  // Whether the lane goes on behind the nodes.
  bool walk(const std::vector<ProgramNode>& nodes, uint32_t lane) {
    for (const ProgramNode& node : nodes) {
      const bool named = (node.lanes >> lane & 1) != 0;
      if (node.kind == ProgramNode::Kind::collective) trace_[lane].push_back(node.site);
      if (node.kind == ProgramNode::Kind::exit && named) return false;
      if (node.kind == ProgramNode::Kind::branch && !walk(named ? node.first : node.second, lane)) return false;
    }
    return true;
  }

  bool waits(uint32_t lane) const { return (live_ >> lane & 1) != 0; }
  void settle(uint32_t lane) {
    const bool waiting = at_[lane] < trace_[lane].size();
    live_ = (live_ & ~(1u << lane)) | static_cast<uint32_t>(waiting) << lane;
  }
  CollectiveSite& site_of(uint32_t lane) { return program_.sites[trace_[lane][at_[lane]]]; }
  uint32_t mask_of(uint32_t lane) { return site_of(lane).masks[lane] & program_.existing(); }

  void execute(uint32_t members) {
    std::array<uint32_t, kWarpThreads> next = value_;
    for (uint32_t lane = 0; lane < kWarpThreads; ++lane) {
      if ((members >> lane & 1) != 0) next[lane] = result(lane, members);
    }
    value_ = next;
    for (uint32_t lane = 0; lane < kWarpThreads; ++lane) {
      if ((members >> lane & 1) == 0) continue;
      ++at_[lane];
      settle(lane);
    }
  }

  uint32_t mixed(uint32_t lane, uint32_t result, bool predicate) const {
    return value_[lane] * kMixer + result + (predicate ? kPredicateValue : 0);
  }

  uint32_t result(uint32_t lane, uint32_t members) {
    CollectiveSite& site = site_of(lane);
    uint32_t holds = 0;  // whose value is odd
    uint32_t alike = 0;  // as this lane's in two bits
    uint32_t total = 0;
    uint32_t least = kWholeWarp, most = 0, both = kWholeWarp, either = 0, parity = 0;
    int32_t lowest = INT32_MAX, highest = INT32_MIN;
    for (uint32_t other = 0; other < kWarpThreads; ++other) {
      if ((members >> other & 1) == 0) continue;
      const uint32_t v = value_[other];
      holds |= (v & 1) << other;
      alike |= static_cast<uint32_t>((v & 3) == (value_[lane] & 3)) << other;
      total += v;
      least = std::min(least, v);
      most = std::max(most, v);
      lowest = std::min(lowest, static_cast<int32_t>(v));
      highest = std::max(highest, static_cast<int32_t>(v));
      both &= v;
      either |= v;
      parity ^= v;
    }
    switch (site.kind) {
      case Collective::shfl_idx:
      case Collective::shfl_up:
      case Collective::shfl_down:
      case Collective::shfl_bfly:
        return shuffle(lane, members, site);
      case Collective::vote_all:
        return mixed(lane, 0, holds == members);
      case Collective::vote_any:
        return mixed(lane, 0, holds != 0);
      case Collective::vote_uni:
        return mixed(lane, 0, holds == members || holds == 0);
      case Collective::ballot:
        return mixed(lane, holds, false);
      case Collective::match_any:
      case Collective::match_any_wide:
        return mixed(lane, alike, false);
      case Collective::match_all:
      case Collective::match_all_wide:
        return mixed(lane, alike == members ? members : 0, alike == members);
      case Collective::redux_add:
        return mixed(lane, total, false);
      case Collective::redux_min_unsigned:
        return mixed(lane, least, false);
      case Collective::redux_max_unsigned:
        return mixed(lane, most, false);
      case Collective::redux_min_signed:
        return mixed(lane, static_cast<uint32_t>(lowest), false);
      case Collective::redux_max_signed:
        return mixed(lane, static_cast<uint32_t>(highest), false);
      case Collective::redux_and:
        return mixed(lane, both, false);
      case Collective::redux_or:
        return mixed(lane, either, false);
      case Collective::redux_xor:
        return mixed(lane, parity, false);
      case Collective::elect: {
        const auto leader = static_cast<uint32_t>(std::countr_zero(members));
        return mixed(lane, leader, lane == leader);
      }
      case Collective::barrier:
        return mixed(lane, 0, false);
    }
    return 0;
  }

  // PTX ISA 9.7.9.6, shfl.sync.
  uint32_t shuffle(uint32_t lane, uint32_t members, CollectiveSite& site) {
    const int bval = static_cast<int>(site.b[lane] & 31);
    const int cval = static_cast<int>(site.c & 31);
    const int mask = static_cast<int>(site.c >> 8 & 31);
    const int me = static_cast<int>(lane);
    const int max_lane = (me & mask) | (cval & ~mask);
    const int min_lane = me & mask;
    int j = 0;
    bool p = false;
    if (site.kind == Collective::shfl_up) j = me - bval, p = j >= max_lane;
    if (site.kind == Collective::shfl_down) j = me + bval, p = j <= max_lane;
    if (site.kind == Collective::shfl_bfly) j = me ^ bval, p = j <= max_lane;
    if (site.kind == Collective::shfl_idx) j = min_lane | (bval & ~mask), p = j <= max_lane;
    if (!p) j = me;
    const bool defined = (members >> j & 1) != 0;
    if (defined) site.defined |= 1u << lane;
    return mixed(lane, defined ? value_[static_cast<size_t>(j)] : 0, p);
  }

  CollectiveProgram& program_;
  std::array<std::vector<size_t>, kWarpThreads> trace_;
  std::array<size_t, kWarpThreads> at_{};
  std::array<uint32_t, kWarpThreads> value_{};
  uint32_t live_ = 0;
};

// --- the PTX. Parameters: table (masks, then b, of each site: 32 words each), out (32 words).

class ProgramWriter {
 public:
  explicit ProgramWriter(const CollectiveProgram& program) : program_(program) {
    text_ = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 table, .param .u64 out)
{
  .reg .b32 %lane, %v, %t, %m, %b, %r;
  .reg .b64 %table, %out, %wide;
  .reg .pred %p, %q, %arm;
  mov.u32 %lane, %tid.x;
  ld.param.u64 %table, [table];
  mad.wide.u32 %table, %lane, 4, %table;
  ld.param.u64 %out, [out];
  mad.wide.u32 %out, %lane, 4, %out;
  mul.lo.u32 %v, %lane, 0x01000193;
  xor.b32 %v, %v, 0x5bd1e995;
)";
    write(program.nodes);
    text_ += "  st.global.u32 [%out], %v;\n  ret;\n}\n";
  }
  const std::string& text() const { return text_; }

  static std::vector<uint32_t> table(const CollectiveProgram& program) {
    std::vector<uint32_t> words;
    for (const CollectiveSite& site : program.sites) {
      words.insert(words.end(), site.masks.begin(), site.masks.end());
      words.insert(words.end(), site.b.begin(), site.b.end());
    }
    return words;
  }

 private:
  void choose(uint32_t lanes, std::string_view predicate) {
    text_ += fmt::format("  mov.u32 %t, 0x{:x};\n  shr.u32 %t, %t, %lane;\n  and.b32 %t, %t, 1;\n", lanes);
    text_ += fmt::format("  setp.ne.u32 {}, %t, 0;\n", predicate);
  }

  void write(const std::vector<ProgramNode>& nodes) {
    for (const ProgramNode& node : nodes) {
      switch (node.kind) {
        case ProgramNode::Kind::collective:
          write(program_.sites[node.site], node.site);
          break;
        case ProgramNode::Kind::exit:
          choose(node.lanes, "%arm");
          text_ += "  @%arm st.global.u32 [%out], %v;\n  @%arm exit;\n";
          break;
        case ProgramNode::Kind::branch: {
          const int number = labels_++;
          choose(node.lanes, "%arm");
          text_ += fmt::format("  @%arm bra first_{};\n", number);
          write(node.second);
          text_ += fmt::format("  bra join_{0};\nfirst_{0}:\n", number);
          write(node.first);
          text_ += fmt::format("join_{}:\n", number);
        }
      }
    }
  }

  static std::string_view opcode(Collective kind) {
    switch (kind) {
      case Collective::shfl_idx:
        return "shfl.sync.idx.b32";
      case Collective::shfl_up:
        return "shfl.sync.up.b32";
      case Collective::shfl_down:
        return "shfl.sync.down.b32";
      case Collective::shfl_bfly:
        return "shfl.sync.bfly.b32";
      case Collective::vote_all:
        return "vote.sync.all.pred";
      case Collective::vote_any:
        return "vote.sync.any.pred";
      case Collective::vote_uni:
        return "vote.sync.uni.pred";
      case Collective::ballot:
        return "vote.sync.ballot.b32";
      case Collective::match_any:
        return "match.any.sync.b32";
      case Collective::match_any_wide:
        return "match.any.sync.b64";
      case Collective::match_all:
        return "match.all.sync.b32";
      case Collective::match_all_wide:
        return "match.all.sync.b64";
      case Collective::redux_add:
        return "redux.sync.add.u32";
      case Collective::redux_min_unsigned:
        return "redux.sync.min.u32";
      case Collective::redux_max_unsigned:
        return "redux.sync.max.u32";
      case Collective::redux_min_signed:
        return "redux.sync.min.s32";
      case Collective::redux_max_signed:
        return "redux.sync.max.s32";
      case Collective::redux_and:
        return "redux.sync.and.b32";
      case Collective::redux_or:
        return "redux.sync.or.b32";
      case Collective::redux_xor:
        return "redux.sync.xor.b32";
      case Collective::elect:
        return "elect.sync";
      case Collective::barrier:
        return "bar.warp.sync";
    }
    return "";
  }

  void write(const CollectiveSite& site, size_t number) {
    const std::string_view name = opcode(site.kind);
    text_ += fmt::format("  ld.global.u32 %m, [%table+{}];\n", number * 256);
    text_ += "  mov.u32 %r, 0;\n  setp.ne.u32 %p, %r, 0;\n  and.b32 %t, %v, 1;\n  setp.ne.u32 %q, %t, 0;\n";
    switch (site.kind) {
      case Collective::shfl_idx:
      case Collective::shfl_up:
      case Collective::shfl_down:
      case Collective::shfl_bfly:
        text_ += fmt::format("  ld.global.u32 %b, [%table+{}];\n", number * 256 + 128);
        text_ += fmt::format("  {} %r|%p, %v, %b, 0x{:x}, %m;\n", name, site.c);
        choose(site.defined, "%q");
        text_ += "  selp.u32 %r, %r, 0, %q;\n";
        break;
      case Collective::vote_all:
      case Collective::vote_any:
      case Collective::vote_uni:
        text_ += fmt::format("  {} %p, %q, %m;\n", name);
        break;
      case Collective::ballot:
        text_ += fmt::format("  {} %r, %q, %m;\n", name);
        break;
      case Collective::match_any:
      case Collective::match_all:
        text_ += fmt::format("  and.b32 %t, %v, 3;\n  {} %r{}, %t, %m;\n", name,
                             site.kind == Collective::match_all ? "|%p" : "");
        break;
      case Collective::match_any_wide:
      case Collective::match_all_wide:
        text_ += fmt::format(
            "  and.b32 %t, %v, 3;\n  cvt.u64.u32 %wide, %t;\n  shl.b64 %wide, %wide, 31;\n"
            "  {} %r{}, %wide, %m;\n",
            name, site.kind == Collective::match_all_wide ? "|%p" : "");
        break;
      case Collective::elect:
        text_ += fmt::format("  {} %r|%p, %m;\n", name);
        break;
      case Collective::barrier:
        text_ += fmt::format("  {} %m;\n", name);
        break;
      default:
        text_ += fmt::format("  {} %r, %v, %m;\n", name);
    }
    text_ += fmt::format("  mad.lo.u32 %v, %v, 0x{:x}, %r;\n  @%p add.u32 %v, %v, 0x{:x};\n", kMixer, kPredicateValue);
  }

  const CollectiveProgram& program_;
  std::string text_;
  int labels_ = 0;
};

}  // namespace assay::test
