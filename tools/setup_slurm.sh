#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs Slurm from Debian, for the test that starts a cluster of two nodes inside this machine. What cannot be had is
# said, and is no error: the test is skipped.
set -u
command -v sbatch > /dev/null && command -v munged > /dev/null && exit 0
[ -x /usr/sbin/slurmctld ] && [ -x /usr/sbin/munged ] && exit 0
run=""
[ "$(id -u)" -eq 0 ] || run="sudo"
if command -v apt-get > /dev/null && { [ -z "$run" ] || command -v sudo > /dev/null; }; then
  echo "setup-slurm: installing slurm-wlm munge"
  { $run apt-get update -qq && $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge; } \
    || echo "setup-slurm: could not install slurm-wlm; the test of Slurm is skipped"
else
  echo "setup-slurm: there is no apt-get here; the test of Slurm is skipped"
fi
exit 0
