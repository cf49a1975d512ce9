// SPDX-License-Identifier: MIT
// How causal tiles, which differ in length, are shared out to the blocks of a persistent grid.
#pragma once

namespace assay::attention::hopper {

struct HeadTile {
  int head;  // of all batches
  int tile;  // of query rows, counted from the first; -1: none
};

struct Division {
  int quotient;
  int remainder;
};
// Of numbers that are not negative: that takes a GPU fewer registers.
constexpr Division divide(unsigned dividend, unsigned divisor) {
  return {static_cast<int>(dividend / divisor), static_cast<int>(dividend % divisor)};
}

// Rounds in which every block takes a pair of tiles. A last round that is not full would leave blocks without work, so
// its tiles, and those of one or two full rounds, are dealt out one by one instead (measured: README.md, step 16).
constexpr int paired_rounds(int pairs, int blocks) {
  const int full_rounds = pairs / blocks;
  const int rest = pairs % blocks;
  if (rest == 0) return full_rounds;
  if (10 * rest >= 9 * blocks) return full_rounds + 1;
  return full_rounds - (full_rounds < 6 ? 1 : 2);
}

// The tiles of two heads make pairs of equal cost: the n-th longest and the n-th shortest of a head, and the middle
// tiles of both. Blocks take pairs head after head, so that those at work share keys in the cache. The tiles of the
// pairs that are left go out longest first, forth and back over the blocks.
struct CausalTiles {
  int heads;
  int row_tiles;  // per head
  int blocks;     // no more than there are pairs
  int paired_rounds;

  constexpr int pairs() const { return (heads * row_tiles + 1) / 2; }

  // What find() says of step 0, with less arithmetic: a block's first loads wait for it.
  constexpr HeadTile first(int block) const {
    if (paired_rounds > 0) return of_pair(block, true);
    const int outer = heads * half();
    if (block >= outer) return middle_tile(block - outer);
    const Division at = divide(block, heads);
    return outer_tile(at.remainder, at.quotient, true);
  }

  // Returns false at the end of a block's list. A step may have no tile.
  constexpr bool find(int block, int step, HeadTile& found) const {
    found = {0, -1};
    if (step < 2 * paired_rounds) {
      const int pair = step / 2 * blocks + block;
      if (pair < pairs()) found = of_pair(pair, step % 2 == 0);
      return true;
    }
    // What is left: the pairs of a longer and a shorter tile from `start` on, and the middle tiles of some heads.
    Place start = place_of(paired_rounds * blocks);
    const int first_middle = start.place < 0 ? start.head : start.head / 2 * 2 + 2;
    const int middles = first_middle < heads ? row_tiles % 2 * (heads - first_middle) : 0;
    if (start.place < 0) start.place = 0;
    const int outer = (heads - start.head) * half() - start.place;
    const int tiles = 2 * outer + middles;
    const int row = step - 2 * paired_rounds;
    const int index = row * blocks + (row % 2 == 0 ? block : blocks - 1 - block);
    if (index >= tiles) return row * blocks < tiles;
    const bool longer = index < outer;
    const bool middle = !longer && index < outer + middles;
    found = middle ? middle_tile(index - outer) : by_length(longer ? index : tiles - 1 - index, start, longer);
    return true;
  }

 private:
  struct Place {
    int head;
    int place;  // 0: longest and shortest tile; -1: the middle tiles of this head and the next
  };

  constexpr int half() const { return row_tiles / 2; }

  constexpr Place place_of(int pair) const {
    const Division two_heads = divide(pair, row_tiles);
    const int head = 2 * two_heads.quotient;
    const int place = two_heads.remainder - row_tiles % 2;
    return place < half() ? Place{head, place} : Place{head + 1, place - half()};
  }
  constexpr HeadTile of_pair(int pair, bool longer) const {
    const Place at = place_of(pair);
    if (at.place >= 0) return outer_tile(at.head, at.place, longer);
    const int head = longer ? at.head : at.head + 1;
    return {head, head < heads ? half() : -1};
  }
  constexpr HeadTile outer_tile(int head, int place, bool longer) const {
    return {head, longer ? row_tiles - 1 - place : place};
  }
  constexpr HeadTile middle_tile(int index) const { return {heads - 1 - index, half()}; }

  // The pairs from `start` on, place after place. Of its head only the places from there on are left.
  constexpr HeadTile by_length(int pair, Place start, bool longer) const {
    const int heads_left = heads - start.head;
    const int in_front = start.place * (heads_left - 1);
    const int front = pair < in_front ? 1 : 0;
    const Division at = divide(front ? pair : pair - in_front, heads_left - front);
    return outer_tile(start.head + front + at.remainder, (front ? 0 : start.place) + at.quotient, longer);
  }
};

}  // namespace assay::attention::hopper
