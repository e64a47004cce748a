#!/usr/bin/env bash
# How many of a row's 128 exponentials are best emulated.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"

# best FILE KEYS: of the rows that agree in the first KEYS columns after the sequence length, the best number of emulated
# exponentials (the column after those), what it gains over none, and what is nearly as good.
best() {
  awk -F, -v keys="$2" -v from="$3" 'NR > 1 && $(from + keys + 1) == "ok" {
    key = ""
    for (i = 0; i < keys; ++i) key = key sprintf("%-8s ", $(from + i))
    n = $(from + keys); ms = $(from + keys + 2)
    if (!(key in best) || ms < best[key]) { best[key] = ms; at[key] = n }
    if (n == 0) none[key] = ms
    row[key, n] = ms
  }
  END {
    for (key in best) {
      near = ""
      for (n = 0; n <= 64; n += 4) if ((key, n) in row && row[key, n] <= 1.005 * best[key]) near = near " " n
      printf "%s %3d  %+5.1f %%  within 0.5 %%:%s\n", key, at[key], 100 * (none[key] / best[key] - 1), near
    }
  }' "$out/$1.csv" | sort
}

sweep emulated_share
echo "== GPU, head dim, mask, type, degree: the best number of 128, how much faster than none, and the numbers within 0.5 % of it"
# Columns: index kernel batch heads seqlen gpu head_dim mask dtype degree emulated status ms ...
best emulated_share 5 6
sweep emulated_share_by_tile
echo "== head dim, mask, KV rows of a step: the same, of a row of that many"
# Columns: index kernel gpu batch heads seqlen emulated_from head_dim mask tile emulated status ms ...
best emulated_share_by_tile 3 8
echo "== what the shares that kernels use cost: B200, head dim, mask, their number of 128, and time over the best"
awk -F, '$6 == "b200" && $9 == "bf16" && $10 == 3 && $12 == "ok" {
  key = $7 " " $8
  if (!(key in best) || $13 < best[key]) best[key] = $13
  ms[key, $11] = $13
}
END {
  used["128 full"] = 24; used["128 causal"] = 16; used["64 full"] = 16; used["64 causal"] = 16
  used["96 full"] = 16; used["96 causal"] = 16; used["192:128 full"] = 24; used["192:128 causal"] = 8
  for (key in used) printf "%-16s %3d  %+.1f %%\n", key, used[key], 100 * (ms[key, used[key]] / best[key] - 1)
}' "$out/emulated_share.csv" | sort
