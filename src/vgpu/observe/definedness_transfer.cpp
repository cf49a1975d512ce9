// SPDX-License-Identifier: MIT
#include "vgpu/observe/definedness_transfer.hpp"

#include "vgpu/observe/each_lane.hpp"
#include "vgpu/semantics/shuffle.hpp"

namespace assay::vgpu {
namespace {

// The operand's value, unless a result has taken its place.
struct KnownValue {
  bool known = false;
  uint64_t bits = 0;
};

KnownValue value_of(const ExecutedStep& step, size_t index, int lane) {
  const uint32_t row = step.instruction.rows[index];
  for (size_t i = 0; i < step.written(); ++i) {
    if (step.instruction.rows[i] == row) return {};
  }
  switch (step.info()[index].bytes) {
    case 0:
      return {true, *step.warp.row<LaneMask>(row) >> lane & 1};
    case 2:
      return {true, step.warp.row<uint16_t>(row)[lane]};
    case 4:
      return {true, step.warp.row<uint32_t>(row)[lane]};
    case 8:
      return {true, step.warp.row<uint64_t>(row)[lane]};
    default:
      return {};
  }
}

void fill(OperandCodes& codes, int lane, Code value) {
  auto& bytes = codes.lanes[static_cast<size_t>(lane)];
  for (size_t i = 0; i < codes.width(); ++i) bytes[i] = value;
}

// Which operand holds what of a product, and which elements a lane has of it (see execute/fragment.hpp).
struct ProductShape {
  explicit ProductShape(const ExecutedStep& step)
      : m(step.step.product_rows),
        results(step.written()),
        half_result(m == 16 && results == 2),
        c_first(step.instruction.row_count - results),
        b_first(results + (c_first - results) * m / (m + kColumns)) {}

  static constexpr size_t kMostRows = 16;
  static constexpr size_t kColumns = 8;
  size_t m;
  size_t results;
  bool half_result;  // two elements in a register
  size_t c_first;
  size_t b_first;

