#!/usr/bin/env bash
# How high the threshold of conditional rescaling should be: how often it rescales, what that costs, how accurate it is.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
for scores in normal:1 normal:3 normal:8 student:3 outlier:10 rising:1; do
  "$warpline" rescale --scores "$scores" --tau 0,1,2,4,8,12,16 --keys 8192 --degree 3
done
echo "== what rescaling costs: time by the chance of a rescale at a step"
"$warpline" sweep "$here/rescale_threshold.yaml" --out "$out/rescale_threshold.csv" --resume
cut -d, -f6-11 "$out/rescale_threshold.csv"
