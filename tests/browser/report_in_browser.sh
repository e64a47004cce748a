#!/usr/bin/env bash
# report_in_browser.sh WARPLINE WORK: opens a report of each kind in headless Chromium and uses it; with
# WARPLINE_SCREENSHOTS set, leaves pictures for a person to look at in WORK. Exits with 77, "skipped", where there
# is no Chromium.
set -euo pipefail
warpline=$1 work=$2
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "skipped: Chromium is not installed"; exit 77; }
rm -rf "$work"
mkdir -p "$work"

chromium() {
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --hide-scrollbars --user-data-dir="$work/profile" "$@" 2>"$work/chromium.log"
}

# picture NAME WIDTH PAGE OPTION...: a screenshot in NAME.png, where there is time for one.
picture() {
    chromium --window-size="$2,3400" --screenshot="$work/$1.png" "${@:4}" "file://$3" || echo "$1: no picture"
}

# probe NAME FIGURES: the page must have that many figures and nothing wrong.
probe() {
    local page=$work/$1.html probed=$work/$1.probed.html said
    sed "/^<head>\$/r $here/probe_head.html" "$page" >"$probed"
    cat "$here/probe_tail.html" >>"$probed"
    said=$(chromium --virtual-time-budget=20000 --window-size=1200,1000 --dump-dom "file://$probed" |
        grep -o 'PROBE figures=.*' | sed 's/<.*//' | tail -n 1)
    echo "$1: $said"
    [[ $said == "PROBE figures=$2 RIGHT" ]] || { echo "$1: wanted $2 figures and nothing wrong"; failed=1; }
    [[ -n ${WARPLINE_SCREENSHOTS:-} ]] || return 0
    picture "$1" 1200 "$page"
    picture "$1-phone" 500 "$page"
    picture "$1-dark" 1200 "$page" --blink-settings=preferredColorScheme=0
}

failed=0
"$warpline" report fa4_fwd --gpu b200 --seqlen 4096 -o "$work/one.html"
grep -q 'id="report-data"' "$work/one.html" || { echo "skipped: this build has no chart library"; exit 77; }
"$warpline" report fa4_fwd --gpu b200 --against b300 --mask causal -o "$work/two.html"
"$warpline" report fa4_fwd --gpu b200 --seqlen 2048 --change emulated=0 -o "$work/changed.html"
root=$here/../..
"$warpline" compare "$root"/validate/measured/h200_warpline_sm90_fwd.csv --report "$work/compared.html" >"$work/compared.txt"
probe one 9
probe two 11
probe changed 11
probe compared 2
exit $failed
