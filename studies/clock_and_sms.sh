#!/usr/bin/env bash
# Which published B200 rows a clock or a count of SMs can explain.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
measured=$here/../validate/measured
for table in b200_paper_head_dim_128 b200_fa4_locked_head_dim_128 b200_avo_mha; do
  for clock in 1580MHz 1710MHz 1755MHz 1850MHz 1965MHz; do
    for sms in 132 144 148; do
      printf '%-30s %s %s SMs: ' "$table" "$clock" "$sms"
      "$warpline" compare "$measured/$table.csv" --clock "$clock" --set hw.sm_count="$sms" |
        grep -E '^ *all' || echo "no summary"
    done
  done
done
