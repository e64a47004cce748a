#!/usr/bin/env python3
"""Times what PyTorch offers for attention on the GPU at hand, in the measured-row table.

usage: sdpa.py [--shape B,HQ,HKV,SQ,SKV]... [--head-dim D]... [--mask full|causal]...
               [--backend cudnn|fa2]... [--csv FILE] [--seconds S] [--warm-up S]
               [--allow-clock-change]

Medians of CUDA events after warm-up on normally distributed bf16 inputs; the SM clock is sampled
through NVML while the launches run, which tells whether it moved, but not how high it was: NVML
showed 9 to 21 % more than an H200's SMs counted. So the row's clock stays empty. A row is withheld when the clock moved by more than 3 % (5th to
95th percentile) unless asked for. A backend that refuses a shape is reported and skipped.
"""
import argparse
import csv
import datetime
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "fa2": SDPBackend.FLASH_ATTENTION}
COLUMNS = ("source gpu sm_clock_mhz clock_evidence kernel version built dtype direction "
           "head_dim_qk head_dim_v batch heads_q heads_kv seqlen_q seqlen_kv mask window deterministic time_ms "
           "time_min_ms tflops mean_active_cycles tensor_cycles fma_cycles xu_warp_instructions "
           "note").split()
GPU_IDS = {"NVIDIA H200": "h200", "NVIDIA H100 80GB HBM3": "h100_sxm"}


def flop(shape, head_dim, causal):
    batch, heads, _, q, kv = shape
    keys = (max(0, kv - q) + kv) / 2 if causal else kv
    return 4 * batch * heads * q * keys * head_dim


def measure(call, seconds, warm_up):
    """Times in ms, and the SM clocks and watts seen meanwhile."""
    start = time.monotonic()
    while time.monotonic() - start < warm_up:
        call()
        torch.cuda.synchronize()
    begin = time.monotonic()
    call()
    torch.cuda.synchronize()
    count = max(20, min(1000, int(seconds / (time.monotonic() - begin))))
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        call()
        event.record()
    clocks, watts = [], []
    while not events[-1].query():
        clocks.append(torch.cuda.clock_rate())
        watts.append(torch.cuda.power_draw() / 1000)
    torch.cuda.synchronize()
    return [a.elapsed_time(b) for a, b in zip(events, events[1:])], clocks or [0], watts or [0]


def moved(clocks):
    """How far apart the 5th and the 95th percentile are, over the median."""
    ordered = sorted(clocks)
    last = len(ordered) - 1
    low, high = ordered[round(0.05 * last)], ordered[round(0.95 * last)]
    return (high - low) / max(1, statistics.median(ordered))


def row(backend, shape, head_dim, causal, options):
    batch, heads_q, heads_kv, q_len, kv_len = shape
    q, k, v = (torch.randn(batch, heads, length, head_dim, device="cuda", dtype=torch.bfloat16)
               for heads, length in ((heads_q, q_len), (heads_kv, kv_len), (heads_kv, kv_len)))

    def call():
        return scaled_dot_product_attention(q, k, v, is_causal=causal,
                                            enable_gqa=heads_q != heads_kv)

    with torch.no_grad(), sdpa_kernel(BACKENDS[backend]):
        times, clocks, watts = measure(call, options.seconds, options.warm_up)
    if moved(clocks) > 0.03 and not options.allow_clock_change:
        raise RuntimeError(f"no row: the clock moved from {min(clocks)} to {max(clocks)} MHz")
    ms = statistics.median(times)
    name = torch.cuda.get_device_name()
    values = [f"measured for this project, {name}", GPU_IDS.get(name, name),
              "", f"NVML said {min(clocks)} to {max(clocks)} MHz, which is too high by 9 to 21 %",
              backend, f"torch {torch.__version__} cudnn {torch.backends.cudnn.version()}",
              datetime.date.today().isoformat(), "bf16", "fwd", head_dim, head_dim, batch, heads_q,
              heads_kv, q_len, kv_len, "causal" if causal else "full", "", "", f"{ms:.5f}",
              f"{min(times):.5f}", f"{flop(shape, head_dim, causal) / ms * 1e-9:.1f}", "", "", "", "",
              f"median of {len(times)} launches; launched back to back; {statistics.median(watts):.0f} W"]
    return dict(zip(COLUMNS, values))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", action="append")
    parser.add_argument("--head-dim", action="append", type=int)
    parser.add_argument("--mask", action="append", choices=("full", "causal"))
    parser.add_argument("--backend", action="append", choices=sorted(BACKENDS))
    parser.add_argument("--csv")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--warm-up", type=float, default=2)
    parser.add_argument("--allow-clock-change", action="store_true")
    options = parser.parse_args()
    out = csv.DictWriter(open(options.csv, "w") if options.csv else sys.stdout, COLUMNS,
                         lineterminator="\n")
    out.writeheader()
    for head_dim in options.head_dim or (64, 128):
        heads = 2048 // head_dim
        shapes = ([tuple(map(int, text.split(","))) for text in options.shape] if options.shape
                  else [(32768 // n, heads, heads, n, n) for n in (1024, 2048, 4096, 8192, 16384)])
        for mask in options.mask or ("full", "causal"):
            for backend in options.backend or sorted(BACKENDS):
                for shape in shapes:
                    try:
                        out.writerow(row(backend, shape, head_dim, mask == "causal", options))
                    except RuntimeError as error:
                        print(f"{backend} hd{head_dim} {shape}: {error}", file=sys.stderr)


main()