  size_t row_of_a(size_t index, size_t group) const { return group + (m == 16 ? 8 * (index % 2) : 0); }
  size_t row_of_c(size_t index, size_t group) const { return group + 8 * (half_result ? index : index / 2); }
};

}  // namespace

OperandCodes DefinednessTransfer::operand(const ExecutedStep& step, size_t index) {
  const uint32_t row = step.instruction.rows[index];
  const RowInfo info = step.info()[index];
  OperandCodes codes;
  codes.bytes = info.bytes;
  if (!shadow_.may_be_undefined(row, info, step.lanes)) return codes;
  codes = shadow_.read(row, info);
  for_each(step.lanes, [&](int lane) {
    for (Code& each : codes.lanes[static_cast<size_t>(lane)]) {
      if (each == code::kUnwritten) each = fresh_(context_, step, index, lane);
    }
  });
  return codes;
}

void DefinednessTransfer::write(const ExecutedStep& step, size_t index, const OperandCodes& codes) {
  shadow_.write(step.instruction.rows[index], step.info()[index], codes, step.lanes, step.existing());
}

void DefinednessTransfer::write_all(const ExecutedStep& step, const std::array<Code, kLanes>& codes) {
  for (size_t i = 0; i < step.written(); ++i) {
    OperandCodes result;
    result.bytes = step.info()[i].bytes;
    for_each(step.lanes, [&](int lane) { fill(result, lane, codes[static_cast<size_t>(lane)]); });
    write(step, i, result);
  }
}

void DefinednessTransfer::apply(const ExecutedStep& step) {
  using Rule = DefinednessRule;
  switch (step.step.rule) {
    case Rule::compute:
      return compute(step);
    case Rule::define:
      return write_all(step, {});
    case Rule::move:
      return move(step);
    case Rule::pack:
      return pack(step);
    case Rule::unpack:
      return unpack(step);
    case Rule::select:
      return select(step);
    case Rule::mask_and:
      return mask(step, 0x00);
    case Rule::mask_or:
      return mask(step, 0xff);
    case Rule::rearrange:
      return rearrange(step);
    case Rule::shift_left:
      return shift(step, true);
    case Rule::shift_right:
      return shift(step, false);
    case Rule::extend:
      return extend(step);
    case Rule::permute:
      return permute(step);
    case Rule::shuffle:
      return shuffle(step);
    case Rule::across_lanes:
    case Rule::warp_product:
      return across_lanes(step);
    case Rule::product:
      return product(step);
    case Rule::group_product:
      return group_product(step);
    case Rule::load:
    case Rule::load_matrix:
    case Rule::store:
    case Rule::atomic:
    case Rule::pass_parameter:
    case Rule::call:
    case Rule::return_results:
      return;  // by those who know memory and frames
  }
}

Code DefinednessTransfer::lane_code(const ExecutedStep& step, int lane) {
  Code result = code::kDefined;
  for (size_t i = step.written(); i < step.instruction.row_count; ++i) {
    const uint32_t row = step.instruction.rows[i];
    const RowInfo info = step.info()[i];
    if (!shadow_.may_be_undefined(row, info, step.lanes)) continue;
    Code each = shadow_.read_lane(row, info, lane);
    if (each == code::kUnwritten) each = fresh_(context_, step, i, lane);
    result = code::join(result, each);
  }
  return code::computed(result);
}

void DefinednessTransfer::compute(const ExecutedStep& step) {
  std::array<Code, kLanes> codes{};
  for_each(step.lanes, [&](int lane) { codes[static_cast<size_t>(lane)] = lane_code(step, lane); });
  write_all(step, codes);
}

void DefinednessTransfer::move(const ExecutedStep& step) {
  // A plain move of a register that nothing wrote is no use of it: the code goes along as it is.
  const RowInfo info = step.info()[1];
  const RowInfo to = step.info()[0];
  if (info.bytes != to.bytes) return rearrange(step);
  write(step, 0, shadow_.read(step.instruction.rows[1], info));
}

void DefinednessTransfer::pack(const ExecutedStep& step) {
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  size_t at = 0;
  for (size_t i = 1; i < step.instruction.row_count; ++i) {
    const OperandCodes part = operand(step, i);
    for (size_t byte = 0; byte < part.width() && at < OperandCodes::kMostBytes; ++byte, ++at) {
      for_each(step.lanes, [&](int lane) {
        result.lanes[static_cast<size_t>(lane)][at] = part.lanes[static_cast<size_t>(lane)][byte];
      });
    }
  }
  write(step, 0, result);
}

void DefinednessTransfer::unpack(const ExecutedStep& step) {
  const OperandCodes whole = operand(step, step.written());
  size_t at = 0;
  for (size_t i = 0; i < step.written(); ++i) {
    OperandCodes part;
    part.bytes = step.info()[i].bytes;
    for (size_t byte = 0; byte < part.width() && at < OperandCodes::kMostBytes; ++byte, ++at) {
      for_each(step.lanes, [&](int lane) {
        part.lanes[static_cast<size_t>(lane)][byte] = whole.lanes[static_cast<size_t>(lane)][at];
      });
    }
    write(step, i, part);
  }
}

void DefinednessTransfer::select(const ExecutedStep& step) {
  const OperandCodes yes = operand(step, 1);
  const OperandCodes no = operand(step, 2);
  const OperandCodes choice = operand(step, 3);
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  for_each(step.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    if (const Code undecided = choice.of(lane); undecided != code::kDefined) {
      fill(result, lane, code::computed(undecided));
    } else {
      result.lanes[at] = (value_of(step, 3, lane).bits != 0 ? yes : no).lanes[at];
    }
  });
  write(step, 0, result);
}

