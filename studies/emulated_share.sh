#!/usr/bin/env bash
# How many of a row's 128 exponentials are best emulated.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
sweep emulated_share
echo "gpu, head dim, mask: the best number of a row's 128, how much faster than none, and the numbers within 0.5 % of it"
# Columns: index kernel batch heads seqlen gpu head_dim mask emulated status ms ...
awk -F, '$10 == "ok" {
  key = $6 " " $7 " " $8
  if (!(key in best) || $11 < best[key]) { best[key] = $11; at[key] = $9 }
  if ($9 == 0) none[key] = $11
  keys[key]; row[key, $9] = $11
}
END {
  for (key in keys) {
    near = ""
    for (n = 0; n <= 64; n += 4) if (row[key, n] != "" && row[key, n] <= 1.005 * best[key]) near = near " " n
    printf "%-24s %3d  %+.1f %%  within 0.5 %%:%s\n", key, at[key], 100 * (none[key] / best[key] - 1), near
  }
}' "$out/emulated_share.csv" | sort
