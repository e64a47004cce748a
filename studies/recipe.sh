# For the recipes: which program, and where results go.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
warpline=${1:-$here/../warpline}
out=$here/out
mkdir -p "$out"

# sweep NAME: the study NAME.yaml into out/NAME.csv, going on where it stopped.
sweep() { "$warpline" sweep "$here/$1.yaml" --out "$out/$1.csv" --resume; }
