#!/bin/sh
# SPDX-License-Identifier: MIT
# Counters of single warp accesses, from Nsight Compute, beside the addresses that were accessed.
# usage: counter_truth.sh PROGRAM FOLDER [GROUPS [KERNELS [STEP]]]
#   PROGRAM: counter_truth.cu compiled; FOLDER: where the results go; GROUPS: of "shared global copy tensor";
#   KERNELS: only these, with commas between them; STEP: only every n-th pattern
set -eu
program=$1
folder=$2
groups=${3:-shared global copy tensor}
kernels=${4:-}
step=${5:-1}
mkdir -p "$folder"

# ncu leaves out metrics that it does not know.
list() { echo $1 | tr ' ' ','; }

for group in $groups; do
  case $group in
    shared) metrics="l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
      l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum
      l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
      l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum
      smsp__inst_executed_op_shared.sum smsp__inst_executed_op_shared_ld.sum smsp__inst_executed_op_shared_st.sum" ;;
    global) metrics="l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
      l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
      l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
      l1tex__t_requests_pipe_lsu_mem_global_op_red.sum l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
      l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
      l1tex__t_requests_pipe_lsu_mem_local_op_st.sum l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum" ;;
    copy) metrics="l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum
      l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum
      l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum
      l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_lg.sum
      l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_write.sum
      l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
      l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum smsp__inst_executed_op_ldgsts.sum" ;;
    tensor) metrics="sm__inst_executed_pipe_tensor.sum sm__inst_executed_pipe_tensor_op_hmma.sum
      sm__inst_executed_pipe_tensor_op_imma.sum sm__inst_executed_pipe_tensor_op_dmma.sum
      smsp__inst_executed_pipe_tensor.sum sm__ops_path_tensor_src_fp16_dst_fp32.sum sm__ops_path_tensor_src_bf16_dst_fp32.sum
      sm__ops_path_tensor_src_tf32_dst_fp32.sum sm__ops_path_tensor_src_int8.sum sm__ops_path_tensor_src_fp64.sum
      sm__ops_path_tensor_src_fp8.sum smsp__inst_executed.sum smsp__thread_inst_executed.sum" ;;
  esac
  ncu --clock-control none --cache-control none --csv --page raw --print-units base --log-file "$folder/$group.csv" \
    --metrics "$(list "$metrics")" "$program" "$group" "$kernels" "$step" > "$folder/$group.txt"
done
