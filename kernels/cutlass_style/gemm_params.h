// SPDX-License-Identifier: MIT
// The one parameter of the kernel: opaque to whoever calls it, filled by to_params().
#pragma once

struct GemmCoord {
  int m, n, k;
};

// What an iterator over tiles of a matrix needs: increments are computed once, on the host.
struct TileIteratorParams {
  long long stride;         // elements from row to row
  long long advance_bytes;  // from tile to tile
};

struct GemmParams {
  GemmCoord problem;
  GemmCoord tiles;  // of the grid
  TileIteratorParams a, b, c;
  const float* a_pointer;
  const float* b_pointer;
  float* c_pointer;
  float alpha;
};

constexpr int kTile = 16;

inline GemmParams to_params(GemmCoord problem, const float* a, const float* b, float* c, float alpha) {
  GemmParams params;
  params.problem = problem;
  params.tiles = {(problem.m + kTile - 1) / kTile, (problem.n + kTile - 1) / kTile, (problem.k + kTile - 1) / kTile};
  params.a = {problem.k, kTile * 4LL};
  params.b = {problem.n, problem.n * kTile * 4LL};
  params.c = {problem.n, 0};
  params.a_pointer = a;
  params.b_pointer = b;
  params.c_pointer = c;
  params.alpha = alpha;
  return params;
}
