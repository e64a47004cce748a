#!/usr/bin/env bash
# The planner's answer for every head dim from 32 to 512 in steps of 16: the fastest design of fa4_fwd, or what stands in the way.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
for gpu in b200 b300; do
  for dim in $(seq 32 16 512); do
    printf '%s %s: ' "$gpu" "$dim"
    "$warpline" plan fa4_fwd --gpu "$gpu" --head-dim "$dim" --seqlen 4096 --quiet 2>&1 || true
  done
done
