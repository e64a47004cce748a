#!/usr/bin/env bash
# Builds what is missing and runs every microbenchmark the present GPU supports, into one CSV.
#
#   run.sh [-b BUILD_DIR] [-o OUT.csv] [-a ARCHS]
#
# ARCHS is a CMake list of architectures to build for (default: the present GPU's, or all).
# A program that is not for this GPU says so and is skipped; any other failure fails the run,
# after the remaining programs have run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$root/build/cuda
out=micro.csv
archs=
while getopts b:o:a: option; do
  case $option in
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    a) archs=$OPTARG ;;
    *) exit 2 ;;
  esac
done

programs=(device_info instruction_rates softmax_mixes exp2_polynomial barriers cluster
  shared_memory tma bytes_in_flight bulk_reduce dsmem_beside mma_sync cp_async launch instruction_fetch
  wgmma_bf16 wgmma_e4m3 wgmma_contention wgmma_math
  packed_rates tcgen05_mma tcgen05_moves tcgen05_contention tcgen05_ld_red clock_power)

if [[ -z $archs ]] && command -v nvidia-smi >/dev/null; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1)
  archs=${capability/./}a
fi
if [[ ! -x $build/micro/device_info ]]; then
  cmake -S "$here/.." -B "$build" ${archs:+-DWARPLINE_CUDA_ARCHS="$archs"} >&2
  cmake --build "$build" -j "${JOBS:-1}" >&2
fi

echo "constant,value,unit,spread,gpu,sm_clock_mhz,cuda_version,note" >"$out"
failed=()
for program in "${programs[@]}"; do
  if [[ ! -x $build/micro/$program ]]; then
    echo "skipped $program: not built for these architectures" >&2
    continue
  fi
  rows=$(mktemp)
  status=0
  "$build/micro/$program" >"$rows" || status=$?
  case $status in
    0) cat "$rows" >>"$out" && echo "ran $program: $(wc -l <"$rows") rows" >&2 ;;
    77) echo "skipped $program" >&2 ;;
    *) failed+=("$program") && echo "FAILED $program (status $status)" >&2 ;;
  esac
  rm -f "$rows"
done
if ((${#failed[@]})); then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
