#!/usr/bin/env bash
# What longest-first order brings: the kernel as it is against a copy that launches tiles in order.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
linear=$out/fa4_fwd_linear.yaml
sed 's/^  longest_first: .*/  longest_first: 0/' "$here/../pipelines/fa4_fwd.yaml" > "$linear"
ask() { "$warpline" predict "$@" --quiet; }
mixed=256,512,1024,2048,4096,8192,16384,512
compare() {
  local name=$1; shift
  printf '%s\n  longest first  %s\n  in order       %s\n' "$name" "$(ask fa4_fwd "$@")" "$(ask "$linear" "$@")"
}
for gpu in b200 b300; do
  for seqlen in 1024 2048 4096 8192 16384 32768; do
    batch=$((32768 / seqlen))
    compare "$gpu causal MHA, $batch x $seqlen" --gpu $gpu --mask causal --seqlen $seqlen --batch $batch
    compare "$gpu causal MQA, $batch x $seqlen" --gpu $gpu --mask causal --seqlen $seqlen --batch $batch --heads-kv 2
  done
  compare "$gpu causal, lengths $mixed" --gpu $gpu --mask causal --varlen $mixed
done
