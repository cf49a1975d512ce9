#!/bin/sh
# SPDX-License-Identifier: MIT
# What compute-sanitizer says about planted mistakes, as text and as XML.
# usage: sanitizer_truth.sh PROGRAM FOLDER    (PROGRAM: sanitizer_truth.cu compiled with -lineinfo)
set -u
program=$1
folder=$2
mkdir -p "$folder"
for pair in memcheck:write_behind_the_end memcheck:misaligned_read memcheck:shared_behind_the_end memcheck:null_pointer \
  racecheck:race initcheck:uninitialised_read synccheck:parted_barrier; do
  tool=${pair%%:*}
  which=${pair#*:}
  compute-sanitizer --tool "$tool" --print-limit 1000 "$program" "$which" > "$folder/$which.txt" 2>&1
  compute-sanitizer --tool "$tool" --xml --save "$folder/$which.xml" "$program" "$which" > /dev/null 2>&1
done
