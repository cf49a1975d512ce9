#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for nvcc in the tests: see fake_toolkit.hpp. Writes a line into $FAKE_DIARY for each run.
kind=version input='' output='' rule='' previous='' pause='' fail=''
for word in "$@"; do
  case "$previous" in
    -o) output=$word; previous=; continue ;;
    -MF) rule=$word; previous=; continue ;;
    -Xptxas) previous=; continue ;;
  esac
  case "$word" in
    -ptx) kind=ptx ;;
    -cubin) kind=cubin ;;
    -DSLEEP=*) pause=${word#-DSLEEP=} ;;
    -DFAIL=1) fail=1 ;;
    -o | -MF | -Xptxas) previous=$word ;;
    -*) ;;
    *) input=$word ;;
  esac
done
echo "$kind" >> "$FAKE_DIARY"
case "$kind" in
  version)
    echo "Cuda compilation tools, release 13.0, V13.0.88"
    ;;
  ptx)
    echo "half a file" > "${TMPDIR:-/tmp}/tmpxft_$$"
    if [ -n "$pause" ]; then sleep "$pause"; fi
    if [ -n "$fail" ]; then
      echo "$input(7): error: expected a ;" >&2
      exit 2
    fi
    rm "${TMPDIR:-/tmp}/tmpxft_$$"
    {
      printf '// %s\n' "$*" | sed 's/ -o .*//'
      cat "$input"
      echo ".visible .entry scale(.param .u64 scale_param_0, .param .u64 scale_param_1, .param .u32 scale_param_2)"
      echo "{ ret; }"
    } > "$output"
    {
      printf 'k.ptx : %s \\\n' "$input"
      sed -n 's/^#include "\(.*\)"/    \1 \\/p' "$input"
      printf '    %s\n' "$0"
    } > "$rule"
    ;;
  cubin)
    { echo "not really a cubin"; cat "$input"; } > "$output"
    cat >&2 << 'END'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'scale' for 'sm_80'
ptxas info    : Function properties for scale
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 372 bytes cmem[0]
END
    ;;
esac
