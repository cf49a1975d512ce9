// SPDX-License-Identifier: MIT
// A decoded module: after decoding there are no names and no types left, only handlers, rows and indices.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/dim3.hpp"
#include "gpu/finding.hpp"
#include "vgpu/machine/address_space.hpp"

namespace assay::vgpu {

using gpu::AccessKind;
using gpu::Dim3;
using gpu::Finding;
using gpu::FindingKind;
using gpu::SourceLine;

class Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&);
using LaneMask = uint32_t;

inline constexpr int kLanes = gpu::kWarpThreads;
inline constexpr LaneMask kAllLanes = 0xffff'ffff;
inline constexpr uint32_t kNoRow = 0xffff'ffff;
inline constexpr uint32_t kConstantRow =
    0x8000'0000;  // set in a row's offset: it lies in the constants, not in the frame

// What a handler keeps beyond its operands: the shape of a product, the layout of a fragment. A function owns those of
// its instructions.
struct Payload {
  virtual ~Payload() = default;
};
template <class T>
struct PayloadOf final : Payload {
  explicit PayloadOf(T kept) : value(std::move(kept)) {}
  T value;
};

// A row holds one register of all 32 lanes: 32 values side by side; a predicate's row is one word, a bit per lane.
// Rows are named by their byte offset in the frame.
struct Instruction {
  Handler handler = nullptr;
  const uint32_t* rows = nullptr;  // of the operands, in the order of the text; elements of vectors one by one
  union {
    int64_t immediate = 0;   // an address offset, a target, an index: the handler's own matter
    const Payload* payload;  // or what it keeps
  };
  uint32_t guard = kNoRow;  // the predicate's row
  uint16_t row_count = 0;
  bool guard_negated = false;
  uint8_t variant = 0;  // the handler's own matter
  uint32_t detail = 0;  // the handler's own matter
};

// The handler that was bound with a T is the only one that asks for it.
template <class T>
const T& payload(const Instruction& instruction) {
  return static_cast<const PayloadOf<T>&>(*instruction.payload).value;
}

// What an operand's row is, beside the row itself.
struct RowInfo {
  uint8_t bytes = 0;                  // of one lane's register; 0: a predicate
  bool address = false;               // of a memory access
  bool lane_parameter = false;        // the place of a parameter or result that functions pass to each other
  uint32_t shared_variable = kNoRow;  // of a constant that is the address of a .shared variable: where that begins
};

// What an instruction was in the text; looked at only when something is reported.
inline constexpr int kNoTableRow = -1;  // InstructionOrigin::table_row of what the decoder added by itself
struct InstructionOrigin {
  int ptx_line = 0;
  int32_t location = -1;            // index into Program::locations
  int table_row = 0;                // index into the opcode table
  int opcode = 0;                   // index into Program::opcodes
  uint32_t used_bytes = kAllBytes;  // of a load: a bit for each that the program wants; the others are read in passing
  uint16_t written = 0;             // so many of the rows, the first ones, are results

  static constexpr uint32_t kAllBytes = ~uint32_t{0};
};

struct LocationEntry {
  int file = 0;
  int line = 0;
  int column = 0;
  std::string function;  // of this line
  int32_t caller = -1;   // the line that this one was inlined at
};

enum class SpecialRegister : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  reserved_smem_begin,
  reserved_smem_end,
  reserved_smem_second,
  envreg1,
  envreg2,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
};

struct SpecialRow {  // filled when a frame is made
  SpecialRegister which;
  uint32_t row;
  int bits;  // 16, 32 or 64; 1 for a predicate
};

struct LocalRow {  // the address of a .local variable of a called function; filled when it is called
  uint32_t row;
  uint32_t offset;  // from the activation's first local byte
  int bits;
};

