// SPDX-License-Identifier: MIT
// How clusters share out the tiles of keys. A piece of work is a key head and a tile of rows, and has `piece_tiles`. So
// many clusters share one piece evenly; or all clusters share all pieces, one behind the other, so that a share may
// begin and end within a piece. Knows no CUDA but its qualifiers.
#pragma once

#if defined(__CUDACC__)
#define ASSAY_ON_BOTH __host__ __device__
#else
#define ASSAY_ON_BOTH
#endif

namespace assay::attention::split_keys {

struct EvenShares {
  int piece_tiles;
  int sharers;        // clusters that share a piece, or all clusters
  int cluster_tiles;  // of each share; the first `larger` of them have one more
  int larger;

  // Every `sharers` clusters have a piece of their own.
  static constexpr EvenShares of_one_piece(int piece_tiles, int sharers) {
    return {piece_tiles, sharers, piece_tiles / sharers, piece_tiles % sharers};
  }
  static constexpr EvenShares of_all_pieces(int piece_tiles, int pieces, int clusters) {
    const int tiles = piece_tiles * pieces;
    return {piece_tiles, clusters, tiles / clusters, tiles % clusters};
  }

  // The first tile of a share, counted from the first that its sharers have. It ends where the next one begins.
  ASSAY_ON_BOTH constexpr int first_tile(int sharer) const {
    return cluster_tiles * sharer + (sharer < larger ? sharer : larger);
  }
  // In whose share a tile lies.
  ASSAY_ON_BOTH constexpr int sharer_of(int tile) const {
    const int in_larger = (cluster_tiles + 1) * larger;
    return tile < in_larger ? tile / (cluster_tiles + 1) : larger + (tile - in_larger) / cluster_tiles;
  }
};

}  // namespace assay::attention::split_keys

#undef ASSAY_ON_BOTH
