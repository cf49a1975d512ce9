// SPDX-License-Identifier: MIT
#include <assay/launch.h>

#include "gemm_params.h"

void assay_launch(assay::Launch& launch) {
  const GemmCoord problem{static_cast<int>(launch.integer("M")), static_cast<int>(launch.integer("N")),
                          static_cast<int>(launch.integer("K"))};
  const GemmParams params = to_params(problem, launch.pointer<const float>("a"), launch.pointer<const float>("b"),
                                      launch.pointer<float>("c"), static_cast<float>(launch.number("alpha")));
  const auto x = static_cast<unsigned>(params.tiles.n);
  const auto y = static_cast<unsigned>(params.tiles.m);
  launch.kernel("device_kernel<GemmParams>").grid(x, y).block(kTile, kTile).argument(params).run();
}