struct Parameter {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

// What a call needs to know: where the arguments and the result lie, in the caller's and the callee's parameter areas.
struct CallSite {
  int32_t function = -1;  // index into Program::functions; -1: by address, in rows[0]
  enum class System : uint8_t { none, vprintf, assertfail, malloc, free } system = System::none;
  struct Copy {
    uint32_t caller_offset;
    uint32_t bytes;
  };
  std::vector<Copy> arguments;
  std::vector<Copy> results;
};

struct Function {
  std::string name;  // as in the PTX
  bool is_entry = false;
  bool declared_only = false;
  std::optional<Error> undecodable;  // why it cannot be executed, with the place of the instruction
  std::vector<Instruction> code;
  std::vector<InstructionOrigin> origins;  // beside `code`
  std::vector<uint32_t> row_pool;          // what Instruction::rows points into
  std::vector<RowInfo> row_info;           // beside `row_pool`
  std::vector<std::byte> constants;        // rows of immediate operands
  std::vector<SpecialRow> special_rows;
  std::vector<LocalRow> local_rows;
  std::vector<Parameter> parameters;
  std::vector<Parameter> returns;
  std::vector<CallSite> calls;
  std::vector<std::vector<uint32_t>> branch_tables;  // of brx.idx
  std::vector<std::unique_ptr<const Payload>> payloads;
  uint32_t frame_bytes = 0;      // of all rows
  uint32_t parameter_bytes = 0;  // of one lane: its own parameters, results and those of its calls
  uint32_t local_bytes = 0;      // of one lane: .local variables
  bool needs_stack = false;      // calls or alloca: how deep is known only when it runs
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_base = 0;
  uint32_t max_threads = 0;        // .maxntid, 0: not given
  Dim3 required_threads{0, 0, 0};  // .reqntid
  uint32_t max_registers = 0;      // .maxnreg, 0: not given
  uint32_t min_blocks = 0;         // .minnctapersm, 0: not given
  Dim3 required_cluster{0, 0, 0};  // .reqnctapercluster
  bool reserved_shared = false;    // names the shared memory that the system reserves (%reserved_smem_offset_...)
  bool communicates = false;       // atomics, volatile or ordered accesses: blocks may depend on each other

  size_t index_of(const Instruction& instruction) const { return static_cast<size_t>(&instruction - code.data()); }
  const InstructionOrigin& origin_of(const Instruction& instruction) const { return origins[index_of(instruction)]; }
  const RowInfo* info_of(const Instruction& instruction) const {
    return row_info.data() + (instruction.rows - row_pool.data());
  }
};

struct ConstantVariable {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

struct SharedVariable {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
  int32_t function = -1;  // -1: of the module
};

struct DecodeOptions {
  bool fuse = false;  // products and sums that ptxas may contract (decode/contraction.hpp)
};

// A product and the sum that alone takes it, both without a rounding of their own: ptxas may make one fma of them.
struct FusiblePair {
  int sum_line = 0;  // of the PTX
  int32_t function = -1;
};

struct Program {
  std::string file_name;
  std::vector<Function> functions;
  std::map<std::string, int> function_index;
  std::vector<LocationEntry> locations;
  std::map<int, std::string> files;
  std::vector<std::byte> constant_bank;
  std::vector<ConstantVariable> constant_variables;
  std::vector<SharedVariable> shared_variables;
  std::map<std::string, uint64_t> global_symbols;  // name -> address
  std::vector<std::string> approximate;            // opcodes whose results are within bounds, not bit-exact
  std::vector<FusiblePair> fusible;                // fused here if `fused`, else executed as they stand
  bool fused = false;

  std::vector<std::string> source_lines;    // of the PTX, for reports
  std::vector<std::string> opcodes;         // "mma.sync.aligned.m16n8k16...": each that occurs, once
  std::map<std::string, int> opcode_index;  // the same, the other way round

  std::vector<SourceLine> source_chain(int32_t location) const;
  const Function* entry(const std::string& name) const;
  size_t index_of(const Function& function) const { return static_cast<size_t>(&function - functions.data()); }
};

}  // namespace assay::vgpu
