#!/usr/bin/env python3
"""Times the attention kernels that are installed on the GPU at hand, in the measured-row table
(validate/measured/README.md).

Medians of CUDA events after warm-up on normally distributed bf16 inputs. The SM clock is counted by
the SMs during each launch. A row is withheld when the clock moved by more than 3 % (5th to 95th
percentile) unless --allow-clock-change, and when some rows of the output differ from double
precision. A kernel that is not installed, or refuses a problem, is reported and skipped.
"""
import argparse
import csv
import datetime
import os
import statistics
import sys
import warnings

try:
    import torch
except ImportError:
    sys.exit("this script needs PyTorch: install torch, or measure the project's own kernels with "
             "warpline validate")

from backends import BACKENDS, Problem, Unsupported
from counters import Counters
from timing import measure

COLUMNS = ("source gpu sm_clock_mhz clock_evidence kernel version built dtype direction "
           "head_dim_qk head_dim_v batch heads_q heads_kv seqlen_q seqlen_kv mask window "
           "deterministic time_ms time_min_ms tflops mean_active_cycles tensor_cycles fma_cycles "
           "xu_warp_instructions note").split()
GPU_IDS = {"NVIDIA H200": "h200", "NVIDIA H100 80GB HBM3": "h100_sxm", "NVIDIA B200": "b200",
           "NVIDIA B300": "b300", "NVIDIA B300 SXM6 AC": "b300", "NVIDIA GB200": "gb200",
           "NVIDIA GB300": "gb300", "NVIDIA A100-SXM4-80GB": "a100_sxm",
           "NVIDIA A100-SXM4-40GB": "a100_sxm"}
MOST_CLOCK_CHANGE = 0.03
MOST_ERROR = 0.005  # rounding to bf16 alone gives 0.002