void DefinednessTransfer::mask(const ExecutedStep& step, uint8_t deciding_byte) {
  const OperandCodes a = operand(step, 1);
  const OperandCodes b = operand(step, 2);
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  for_each(step.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const KnownValue value_a = value_of(step, 1, lane);
    const KnownValue value_b = value_of(step, 2, lane);
    for (size_t byte = 0; byte < result.width(); ++byte) {
      const auto decides = [&](const OperandCodes& codes, KnownValue value) {
        const uint8_t bits = static_cast<uint8_t>(value.bits >> (8 * byte));
        const uint8_t deciding = result.bytes == 0 ? deciding_byte & 1 : deciding_byte;
        return value.known && codes.lanes[at][byte] == code::kDefined && bits == deciding;
      };
      result.lanes[at][byte] = decides(a, value_a) || decides(b, value_b)
                                   ? code::kDefined
                                   : code::join(a.lanes[at][byte], b.lanes[at][byte]);
    }
  });
  write(step, 0, result);
}

void DefinednessTransfer::rearrange(const ExecutedStep& step) {
  std::array<Code, kLanes> codes{};
  for (size_t i = step.written(); i < step.instruction.row_count; ++i) {
    const OperandCodes each = operand(step, i);
    for_each(step.lanes, [&](int lane) {
      codes[static_cast<size_t>(lane)] = code::join(codes[static_cast<size_t>(lane)], each.of(lane));
    });
  }
  write_all(step, codes);
}

void DefinednessTransfer::shift(const ExecutedStep& step, bool left) {
  const OperandCodes source = operand(step, 1);
  const OperandCodes distance = operand(step, 2);
  const auto width = static_cast<int64_t>(source.width());
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  for_each(step.lanes, [&](int lane) {
    const auto& codes = source.lanes[static_cast<size_t>(lane)];
    const KnownValue by = value_of(step, 2, lane);
    if (!by.known || distance.of(lane) != code::kDefined) {
      fill(result, lane, code::join(source.of(lane), distance.of(lane)));
      return;
    }
    const auto bits = static_cast<int64_t>(std::min<uint64_t>(by.bits, 64));
    const int64_t move_by = left ? -bits : bits;
    for (int64_t byte = 0; byte < width; ++byte) {
      // The bits of this byte come from those of at most two bytes of the source.
      Code joined = code::kDefined;
      for (const int64_t bit : {8 * byte + move_by, 8 * byte + 7 + move_by}) {
        const bool beyond = bit >= 8 * width;
        if (bit < 0 || (beyond && !step.step.is_signed)) continue;
        joined = code::join(joined, codes[static_cast<size_t>(beyond ? width - 1 : bit / 8)]);
      }
      result.lanes[static_cast<size_t>(lane)][static_cast<size_t>(byte)] = joined;
    }
  });
  write(step, 0, result);
}

void DefinednessTransfer::extend(const ExecutedStep& step) {
  const OperandCodes source = operand(step, 1);
  const size_t bytes = std::max<size_t>(step.step.memory_bytes, 1);
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  for_each(step.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    for (size_t byte = 0; byte < result.width(); ++byte) {
      const bool beyond = byte >= bytes;
      result.lanes[at][byte] = !beyond               ? source.lanes[at][byte]
                               : step.step.is_signed ? source.lanes[at][bytes - 1]
                                                     : code::kDefined;
    }
  });
  write(step, 0, result);
}

void DefinednessTransfer::permute(const ExecutedStep& step) {
  const OperandCodes a = operand(step, 1);
  const OperandCodes b = operand(step, 2);
  const OperandCodes selector = operand(step, 3);
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  for_each(step.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const KnownValue picks = value_of(step, 3, lane);
    // The named modes pick by rules of their own; what they could pick is all of both.
    if (!step.step.picks_by_selector || !picks.known || selector.of(lane) != code::kDefined) {
      fill(result, lane, code::join(code::join(a.of(lane), b.of(lane)), selector.of(lane)));
      return;
    }
    for (size_t byte = 0; byte < 4; ++byte) {
      const uint64_t pick = picks.bits >> (4 * byte) & 7;
      result.lanes[at][byte] = pick < 4 ? a.lanes[at][pick] : b.lanes[at][pick - 4];
    }
  });
  write(step, 0, result);
}

