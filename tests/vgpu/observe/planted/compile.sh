#!/bin/sh
# SPDX-License-Identifier: MIT
# Renews the PTX beside the sources (nvcc 13.0), with names of files that name no machine.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
  case $source in
    asynchronous.cu | mbarriers.cu | phases.cu | protocols.cu) arch=sm_90a ;;
    *) arch=sm_80 ;;
  esac
  nvcc -arch=$arch -std=c++17 -lineinfo -ptx -o "${source%.cu}.ptx" "$source"
  sed -i -E "s|(\.file\s+[0-9]+ \").*/([a-z]+\.cuh?)\"|\1\2\"|" "${source%.cu}.ptx"
done
