#!/usr/bin/env bash
# Which published B200 rows a clock or a count of SMs can explain: the clock each row needs to be predicted exactly.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
measured=$here/../validate/measured
at=1710
needed() {
  "$warpline" compare "$measured/$1.csv" --clock ${at}MHz --set hw.sm_count="$2 SMs" --csv |
    # Cycles do not depend on the clock, so a row's clock is at * predicted / measured (the launch apart).
    awk -F, -v at=$at -v sms="$2" 'NR > 1 && $20 > 0 && $21 > 0 {
      key = sprintf("%-5s %-3s %-6s d %s", $4, $7, $15, $8); clock = at * $21 / $20
      if (!(key in n) || clock < low[key]) low[key] = clock
      if (!(key in n) || clock > high[key]) high[key] = clock
      ++n[key]; inside[key] += clock >= 1580 && clock <= 1965; short[key] = $13 <= 1024 ? clock : short[key]; long[key] = clock
    }
    END { for (key in n) printf "%3d SMs  %s  %2d rows  %4.0f to %4.0f MHz  %2d within 1580 to 1965  shortest %4.0f longest %4.0f\n",
          sms, key, n[key], low[key], high[key], inside[key], short[key], long[key] }' | sort
}
for table in b200_paper_head_dim_128 b200_fa4_locked_head_dim_128 b200_avo_mha; do
  echo "== $table"
  for sms in 148 144 132; do needed $table $sms; done
done
