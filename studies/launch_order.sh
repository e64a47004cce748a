#!/usr/bin/env bash
# What longest-first order and cluster launch control (CLC) bring: milliseconds, and the gain over tiles in order.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
mixed=256,512,1024,2048,4096,8192,16384,512
ms() { "$warpline" predict "$@" --json | sed -n 's/^ *"time_ms": *\([0-9.e+-]*\).*/\1/p'; }
compare() {
  local name=$1 kernel=$2 order first clc=-; shift 2
  order=$(ms "$kernel" "$@" --set lpt=0)
  first=$(ms "$kernel" "$@" --set lpt=1)
  if [ "$kernel" = fa4_fwd ]; then clc=$(ms "$kernel" "$@" --set lpt=1 --set clc=1); fi
  awk -v n="$name" -v a="$order" -v b="$first" -v c="$clc" 'BEGIN {
    printf "%-34s %9.4f %9.4f %+6.1f %%", n, a, b, 100 * (a / b - 1)
    if (c != "-") printf " %9.4f %+6.1f %%", c, 100 * (a / c - 1)
    printf "\n" }'
}
printf '%-34s %9s %9s %8s %9s %8s\n' "" "in order" "longest" gain "and CLC" gain
for gpu in h200 b200 b300; do
  if [ $gpu = h200 ]; then kernel=fa4_sm90_fwd; else kernel=fa4_fwd; fi
  for seqlen in 1024 2048 4096 8192 16384 32768; do
    batch=$((32768 / seqlen))
    for heads_kv in 16 2; do
      compare "$gpu causal $batch x $seqlen, $heads_kv KV heads" $kernel --gpu $gpu --mask causal --seqlen $seqlen --batch $batch --heads-kv $heads_kv
    done
  done
  for heads_kv in 16 2; do
    compare "$gpu causal, mixed, $heads_kv KV heads" $kernel --gpu $gpu --mask causal --varlen $mixed --heads-kv $heads_kv
    compare "$gpu full, mixed, $heads_kv KV heads" $kernel --gpu $gpu --varlen $mixed --heads-kv $heads_kv
  done
done