void DefinednessTransfer::shuffle(const ExecutedStep& step) {
  constexpr size_t kValue = 2, kLaneOperand = 3, kClamp = 4;
  const OperandCodes values = shadow_.read(step.instruction.rows[kValue], step.info()[kValue]);
  const OperandCodes which = operand(step, kLaneOperand);
  OperandCodes result;
  result.bytes = step.info()[0].bytes;
  for_each(step.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const KnownValue b = value_of(step, kLaneOperand, lane);
    const KnownValue c = value_of(step, kClamp, lane);
    if (which.of(lane) != code::kDefined || !b.known || !c.known) {
      fill(result, lane, code::computed(which.of(lane)));
      return;
    }
    const semantics::ShuffleSource source = semantics::shuffle_source(
        step.step.shuffle, lane, static_cast<uint32_t>(b.bits), static_cast<uint32_t>(c.bits));
    result.lanes[at] = values.lanes[static_cast<size_t>(source.lane)];
  });
  write(step, 0, result);
  shadow_.define(step.instruction.rows[1], {0}, step.lanes, step.existing());
}

void DefinednessTransfer::across_lanes(const ExecutedStep& step) {
  Code all = code::kDefined;
  for_each(step.lanes, [&](int lane) { all = code::join(all, lane_code(step, lane)); });
  std::array<Code, kLanes> codes;
  codes.fill(code::join(all, code::computed(step.from_memory)));
  write_all(step, codes);
}

// Operands: {d}, {a} or its description, b's description, scale-d, ...
void DefinednessTransfer::group_product(const ExecutedStep& step) {
  Code all = code::computed(step.from_memory);
  for_each(step.lanes, [&](int lane) { all = code::join(all, lane_code(step, lane)); });
  size_t scale = step.written();
  while (scale < step.instruction.row_count && step.info()[scale].bytes != 0) ++scale;
  const bool has_scale = scale < step.instruction.row_count;
  for (size_t i = 0; i < step.written(); ++i) {
    OperandCodes codes = shadow_.read(step.instruction.rows[i], step.info()[i]);
    for_each(step.lanes, [&](int lane) {
      const bool accumulates = !has_scale || value_of(step, scale, lane).bits != 0;
      Code before = accumulates ? codes.of(lane) : code::kDefined;
      if (before == code::kUnwritten) before = fresh_(context_, step, i, lane);
      fill(codes, lane, code::join(all, code::computed(before)));
    });
    write(step, i, codes);
  }
}

void DefinednessTransfer::product(const ExecutedStep& step) {
  const ProductShape shape(step);
  std::array<Code, ProductShape::kMostRows> rows{};
  std::array<Code, ProductShape::kColumns> columns{};
  for (size_t i = shape.results; i < shape.c_first; ++i) {
    const OperandCodes codes = operand(step, i);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto group = static_cast<size_t>(lane / 4);
      Code& into = i < shape.b_first ? rows[shape.row_of_a(i - shape.results, group)] : columns[group];
      into = code::join(into, code::computed(codes.of(lane)));
    }
  }
  for (size_t i = 0; i < shape.results; ++i) {
    OperandCodes codes = operand(step, shape.c_first + i);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto group = static_cast<size_t>(lane / 4);
      const auto t = static_cast<size_t>(lane % 4);
      Code result = code::join(code::computed(codes.of(lane)), rows[shape.row_of_c(i, group)]);
      result = code::join(result, columns[shape.half_result ? 2 * t : 2 * t + i % 2]);
      if (shape.half_result) result = code::join(result, columns[2 * t + 1]);
      fill(codes, lane, result);
    }
    write(step, i, codes);
  }
}

}  // namespace assay::vgpu
