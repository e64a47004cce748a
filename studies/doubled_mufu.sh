#!/usr/bin/env bash
# What B300's doubled exponential unit brings, by head dim and kernel.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/recipe.sh"
shapes=(fa4_fwd,fa4_fwd_hd256 --head-dim 64,96,128,192:128,256 --batch 4 --heads 16 --seqlen 8192)
echo "== the exponential unit alone, kernel as it is on a B200"
"$warpline" whatif "${shapes[@]}" --gpu b200 --set hw.mufu.ex2=32/clk --mask full,causal
echo "== and without emulation, as the kernel would be tuned"
"$warpline" whatif "${shapes[@]}" --gpu b200 --set hw.mufu.ex2=32/clk --set emulated=0 --mask full,causal
echo "== B200 against B300, difference by difference"
"$warpline" whatif "${shapes[@]}" --gpu b200 --against b300
echo "== the backward kernel"
"$warpline" whatif fa4_bwd --head-dim 64,128 --batch 4 --heads 16 --seqlen 8192 --gpu b200 --against b300
echo "== does emulation still pay on a B300?"
for dim in 64 128 192:128; do
  "$warpline" tune fa4_fwd --gpu b300 --head-dim "$dim" --seqlen 8192 --param emulated=0:48:8
done
echo "== what limits a B300"
for dim in 64 128; do "$warpline" sensitivity fa4_fwd --gpu b300 --head-dim $dim --seqlen 8192; done
