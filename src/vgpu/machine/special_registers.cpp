// SPDX-License-Identifier: MIT
// What %tid, %ctaid, %laneid and the other constant special registers hold in each lane of a warp.
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {
namespace {

uint64_t special_value(const Block& block, int warp, int lane, Dim3 thread, SpecialRegister which) {
  const Grid& grid = block.grid();
  const Launch& launch = grid.launch;
  const Dim3& cluster = launch.cluster;  // without clusters every block is one of its own
  const auto lane_bit = uint64_t{1} << lane;
  switch (which) {
    case SpecialRegister::tid_x:
      return thread.x;
    case SpecialRegister::tid_y:
      return thread.y;
    case SpecialRegister::tid_z:
      return thread.z;
    case SpecialRegister::ntid_x:
      return launch.block.x;
    case SpecialRegister::ntid_y:
      return launch.block.y;
    case SpecialRegister::ntid_z:
      return launch.block.z;
    case SpecialRegister::ctaid_x:
      return block.index().x;
    case SpecialRegister::ctaid_y:
      return block.index().y;
    case SpecialRegister::ctaid_z:
      return block.index().z;
    case SpecialRegister::nctaid_x:
      return launch.grid.x;
    case SpecialRegister::nctaid_y:
      return launch.grid.y;
    case SpecialRegister::nctaid_z:
      return launch.grid.z;
    case SpecialRegister::laneid:
      return static_cast<uint64_t>(lane);
    case SpecialRegister::warpid:
      return static_cast<uint64_t>(warp);
    case SpecialRegister::nwarpid:
      return static_cast<uint64_t>(grid.model.max_warps_per_sm);
    case SpecialRegister::smid:
      return block.linear_index() % static_cast<uint64_t>(grid.model.sm_count);
    case SpecialRegister::nsmid:
      return static_cast<uint64_t>(grid.model.sm_count);
    case SpecialRegister::gridid:
      return 1;
    case SpecialRegister::lanemask_eq:
      return lane_bit;
    case SpecialRegister::lanemask_le:
      return (lane_bit << 1) - 1;
    case SpecialRegister::lanemask_lt:
      return lane_bit - 1;
    case SpecialRegister::lanemask_ge:
      return kAllLanes & ~(lane_bit - 1);
    case SpecialRegister::lanemask_gt:
      return kAllLanes & ~((lane_bit << 1) - 1);
    case SpecialRegister::dynamic_smem_size:
      return launch.dynamic_shared_bytes;
    case SpecialRegister::total_smem_size:
      return grid.own_shared_bytes();
    case SpecialRegister::aggr_smem_size:
      return uint64_t{grid.own_shared_bytes()} + static_cast<uint64_t>(grid.model.shared_bytes_reserved_per_block);
    case SpecialRegister::reserved_smem_begin:
      return grid.reserved_shared_begin();
    case SpecialRegister::reserved_smem_end:
      return grid.reserved_shared_end();
    case SpecialRegister::reserved_smem_second:
      return (grid.reserved_shared_begin() + grid.reserved_shared_end()) / 2;
    case SpecialRegister::envreg1:
      return grid.cooperative_workspace >> 32;
    case SpecialRegister::envreg2:
      return grid.cooperative_workspace & 0xffff'ffff;
    case SpecialRegister::clusterid_x:
      return block.index().x / cluster.x;
    case SpecialRegister::clusterid_y:
      return block.index().y / cluster.y;
    case SpecialRegister::clusterid_z:
      return block.index().z / cluster.z;
    case SpecialRegister::nclusterid_x:
      return launch.grid.x / cluster.x;
    case SpecialRegister::nclusterid_y:
      return launch.grid.y / cluster.y;
    case SpecialRegister::nclusterid_z:
      return launch.grid.z / cluster.z;
    case SpecialRegister::cluster_ctaid_x:
      return block.index().x % cluster.x;
    case SpecialRegister::cluster_ctaid_y:
      return block.index().y % cluster.y;
    case SpecialRegister::cluster_ctaid_z:
      return block.index().z % cluster.z;
    case SpecialRegister::cluster_ctarank:
      return block.rank();
    case SpecialRegister::cluster_nctaid_x:
      return cluster.x;
    case SpecialRegister::cluster_nctaid_y:
      return cluster.y;
    case SpecialRegister::cluster_nctaid_z:
      return cluster.z;
    case SpecialRegister::cluster_nctarank:
      return cluster.volume();
    case SpecialRegister::is_explicit_cluster:
      return cluster.volume() > 1 ? 1 : 0;
  }
  return 0;
}

}  // namespace

void Warp::fill_special_rows(const Function& function, Frame& frame) {
  for (const SpecialRow& special : function.special_rows) {
    std::byte* row = frame.rows + special.row;
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t value = special_value(*block_, index_, lane, thread_of(lane), special.which);
      switch (special.bits) {
        case 1: {
          auto* word = reinterpret_cast<LaneMask*>(row);
          *word = (*word & ~(LaneMask{1} << lane)) | (static_cast<LaneMask>(value & 1) << lane);
          break;
        }
        case 16:
          reinterpret_cast<uint16_t*>(row)[lane] = static_cast<uint16_t>(value);
          break;
        case 32:
          reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value);
          break;
        default:
          reinterpret_cast<uint64_t*>(row)[lane] = value;
          break;
      }
    }
  }
}

}  // namespace assay::vgpu
