// SPDX-License-Identifier: MIT
// How warps that work alone share out pieces of work (a key head and a tile of rows): whole pieces first, as many for
// each; then the pieces that are left, fewer than warps, each of which some neighbouring warps share. A warp therefore
// has at most one part of a piece, and has it last. Knows no CUDA but its qualifiers.
#pragma once

#if defined(__CUDACC__)
#define ASSAY_ON_BOTH __host__ __device__
#else
#define ASSAY_ON_BOTH
#endif

namespace assay::attention::split_keys {

// [first, end) of what is numbered.
struct SoloRange {
  int first;
  int end;

  ASSAY_ON_BOTH constexpr int count() const { return end - first; }
};

// Of `count` things the share of `sharer` among `sharers`: shares differ by one at most.
ASSAY_ON_BOTH constexpr SoloRange solo_share(int count, int sharer, int sharers) {
  const int each = count / sharers;
  const int larger = count - each * sharers;
  const int first = each * sharer + (sharer < larger ? sharer : larger);
  return {first, first + each + (sharer < larger ? 1 : 0)};
}

// What one warp of some does, all numbered among these: `whole` pieces, `step` apart, and a part of another.
struct SoloWork {
  int first_piece;
  int step;
  int whole;
  int shared_piece;   // -1: there is none
  SoloRange tiles;    // of the shared piece
  SoloRange sharers;  // warps that share it

  // Of warp `warp` among `warps`, that have `pieces` of `piece_tiles` each.
  ASSAY_ON_BOTH static constexpr SoloWork of(SoloRange pieces, int piece_tiles, int warp, int warps) {
    const int whole = pieces.count() / warps;
    const int left = pieces.count() - whole * warps;
    SoloWork work{pieces.first + warp, warps, whole, -1, {0, 0}, {warp, warp + 1}};
    if (left == 0) return work;
    const int number = warp * left / warps;  // among the pieces that are left
    work.shared_piece = pieces.first + whole * warps + number;
    work.sharers = {(number * warps + left - 1) / left, ((number + 1) * warps + left - 1) / left};
    work.tiles = solo_share(piece_tiles, warp - work.sharers.first, work.sharers.count());
    return work;
  }
};

}  // namespace assay::attention::split_keys

#undef ASSAY_ON_BOTH
