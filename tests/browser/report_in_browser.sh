#!/usr/bin/env bash
# report_in_browser.sh WARPLINE WORK: makes a report of each kind and uses it in headless Chromium; with
# WARPLINE_SCREENSHOTS set, leaves pictures for a person to look at in WORK/pictures. Exits with 77, "skipped", where
# there is no Chromium or no node.
set -euo pipefail
warpline=$1 work=$2
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "skipped: Chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
rm -rf "$work"
mkdir -p "$work"

report() { "$warpline" report "${@:2}" -o "$work/$1.html"; }
report one fa4_fwd --gpu b200 --seqlen 4096
grep -q 'id="report-data"' "$work/one.html" || { echo "skipped: this build has no chart library"; exit 77; }
report gpus fa4_fwd --gpu b200 --against b300 --head-dim 128
report changed fa4_fwd --gpu b200 --seqlen 2048 --mask causal --change emulated=0
report long fa4_fwd --gpu b200 --seqlen 1048576 --batch 1
[[ $(stat -c %s "$work/long.html") -lt 5000000 ]] || { echo "a report of a million tokens has 5 MB or more"; exit 1; }
"$warpline" whatif fa4_fwd --gpu b200 --against b300 --head-dim 64,128 --seqlen 2048,8192 --mask full,causal \
    --report "$work/whatif.html" >"$work/whatif.txt"
"$warpline" compare "$here"/../../validate/measured/h200_warpline_sm90_fwd.csv --report "$work/compared.html" \
    >"$work/compared.txt"
cat >"$work/study.yaml" <<STUDY
schema: warpline-study/1
title: emulated exponentials
fixed: {kernel: fa4_fwd, batch: 4, heads: 16}
space:
  gpu: [b200, b300]
  head_dim: [64, 128]
  seqlen: [1024, 4096]
  set.emulated: {from: 0, to: 64, step: 16}
STUDY
"$warpline" sweep "$work/study.yaml" --out "$work/rows.csv" 2>"$work/sweep.txt" >&2
report sweep --sweep "$work/rows.csv"

evil='<img src=x onerror=hostile=1></script><script>hostile=1</script>'
sed -e "s|^title: .*|title: \"$evil\"|" -e "s|label: QK{t}|label: \"$evil{t}\"|" "$here/../../pipelines/fa4_fwd.yaml" >"$work/hostile.yaml"
report hostile "$work/hostile.yaml" --seqlen 4096
sed "s|,b200,|,\"$evil\",|" "$work/rows.csv" >"$work/hostile.csv"
report hostile-sweep --sweep "$work/hostile.csv"

node "$here/check_reports.js" "$browser" "$work" ${WARPLINE_SCREENSHOTS:+pictures}