class Withheld(Exception):
    """Why there is no row."""


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", action="append", metavar="B,HQ,HKV,SQ,SKV",
                        help="default: 32768 tokens and 2048 columns of heads, 1024 to 16384 long")
    parser.add_argument("--head-dim", action="append", type=int, help="default: 64, 128, 256")
    parser.add_argument("--mask", action="append", choices=("full", "causal"))
    parser.add_argument("--direction", choices=("fwd", "bwd"), default="fwd")
    parser.add_argument("--kernel", action="append", choices=sorted(BACKENDS), default=None)
    parser.add_argument("--csv", metavar="FILE", help="default: standard output")
    parser.add_argument("--seconds", type=float, default=0.5, help="of timed launches a row")
    parser.add_argument("--warm-up", type=float, default=2, help="seconds of launches before")
    parser.add_argument("--rest", type=float, default=0, metavar="R",
                        help="idle R times a launch after each, so that power does not limit it")
    parser.add_argument("--flush-l2", action="store_true", help="empty L2 before each launch")
    parser.add_argument("--allow-clock-change", action="store_true")
    parser.add_argument("--counters", action="store_true",
                        help="pipe counters by ncu too, one more run of each problem")
    parser.add_argument("--profile-one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def shapes_of(options, head_dim):
    if not options.shape:
        heads = 2048 // head_dim
        return [(32768 // n, heads, heads, n, n) for n in (1024, 2048, 4096, 8192, 16384)]
    shapes = []
    for text in options.shape:
        try:
            shape = tuple(int(field) for field in text.split(","))
        except ValueError:
            shape = ()
        if len(shape) != 5 or min(shape) < 1 or shape[1] % shape[2] != 0:
            sys.exit(f"--shape '{text}': wanted five positive numbers B,HQ,HKV,SQ,SKV, HQ a "
                     "multiple of HKV")
        shapes.append(shape)
    return shapes


def error_of(problem, out, rows=64):
    """Relative error of some rows of one head against double precision."""
    head = problem.heads_q - 1
    kv_head = head // (problem.heads_q // problem.heads_kv)
    some = torch.randperm(problem.q_len, device="cuda")[:rows]
    k, v = problem.k[-1, kv_head].double(), problem.v[-1, kv_head].double()
    scores = problem.q[-1, head, some].double() @ k.T * problem.head_dim ** -0.5
    if problem.causal:
        keys = torch.arange(problem.kv_len, device="cuda")
        last = some + problem.kv_len - problem.q_len
        scores.masked_fill_(keys[None, :] > last[:, None], -float("inf"))
    wanted = torch.softmax(scores, dim=1).nan_to_num() @ v
    return ((out[-1, head, some].double() - wanted).norm() / wanted.norm()).item()


def work_of(problem, call, leaves):
    """What is timed: the forward call, or the gradients of a forward call made before."""
    if not problem.gradients:
        return call
    out = call()
    gradient = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, leaves, gradient, retain_graph=True)


def prepared(kernel, problem):
    call, leaves, version = BACKENDS[kernel][1](problem)
    with torch.set_grad_enabled(problem.gradients):
        error = error_of(problem, call().detach())
        if not error < MOST_ERROR:
            raise Withheld(f"wrong: relative error {error:.1e}")
        return work_of(problem, call, leaves), version


def evidence(timing):
    nvml = f"NVML {min(timing.nvml_mhz)} to {max(timing.nvml_mhz)}"
    if not timing.clocks_mhz:
        return f"{nvml}, which may be too high by 9 to 21 %; the SMs' own needs Triton"
    return (f"SM cycles over the GPU's timer around each launch (5th to 95th percentile "
            f"{100 * timing.moved:.1f} % apart); {nvml}")


def row(kernel, problem, options):
    work, version = prepared(kernel, problem)
    with torch.set_grad_enabled(problem.gradients):
        timing = measure(work, options)
    if timing.moved > MOST_CLOCK_CHANGE and not options.allow_clock_change:
        raise Withheld(f"the clock moved by {100 * timing.moved:.1f} %; --allow-clock-change "
                       "reports it all the same")
    ms = statistics.median(timing.times_ms)
    name = torch.cuda.get_device_name()
    clock = f"{statistics.median(timing.clocks_mhz):.0f}" if timing.clocks_mhz else ""
    note = (f"{kernel}; median of {len(timing.times_ms)} launches; "
            f"L2 {'flushed' if options.flush_l2 else 'warm'}; "
            f"{'idle between launches' if options.rest > 0 else 'launched back to back'}; "
            f"{statistics.median(timing.watts):.0f} W; CUDA {torch.version.cuda}")
    if kernel.startswith("sdpa-cudnn"):
        version += f" cudnn {torch.backends.cudnn.version()}"
    values = [f"measured for this project, {name}", GPU_IDS.get(name, name), clock,
              evidence(timing), BACKENDS[kernel][0], version,
              datetime.date.today().isoformat(), "bf16", options.direction, problem.head_dim,
              problem.head_dim, problem.batch, problem.heads_q, problem.heads_kv, problem.q_len,
              problem.kv_len, "causal" if problem.causal else "full", "", "", f"{ms:.5f}",
              f"{min(timing.times_ms):.5f}", f"{problem.flop / ms * 1e-9:.1f}", "", "", "", "",
              note]
    return dict(zip(COLUMNS, values))


def profile_one(kernel, problem):
    """One call between the marks that ncu profiles between."""
    work, _ = prepared(kernel, problem)
    with torch.set_grad_enabled(problem.gradients):
        work()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        work()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()


def with_counters(values, counters, kernel, shape, options):
    try:
        found = counters.read([
            os.path.abspath(__file__), "--profile-one", "--kernel", kernel, "--shape",
            ",".join(map(str, shape)), "--head-dim", str(values["head_dim_qk"]), "--mask",
            values["mask"], "--direction", options.direction])
    except (RuntimeError, KeyError, ValueError) as problem:
        print(f"{kernel}: a row without counters: {problem}", file=sys.stderr)
        return
    for column, value in found.items():
        values[column] = f"{value:.0f}"


def first_line(refusal):
    """What a kernel said when it gave up; asserts often say nothing."""
    lines = str(refusal).strip().splitlines()
    return f"{type(refusal).__name__}{': ' + lines[0] if lines else ', without a reason'}"


def problems_of(options):
    for head_dim in options.head_dim or (64, 128, 256):
        for mask in options.mask or ("full", "causal"):
            for kernel in options.kernel or BACKENDS:
                for shape in shapes_of(options, head_dim):
                    yield head_dim, mask, kernel, shape


def main():
    options = parse(sys.argv[1:])
    warnings.filterwarnings("ignore")  # PyTorch's reasons why other backends were not taken
    if not torch.cuda.is_available():
        sys.exit("PyTorch sees no GPU here")
    counters = Counters() if options.counters else None
    if counters and counters.problem:
        print(f"no counters: {counters.problem}", file=sys.stderr)
    out = None
    if not options.profile_one:
        out = csv.DictWriter(open(options.csv, "w") if options.csv else sys.stdout, COLUMNS,
                             lineterminator="\n")
        out.writeheader()
    for head_dim, mask, kernel, shape in problems_of(options):
        what = f"{kernel} head dim {head_dim} {mask} {','.join(map(str, shape))}"
        try:
            problem = Problem(shape, head_dim, mask == "causal",
                              gradients=options.direction == "bwd")
            if options.profile_one:
                profile_one(kernel, problem)
                continue
            values = row(kernel, problem, options)
            if counters and not counters.problem:
                with_counters(values, counters, kernel, shape, options)
            out.writerow(values)
            print(f"{what}: {values['time_ms']} ms {values['tflops']} TFLOP/s", file=sys.stderr)
        except (Unsupported, Withheld) as reason:
            print(f"{what}: no row: {reason}", file=sys.stderr)
        except Exception as refusal:  # other people's kernels refuse in any way they like
            print(f"{what}: no row: {first_line(refusal)}", file=sys.stderr)


if __name__ == "__main__":
    main()
